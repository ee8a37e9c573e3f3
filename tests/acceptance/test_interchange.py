"""Export and import as a client sees them."""

from __future__ import annotations

import json

import pytest
from ancestors import BUILDERS
from okf_bundle import documents, laid

GRAPH = (
    {"type": "entity", "name": "Ann", "entityType": "person", "observations": ["drinks green tea"]},
    {"type": "entity", "name": "Kyoto", "entityType": "city", "observations": ["has old gardens"]},
    {"type": "relation", "from": "Ann", "to": "Kyoto", "relationType": "lives in"},
)


def test_records_of_another_memory_server_are_imported(tool_client, memory):
    path = memory.db.path.with_name("memory.json")
    path.write_text("".join(json.dumps(line) + "\n" for line in GRAPH))

    imported = tool_client("import_memory", path=str(path))
    memory.catch_up()
    found = tool_client.texts("what does she drink?", kinds=["observation"])
    relations = tool_client("get_hologram", node_id="ann")["relations"]
    tool_client("undo", batch_id=imported["batch_id"])

    assert {"entities": 2, "observations": 2, "relations": 1} == imported["added"]
    assert "drinks green tea" == found[0]
    assert ["LOCATED_IN"] == [relation["relationship_type"] for relation in relations]
    assert 0 == tool_client("list_entities")["total"]


@pytest.mark.parametrize(
    ("name", "added"),
    [
        ("turbovec", {"entities": 4, "observations": 2, "relations": 25, "bottles": 1}),
        ("turbomem", {"entries": 1}),
        ("vellum", {"entries": 3, "context_chunks": 3}),
    ],
)
def test_a_database_of_an_earlier_program_comes_in(tool_client, tmp_path, name, added):
    path = BUILDERS[name](tmp_path / "theirs.db")

    imported = tool_client("import_memory", path=path)
    again = tool_client("import_memory", path=path, format="sqlite")
    undone = tool_client("undo", batch_id=imported["batch_id"])

    assert (name, added) == (imported["format"], imported["added"])
    assert ({}, "") == (again["added"], again["batch_id"])
    assert 0 == undone["left_alone_count"]


def test_import_of_an_export_restores_a_cleared_memory(tool_client, memory):
    tool_client(
        "create_entity", name="Orders", node_type="service", observations=["retries thrice"]
    )
    exported = tool_client("export_memory", path="mine.jsonl")
    tool_client("clear_memory", confirm="default")
    assert [] == tool_client.texts("retries")

    imported = tool_client("import_memory", path="mine.jsonl")

    assert {"entities": 1, "observations": 1} == imported["added"]
    assert exported["path"] == imported["path"]
    assert "retries thrice" == tool_client.texts("retries")[0]


def test_import_errors_contain_a_hint(tool_client, tmp_path):
    (tmp_path / "notes.jsonl").write_text("mine\n")

    assert "outside the folders" in tool_client.refusal("import_memory", path="/dev/zero")
    assert "outside the folders" in tool_client.refusal("export_memory", path="/etc/memory.jsonl")
    assert "Choose another name" in tool_client.refusal(
        "export_memory", path=str(tmp_path / "notes.jsonl")
    )
    assert "Nothing was imported" in tool_client.refusal(
        "import_memory", path=str(tmp_path / "notes.jsonl")
    )


def test_a_bundle_is_imported_and_exported(tool_client, memory, tmp_path):
    folder = laid(tmp_path / "bundle")

    imported = tool_client("import_memory", path=folder, project_id="shop")
    memory.catch_up()
    found = tool_client.texts(
        "what loads the orders at night?", project_id="shop", kinds=["document"]
    )
    exported = tool_client("export_memory", path="shop", format="okf", project_id="shop")

    assert ("okf", 4) == (imported["format"], imported["added"]["relations"])
    assert "every night" in found[0]
    assert documents(folder) == documents(exported["path"])
    assert "not empty" in tool_client.refusal(
        "export_memory", path="shop", format="okf", project_id="shop"
    )
