"""The bundle that a desktop client installs: its manifest, its content, and that it starts."""

from __future__ import annotations

import json
import re
import tomllib
import zipfile
from pathlib import Path

import anyio
import pytest

from memory_core import ConflictError, Settings, ValidationError
from memory_core.installation import dependencies
from memory_core.server.app import build_server
from memory_core.server.mcpb import build
from memory_core.settings import VERSION

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    folder = tmp_path_factory.mktemp("mcpb")
    return build(folder / "memory.mcpb")


@pytest.fixture(scope="module")
def unpacked(bundle, tmp_path_factory):
    folder = tmp_path_factory.mktemp("unpacked")
    with zipfile.ZipFile(bundle.path) as archive:
        assert archive.testzip() is None
        archive.extractall(folder)
    return folder


@pytest.fixture(scope="module")
def manifest(unpacked):
    return json.loads((unpacked / "manifest.json").read_text(encoding="utf-8"))


def test_the_manifest_lists_the_tools_that_the_server_registers(memory, manifest, bundle):
    served = anyio.run(build_server(memory, memory.settings).list_tools)

    assert [tool.name for tool in served] == [tool["name"] for tool in manifest["tools"]]
    assert all(tool["description"] for tool in manifest["tools"])
    with (ROOT / "pyproject.toml").open("rb") as file:
        package = tomllib.load(file)["project"]
    assert {VERSION} == {manifest["version"], bundle.version}
    assert package["name"] == manifest["name"]


def test_manifest_has_the_required_fields(manifest, unpacked):
    server = manifest["server"]
    asked = manifest["user_config"]
    placeholders = {
        match
        for value in server["mcp_config"]["env"].values()
        for match in re.findall(r"\$\{user_config\.(\w+)\}", value)
    }

    assert {"manifest_version", "name", "version", "description", "author", "server"} <= set(
        manifest
    )
    assert ("0.4", "uv") == (manifest["manifest_version"], server["type"])
    assert set(asked) == placeholders
    assert {name.lower() for name in server["mcp_config"]["env"]} <= set(Settings.model_fields)
    assert all({"type", "title", "description"} <= set(field) for field in asked.values())
    assert (unpacked / server["entry_point"]).is_file()
    assert server["mcp_config"]["args"][-1] == server["entry_point"]


def test_bundle_contains_only_the_source(bundle, unpacked):
    with zipfile.ZipFile(bundle.path) as archive:
        names = archive.namelist()

    roots = {name.partition("/")[0] for name in names}
    extra = {"manifest.json", "pyproject.toml", "main.py", "LICENSE"}
    assert extra | {"memory_core"} == roots
    assert [] == [
        n for n in names if "__pycache__" in n or "/." in n or n.endswith((".db", ".env"))
    ]
    migrations = {path.name for path in (ROOT / "memory_core/storage/migrations").glob("*.sql")}
    assert migrations == {Path(name).name for name in names if name.endswith(".sql")}
    for name in names:
        content = (unpacked / name).read_bytes()
        assert str(ROOT).encode() not in content
        assert str(Path.home()).encode() + b"/" not in content or str(Path.home()) == "/"


def test_bundle_installs_the_base_dependencies(unpacked):
    with (unpacked / "pyproject.toml").open("rb") as file:
        bundled = tomllib.load(file)["project"]
    with (ROOT / "pyproject.toml").open("rb") as file:
        package = tomllib.load(file)["project"]

    assert package["dependencies"] == dependencies() == bundled["dependencies"]
    # The second one requires sentence-transformers, and with it PyTorch.
    names = ("torch", "gt-all", "sentence")
    assert not any(each.startswith(names) for each in bundled["dependencies"])


def test_bundle_build_is_reproducible_and_never_overwrites(tmp_path):
    built = [build(tmp_path / name) for name in ("once.mcpb", "again.mcpb")]

    assert built[0].sha256 == built[1].sha256
    with pytest.raises(ConflictError):
        build(tmp_path / "again.mcpb")
    assert built[1].size_bytes == build(tmp_path / "again.mcpb", replace=True).size_bytes
    with pytest.raises(ValidationError, match="must end in"):
        build(tmp_path / "again.zip")
