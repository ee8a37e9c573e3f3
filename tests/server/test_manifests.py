"""The files that list or install the server, against the documented formats."""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path

import jsonschema
import pytest
import yaml

from memory_core import Settings
from memory_core._version import VERSION
from memory_core.server import manifests, mcpb
from memory_core.server import tools as tools
from memory_core.server.calls.registry import TOOLS

ROOT = Path(__file__).parents[2]
SCHEMAS = Path(__file__).with_name("schemas")
FILES = {
    "server": ROOT / "server.json",
    "plugin": ROOT / ".claude-plugin" / "plugin.json",
    "marketplace": ROOT / ".claude-plugin" / "marketplace.json",
}


def read(path):
    return json.loads(path.read_text(encoding="utf-8"))


def validator(name):
    schema = read(SCHEMAS / f"{name}.schema.json")
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def manifest(name):
    return mcpb.manifest() if name == "mcpb" else read(FILES[name])


@pytest.mark.parametrize("name", [*FILES, "mcpb"])
def test_a_manifest_follows_its_schema(name):
    assert [] == [error.message for error in validator(name).iter_errors(manifest(name))]


@pytest.mark.parametrize(
    ("name", "path", "value"),
    [
        ("server", ("name",), "turbovec-mcp"),
        ("server", ("description",), "x" * 101),
        ("server", ("version",), "latest"),
        ("server", ("packages", 0, "version"), ">=0.1"),
        ("server", ("packages", 0, "transport"), {"type": "sse"}),
        ("server", ("packages", 0, "environmentVariables", 0, "isRequired"), "no"),
        ("plugin", ("name",), "Turbovec Memory"),
        ("plugin", ("author",), "The authors"),
        ("plugin", ("mcpServers", "turbovec", "args"), "--from"),
        ("marketplace", ("owner",), {}),
        ("marketplace", ("plugins", 0, "source"), "turbovec"),
        ("mcpb", ("manifest_version",), "0.3"),
        ("mcpb", ("server", "type"), "rust"),
        ("mcpb", ("user_config", "project", "type"), "text"),
    ],
)
def test_schemas_reject_invalid_manifests(name, path, value):
    broken = copy.deepcopy(manifest(name))
    place = broken
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value

    assert not validator(name).is_valid(broken)


def test_every_manifest_has_the_version_of_the_package():
    server = manifest("server")

    assert {VERSION} == {
        server["version"],
        server["packages"][0]["version"],
        manifest("plugin")["version"],
        manifest("marketplace")["plugins"][0]["version"],
        manifest("mcpb")["version"],
    }


def test_every_environment_variable_of_the_registry_is_a_setting():
    (package,) = manifest("server")["packages"]
    names = {each["name"].lower() for each in package["environmentVariables"]}

    assert names <= set(Settings.model_fields)


def test_the_readme_proves_the_registry_name_to_the_package_index():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")

    assert [manifests.REGISTRY_NAME] == re.findall(r"mcp-name: (\S+)(?=\s|<|-->)", readme)
    assert manifest("server")["name"] == manifests.REGISTRY_NAME


def test_the_plugin_starts_the_server_from_its_own_folder():
    (server,) = manifest("plugin")["mcpServers"].values()
    offered = manifest("marketplace")["plugins"][0]

    assert ["--from", "${CLAUDE_PLUGIN_ROOT}", "turbovec-mcp"] == server["args"]
    assert manifest("plugin")["name"] == offered["name"]
    assert (ROOT / offered["source"] / "pyproject.toml").is_file()
    assert (ROOT / offered["source"] / ".claude-plugin" / "plugin.json").is_file()


def test_the_only_skill_is_portable_and_names_tools_that_exist():
    (path,) = (ROOT / "skills").glob("*/SKILL.md")
    _, front_matter, body = path.read_text(encoding="utf-8").split("---\n", 2)
    keys = yaml.safe_load(front_matter)
    portable = {"name", "description", "license", "compatibility", "metadata", "allowed-tools"}

    assert keys.keys() <= portable
    assert path.parent.name == keys["name"]
    assert len(keys["description"]) <= 1024
    named = set(re.findall(r"\b[a-z]+_[a-z_]+\b", body)) - {"project_id", "user_id"}
    assert len(named) >= 8
    assert named <= {tool.name for tool in TOOLS}


def test_documents_do_not_install_the_bare_package_name():
    bare = re.compile(
        r"(?:pip|pipx|uv tool|uv pip) install (?:-\S+ )*['\"]?turbovec-mcp(?![-\w./]*\.whl)"
        r"|uvx turbovec|uvx --from ['\"]?turbovec-mcp(?![-\w./]*\.whl)"
    )
    documents = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]

    assert [] == [
        (path.name, found[0])
        for path in documents
        for found in bare.finditer(path.read_text(encoding="utf-8"))
    ]
