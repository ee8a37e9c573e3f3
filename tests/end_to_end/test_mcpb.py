"""The unpacked bundle, started as a desktop client starts it."""

from __future__ import annotations

import json
import zipfile

from memory_core.server.mcpb import build

from .stdio_process import StdioProcess

# A host that installs the bundle has no PyTorch: the import of it fails here too.
WITHOUT_TORCH = """\
import runpy, sys
for name in ("torch", "sentence_transformers", "transformers"):
    sys.modules[name] = None
sys.argv = sys.argv[1:]
sys.path.insert(0, sys.argv[0].rpartition("main.py")[0])
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def test_the_unpacked_bundle_serves_its_tools_over_stdio(tmp_path):
    with zipfile.ZipFile(build(tmp_path / "memory.mcpb").path) as archive:
        archive.extractall(tmp_path / "in")
    manifest = json.loads((tmp_path / "in" / "manifest.json").read_text(encoding="utf-8"))
    settings = {**manifest["server"]["mcp_config"]["env"], "MEMORY_PROJECT": "desk"}
    settings["MEMORY_DATA_DIR"] = str(tmp_path)
    start = ("-c", WITHOUT_TORCH, str(tmp_path / "in" / manifest["server"]["entry_point"]))

    with StdioProcess(tmp_path, *start, **settings) as stdio:
        hello = stdio.greet()["result"]["serverInfo"]
        tools = stdio.ask("tools/list")["result"]["tools"]
        made = {"name": "Orders", "node_type": "service"}
        call = stdio.ask("tools/call", name="create_entity", arguments=made)["result"]
        health = stdio.ask("tools/call", name="memory_health", arguments={})["result"]

    assert manifest["version"] == hello["version"]
    assert [tool["name"] for tool in manifest["tools"]] == [tool["name"] for tool in tools]
    assert "desk" == call["structuredContent"]["entity"]["project_id"]
    assert str(tmp_path) in health["structuredContent"]["report"]["file"]["path"]
