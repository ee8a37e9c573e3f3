"""Export and import as a client sees them."""

from __future__ import annotations

import json

from okf_bundle import documents, laid

GRAPH = (
    {"type": "entity", "name": "Ann", "entityType": "person", "observations": ["drinks green tea"]},
    {"type": "entity", "name": "Kyoto", "entityType": "city", "observations": ["has old gardens"]},
    {"type": "relation", "from": "Ann", "to": "Kyoto", "relationType": "lives in"},
)


def test_what_another_server_remembered_is_found_here(door, memory):
    """
    The file of a knowledge-graph server is imported, searched, and taken back.
    """
    path = memory.db.path.with_name("memory.json")
    path.write_text("".join(json.dumps(line) + "\n" for line in GRAPH))

    imported = door("import_memory", path=str(path))
    memory.catch_up()
    found = door.texts("what does she drink?", kinds=["observation"])
    relations = door("get_hologram", node_id="ann")["relations"]
    door("undo", batch_id=imported["batch_id"])

    assert {"entities": 2, "observations": 2, "relations": 1} == imported["added"]
    assert "drinks green tea" == found[0]
    assert ["LOCATED_IN"] == [relation["relationship_type"] for relation in relations]
    assert 0 == door("list_entities")["total"]


def test_an_export_brings_a_cleared_memory_back(door, memory):
    """
    Out to a file, erased, and in again: found as before.
    """
    door("create_entity", name="Orders", node_type="service", observations=["retries thrice"])
    exported = door("export_memory", path="mine.jsonl")
    door("clear_memory", confirm="default")
    assert [] == door.texts("retries")

    imported = door("import_memory", path="mine.jsonl")

    assert {"entities": 1, "observations": 1} == imported["added"]
    assert exported["path"] == imported["path"]
    assert "retries thrice" == door.texts("retries")[0]


def test_refusals_name_the_way_out(door, tmp_path):
    """
    A place outside the allowed folders, another kind of file, a name that is taken.
    """
    (tmp_path / "notes.jsonl").write_text("mine\n")

    assert "outside the folders" in door.refusal("import_memory", path="/dev/zero")
    assert "outside the folders" in door.refusal("export_memory", path="/etc/memory.jsonl")
    assert "Choose another name" in door.refusal(
        "export_memory", path=str(tmp_path / "notes.jsonl")
    )
    assert "Nothing was imported" in door.refusal(
        "import_memory", path=str(tmp_path / "notes.jsonl")
    )


def test_a_folder_of_linked_documents_comes_in_and_goes_out(door, memory, tmp_path):
    """
    A bundle of the Open Knowledge Format is recognised, searched, and written again.
    """
    folder = laid(tmp_path / "bundle")

    imported = door("import_memory", path=folder, project_id="shop")
    memory.catch_up()
    found = door.texts("what loads the orders at night?", project_id="shop", kinds=["document"])
    exported = door("export_memory", path="shop", format="okf", project_id="shop")

    assert ("okf", 4) == (imported["format"], imported["added"]["relations"])
    assert "every night" in found[0]
    assert documents(folder) == documents(exported["path"])
    assert "not empty" in door.refusal(
        "export_memory", path="shop", format="okf", project_id="shop"
    )
