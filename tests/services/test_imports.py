from __future__ import annotations

import json
import sqlite3

import pytest
from exchange import GRAPH, jsonl, names, place, whys
from tables import rows

from memory_core import ValidationError
from memory_core.services.import_export import importer


def check_graph(memory, imported):
    assert {"entities": 3, "observations": 3, "relations": 3} == imported.added
    found = memory.exploration.hologram("ann")
    types = {node.entity.id: node.entity.node_type for node in found.nodes}
    assert {"ann": "person", "bob": "person", "tea": "concept"} == types
    edges = {edge.relationship_type: edge.properties for edge in found.relations}
    assert {
        "KNOWS": {},
        "ADORES": {"original_types": ["adores"]},
        "BREWS_AT_DAWN": {"original_types": ["brews at dawn"]},
    } == edges
    assert {
        "infusion -> concept": 1,
        "brews at dawn -> BREWS_AT_DAWN": 1,
        "adores -> ADORES": 1,
    } == imported.mapped


def test_knowledge_graph_server_files_are_imported(memory):
    imported = memory.interchange.import_file(place(memory, "memory.json", jsonl(*GRAPH)))

    assert "mcp" == imported.format
    check_graph(memory, imported)


def test_a_graph_as_one_json_text_is_imported(memory):
    graph = {
        "entities": [part for part in GRAPH if part["type"] == "entity"],
        "relations": [part for part in GRAPH if part["type"] == "relation"],
    }

    imported = memory.interchange.import_file(
        place(memory, "graph.json", json.dumps(graph, indent=2))
    )

    check_graph(memory, imported)


def test_graph_import_is_idempotent(memory):
    path = place(memory, "memory.json", jsonl(*GRAPH))
    first = memory.interchange.import_file(path)
    before = rows(memory)

    second = memory.interchange.import_file(path)

    assert first.added == second.already_there
    assert ({}, "") == (second.added, second.batch_id)
    assert before == rows(memory)


def test_graph_import_is_reverted_by_one_undo(memory):
    memory.graph.create_entity("Ann", "person", observations=["was here"])
    before = rows(memory)

    imported = memory.interchange.import_file(place(memory, "memory.json", jsonl(*GRAPH)))
    memory.undo.undo(imported.batch_id)

    assert before == rows(memory)


def test_bad_lines_are_named_by_number_and_skipped(memory):
    content = (
        jsonl(GRAPH[2])
        + '{"type":"entity","name":"Cut","entityType":"person","observ\n'
        + '{"type":"entity","name":"Nan","entityType":"person","observations":[NaN]}\n'
        + '{"type":"entity","name":"Big","entityType":"person","observations":[1e999]}\n'
        + "\n"
        + jsonl({"type": "entity", "name": "Half", "entityType": "x", "observations": ["a", 7]})
        + jsonl({"type": "relation", "from": "Ann", "to": "Missing", "relationType": "knows"})
        + "[" * 100_000
        + "\n"
        + jsonl(GRAPH[5])
    )

    imported = memory.interchange.import_file(place(memory, "memory.json", content))

    assert ["Ann", "Bob", "Half"] == names(memory)
    assert {f"line {n}" for n in (2, 3, 4, 6, 7, 8)} == {each.where for each in imported.refused}
    assert 6 == imported.refused_count


def test_properties_that_differ_are_kept_as_stored_and_named(memory):
    lines = [
        {"type": "entity", "name": "Mercury", "entityType": "planetoid"},
        {"type": "entity", "name": "Mercury", "entityType": "element 80"},
    ]

    imported = memory.interchange.import_file(place(memory, "memory.json", jsonl(*lines)))

    assert [("line 2", "what is stored differs and was kept: original_type")] == [
        (each.where, each.why) for each in imported.refused
    ]
    assert {"original_type": "planetoid"} == memory.graph.get_entity("mercury").entity.properties


@pytest.mark.parametrize("word", ["admires", "brews @ dawn", "is.mentor/of", "知る", "connects to"])
def test_an_unknown_relation_type_keeps_its_direction_and_word(memory, word):
    people = [{"type": "entity", "name": n, "entityType": "person"} for n in ("Zoe", "Adam")]
    link = {"type": "relation", "from": "Adam", "to": "Zoe", "relationType": word}
    path = place(memory, "memory.json", jsonl(*people, link))

    memory.interchange.import_file(path)
    again = memory.interchange.import_file(path)

    (edge,) = memory.exploration.hologram("zoe").relations
    assert ("adam", "zoe") == (edge.from_node_id, edge.to_node_id)
    assert {"original_types": [word]} == edge.properties
    assert ({}, "") == (again.added, again.batch_id)
    assert memory.relations.delete_relation("adam", "zoe", edge.relationship_type).deleted


def test_both_directions_of_an_unknown_type_are_two_relations(memory):
    lines = [{"type": "entity", "name": n, "entityType": "person"} for n in ("Zoe", "Adam")]
    lines += [
        {"type": "relation", "from": a, "to": b, "relationType": "mentors"}
        for a, b in (("Zoe", "Adam"), ("Adam", "Zoe"))
    ]

    imported = memory.interchange.import_file(place(memory, "memory.json", jsonl(*lines)))

    assert 2 == imported.added["relations"]


def test_unknown_fields_become_properties_dates_or_are_reported(memory):
    lines = [
        {
            "name": "Zoe",
            "entityType": "person",
            "createdAt": "2024-01-02",
            "mood": {"a": [1]},
            "observations": [{"content": "likes tea", "timestamp": "2024-05-06", "rank": 3}],
        },
        {"name": "Adam", "type": "person", "observations": []},
        {"from": "Zoe", "to": "Adam", "relationType": "knows", "weight": 6, "since": "2020"},
    ]

    imported = memory.interchange.import_file(place(memory, "memory.jsonl", jsonl(*lines)))

    found = memory.exploration.hologram("zoe")
    zoe = next(node for node in found.nodes if node.entity.id == "zoe")
    assert {"createdAt": "2024-01-02", "mood": {"a": [1]}} == zoe.entity.properties
    assert "2024-05-06" == zoe.observations[0].occurred_at.date().isoformat()
    assert (6, {"since": "2020"}) == (found.relations[0].weight, found.relations[0].properties)
    assert ["the field 'rank' of an observation was left out"] == whys(imported)


@pytest.mark.parametrize("first", ['{"type": "entity", "name": "X"', "# notes", "[1", '{"a": 1}'])
def test_a_broken_first_line_costs_that_line_only(memory, first):
    imported = memory.interchange.import_file(
        place(memory, "memory.jsonl", first + "\n" + jsonl(*GRAPH))
    )

    assert 3 == imported.added["entities"]
    assert ["line 1"] == [each.where for each in imported.refused]


def test_faults_within_an_entity_cost_only_themselves(memory):
    lines = [
        {"type": "entity", "name": "Ann", "entityType": "person", "observations": ["a", " ", "b"]},
        {"type": "relation", "from": "Ann", "to": "Ann", "relationType": "knows"},
    ]

    imported = memory.interchange.import_file(place(memory, "memory.jsonl", jsonl(*lines)))

    assert {"entities": 1, "observations": 2} == imported.added
    assert ["line 1", "line 2"] == [each.where for each in imported.refused]


def test_one_large_entity_takes_several_short_transactions(memory, monkeypatch):
    monkeypatch.setattr(importer, "ROWS", 3)
    before, transactions = rows(memory), []
    memory.db.after_write.append(lambda: transactions.append(1))
    facts = [f"fact {number}" for number in range(10)]
    line = {"type": "entity", "name": "Ann", "entityType": "person", "observations": facts}

    imported = memory.interchange.import_file(place(memory, "memory.jsonl", jsonl(line)))
    count = len(transactions)
    memory.undo.undo(imported.batch_id)

    assert 10 == imported.added["observations"] and 4 <= count
    assert before == rows(memory)


def test_an_export_without_its_header_comes_in(memory):
    exported = memory.interchange.export_project("all.jsonl", project_id="other")
    row = {"id": "b1", "project_id": "p", "message": "hi", "priority": 1, "author": "me"}
    line = {"table": "bottles", "row": {**row, "created_at": "2024-01-02T00:00:00Z"}}

    imported = memory.interchange.import_file(place(memory, "cut.jsonl", jsonl(line)))

    assert exported.rows and {"bottles": 1} == imported.added
    assert "header" in imported.notice


def sqlite(memory, script, name="theirs.db", *, keep=False):
    path = memory.db.path.with_name(name)
    connection = sqlite3.connect(path)
    connection.executescript(script)
    connection.commit()
    if not keep:
        connection.close()
    return path, connection


THEIRS = """
create table nodes (id integer primary key, name text, type text, props text, colour text);
create table facts (node_id integer, content text);
create table edges (source integer, target integer, label text);
create table unrelated (x);
insert into nodes values (1, 'Ann', 'person', '{"age": 30}', 'red'), (2, 'Acme', 'company', '', '');
insert into nodes values (3, null, 'person', '', ''), (4, '', 'person', '', '');
insert into facts values (1, 'likes tea'), (2, 'makes anvils'), (9, 'lost'), (1, x'00ff');
insert into edges values (1, 2, 'works at'), (2, 1, 'rules over');
"""


def test_graph_tables_of_other_programs_are_imported(memory):
    path, _ = sqlite(memory, THEIRS)

    imported = memory.interchange.import_file(str(path))

    assert "sqlite" == imported.format
    assert {"entities": 4, "observations": 2, "relations": 2} == imported.added
    assert ["nodes.colour", "unrelated"] == imported.not_recognised
    ann = memory.graph.get_entity("ann").entity
    assert ("person", {"age": 30}) == (ann.node_type, ann.properties)
    assert {"facts, row 3", "facts, row 4"} == {each.where for each in imported.refused}


def test_memories_of_another_program_become_entries_and_facts(memory):
    path, _ = sqlite(
        memory,
        """
        create table memories (id text, content text, tags text, user_id text, created_at text);
        insert into memories values
            ('1', 'Tea is hot.', '["a", "b", "c", "d", "e"]', '', '2020-01-01T00:00:00Z'),
            ('2', 'Ann drinks it.', 'x, y', 'ann', 'long ago'), ('3', '', '', '', '');
        """,
    )

    imported = memory.interchange.import_file(str(path))
    again = memory.interchange.import_file(str(path))

    assert {"entries": 2} == imported.added == again.already_there
    assert {} == again.added
    found = {row["summary"]: row for row in rows(memory)["entries"]}
    assert ("entry", "2020-01-01T00:00:00.000000Z") == (
        found["Tea is hot."]["form"],
        found["Tea is hot."]["created_at"],
    )
    assert ("fact", "ann", '["x", "y"]') == (
        found["Ann drinks it."]["form"],
        found["Ann drinks it."]["user_id"],
        found["Ann drinks it."]["tags"],
    )


@pytest.mark.parametrize("mode", ["wal", "delete"])
def test_foreign_files_are_not_modified(memory, mode):
    path, connection = sqlite(memory, f"pragma journal_mode = {mode}; {THEIRS}", keep=True)
    before = {file.name: file.read_bytes() for file in path.parent.glob("theirs*")}
    times = {file.name: file.stat().st_mtime_ns for file in path.parent.glob("theirs*")}

    imported = memory.interchange.import_file(str(path))

    assert before == {file.name: file.read_bytes() for file in path.parent.glob("theirs*")}
    assert times == {file.name: file.stat().st_mtime_ns for file in path.parent.glob("theirs*")}
    assert 4 == imported.added["entities"]
    connection.close()


def test_unrecognized_tables_are_rejected_by_name(memory):
    path, _ = sqlite(memory, "create table invoices (id integer, total real);")

    with pytest.raises(ValidationError, match="invoices"):
        memory.interchange.import_file(str(path))


def test_malicious_schemas_are_read_only_as_plain_tables(memory):
    path, _ = sqlite(
        memory,
        """
        create table entities (id text, name text, type text);
        insert into entities values ('1', 'Ann', 'person');
        create view observations as select '1' as entity_id, 'from a view' as content;
        create virtual table relations using fts5 (from_id, to_id, type);
        """,
    )

    imported = memory.interchange.import_file(str(path))

    assert {"entities": 1} == imported.added


def test_a_damaged_file_is_refused(memory):
    path, _ = sqlite(memory, THEIRS)
    content = bytearray(path.read_bytes())
    content[200:] = b"\xff" * (len(content) - 200)
    path.write_bytes(content)

    with pytest.raises(ValidationError, match=r"SQLite|damaged"):
        memory.interchange.import_file(str(path))
    assert [] == names(memory)
