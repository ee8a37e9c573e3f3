"""Whole memories as files."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import sqlite3
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support import HandClock

from memory_core import Conflict, Invalid, MemoryCoreError, NotFound, Refused, open_memory
from memory_core.model.scope import Scope
from memory_core.services.interchange import Interchange, Writers
from memory_core.storage.tracked import TRACKED

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX files")

TAGS = ["one", "two", "three", "four", "five"]


@pytest.fixture
def other(tmp_path, clock):
    """An empty memory in another folder."""
    folder = tmp_path / "other"
    folder.mkdir()
    memory = opened(folder, clock, "other")
    yield memory
    memory.close()


def opened(folder, clock, prefix):
    count = itertools.count(1)
    return open_memory(
        path=Path(folder) / "memory.db", clock=clock, ids=lambda: f"{prefix}{next(count):05}"
    )


def rows(memory):
    """Return every row of every tracked table."""
    with memory.db.read() as connection:
        return {
            tracked.table: connection.execute(
                f"select * from {tracked.table} order by id"
            ).fetchall()
            for tracked in TRACKED
        }


def carried(exported, memory, name="in.jsonl"):
    """Copy an export to where *memory* may read it."""
    path = memory.db.path.with_name(name)
    path.write_bytes(Path(exported.path).read_bytes())
    return str(path)


def place(memory, name, content):
    path = memory.db.path.with_name(name)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return str(path)


def jsonl(*values):
    return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values)


def header(**counts):
    return {"format": "turbovec-memory", "version": 1, "schema": 1, "counts": counts}


def names(memory):
    return sorted(entity.name for entity in memory.graph.list_entities(status="all").entities)


def whys(imported):
    return [each.why for each in imported.refused]


def fill(memory):
    """Write something of every kind, in two projects, some of it odd."""
    memory.graph.create_entity(
        "Zoë \u200d\U0001f469", "person", properties={"é": ["\u2028", 1.5, None]}, aliases=["Z"]
    )
    memory.graph.create_entity("Tea", "topic", observations=["日本語のお茶", 'says "hi"\n\ttwice'])
    memory.relations.create("tea", "Z", "RELATED_TO", properties={"b": 1, "a": 2}, weight=0.1)
    fact = memory.observations.add("tea", "is hot").observation
    memory.observations.supersede(fact.id, "is cold")
    memory.graph.create_entity("Tea", "topic", project_id="p2")
    memory.lifecycle.archive("tea", project_id="p2")
    memory.knowledge.add("Guide", "Boil water.\n\n" * 300)
    memory.bottles.create("drink it", priority="urgent")
    memory.entries.write("Tea is served.", TAGS, category="other", context_text="At four.\n" * 40)
    memory.entries.write(
        "Tea is for Ann.", TAGS, category="other", scope=Scope(user_id="ann", session_id="s1")
    )


def test_an_export_brought_into_an_empty_memory_gives_the_same_rows(memory, other):
    """
    Every column of every tracked table, ids and times included, however odd the text.
    """
    fill(memory)

    exported = memory.interchange.export("all.jsonl")
    imported = other.interchange.import_file(carried(exported, other))

    assert rows(memory) == rows(other)
    assert {kind: n for kind, n in exported.rows.items() if n} == imported.added
    assert ({}, [], "") == (imported.already_there, imported.refused, imported.notice)
    assert ["is cold"] == [
        fact.content
        for fact in other.exploration.hologram("tea").nodes[0].observations
        if fact.content.startswith("is")
    ]


names_given = st.text(st.characters(codec="utf-8"), min_size=1, max_size=12)
texts = st.text(max_size=60)
acts = st.one_of(
    st.tuples(st.just("entity"), names_given, texts),
    st.tuples(st.just("bottle"), names_given, texts),
    st.tuples(st.just("document"), names_given, texts),
    st.tuples(st.just("entry"), names_given, texts),
    st.tuples(st.just("relate"), names_given, texts),
)


def act(memory, kind, name, text):
    {
        "entity": lambda: memory.graph.create_entity(
            name, "person", observations=[text], properties={name: text}
        ),
        "bottle": lambda: memory.bottles.create(text, recipient=name),
        "document": lambda: memory.knowledge.add(name, text),
        "entry": lambda: memory.entries.write(
            name, TAGS, category="other", context_text=text, metadata={name: text}
        ),
        "relate": lambda: memory.relations.create(
            memory.graph.create_entity(name, "person").entity.id,
            memory.graph.create_entity(text[:9], "topic").entity.id,
            "RELATED_TO",
        ),
    }[kind]()


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(acts, max_size=8))
def test_any_memory_comes_through_a_file_as_it_was(steps):
    """
    Whatever was written, in any script, with control characters or half of a surrogate pair.
    """
    clock = HandClock()
    with tempfile.TemporaryDirectory() as here, tempfile.TemporaryDirectory() as there:
        memory, copy = opened(here, clock, "a"), opened(there, clock, "b")
        for step in steps:
            with suppress(MemoryCoreError):
                act(memory, *step)
        imported = copy.interchange.import_file(carried(memory.interchange.export("x.jsonl"), copy))
        before, after = rows(memory), rows(copy)
        again = copy.interchange.import_file(imported.path)
        memory.close()
        copy.close()

    assert [] == imported.refused
    assert before == after
    assert ({}, "", imported.added) == (again.added, again.batch_id, again.already_there)


def test_exports_of_one_state_are_the_same_bytes(memory):
    """
    Nothing in a file depends on chance, and its checksum is that of its bytes.
    """
    fill(memory)

    first, second = memory.interchange.export("a.jsonl"), memory.interchange.export("b.jsonl")

    content = Path(first.path).read_bytes()
    assert content == Path(second.path).read_bytes()
    assert hashlib.sha256(content).hexdigest() == first.sha256
    assert len(content) == first.size_bytes
    assert 0o600 == os.stat(first.path).st_mode & 0o777


def test_what_differs_is_named_and_left_alone(memory, other):
    """
    A row of the same id that says something else stays as it is here.
    """
    fill(memory)
    path = carried(memory.interchange.export("a.jsonl"), other)
    other.interchange.import_file(path)
    other.graph.update_entity("tea", name="Coffee")

    imported = other.interchange.import_file(path)

    assert ["another entity has this id"] == whys(imported)
    assert "Coffee" in names(other)
    assert {} == imported.added


def test_another_row_in_its_place_is_a_conflict_and_takes_what_hangs_on_it_along(memory, other):
    """
    The key is taken by another entity: the row, its facts and relations stay out, each named.
    """
    memory.graph.create_entity("Tea", "topic", observations=["is hot"])
    other.graph.create_entity("Tea", "topic")

    imported = other.interchange.import_file(carried(memory.interchange.export("a.jsonl"), other))

    assert 2 == imported.refused_count
    assert "has its place" in whys(imported)[0]
    assert "its entity is not there" == whys(imported)[1]


def test_an_import_is_taken_back_as_one(memory, other):
    """
    However many transactions it took; what was there before stays.
    """
    fill(memory)
    other.graph.create_entity("Kept", "topic")
    before = rows(other)

    imported = other.interchange.import_file(carried(memory.interchange.export("a.jsonl"), other))
    undone = other.undo.undo(imported.batch_id, project_id="*")

    assert 0 == undone.left_alone_count
    assert before == rows(other)


def test_a_project_alone_goes_out_and_can_come_in_as_another(memory, other):
    """
    One project's rows, under the name the importer gives.
    """
    fill(memory)

    exported = memory.interchange.export("a.jsonl", project_id="p2")
    other.interchange.import_file(carried(exported, other), project_id="mine")

    (entity,) = other.graph.list_entities(project_id="mine", status="all").entities
    assert ("Tea", "archived") == (entity.name, entity.status)


def test_rows_that_were_tampered_with_are_refused_or_put_right(memory):
    """
    A digest or folded name is never believed; a value that no tool would take is refused.
    """
    memory.graph.create_entity("Tea", "topic", observations=["is hot"])
    exported = memory.interchange.export("a.jsonl")
    first, *lines = [json.loads(line) for line in Path(exported.path).read_text().splitlines()]
    fact = next(line for line in lines if line["table"] == "observations")["row"]

    def twisted(number, **changes):
        return {
            "table": "observations",
            "row": {**fact, "id": f"x{number}", "content": f"fact {number}", **changes},
        }

    path = place(
        memory,
        "bad.jsonl",
        jsonl(
            first,
            twisted(1, digest="0" * 32),
            twisted(2, created_at="yesterday"),
            twisted(3, content=" "),
            twisted(4, project_id="*"),
            twisted(5, project_id="elsewhere"),
            twisted(6, status="hidden"),
            twisted(7, entity_id="nobody"),
            twisted(8, secret="column"),
            {"table": "store", "row": {"id": "x"}},
            {"table": "changes", "row": {"id": "x"}},
            ["neither"],
        ),
    )

    imported = memory.interchange.import_file(path)

    assert {"observations": 1} == imported.added
    assert [f"line {n}" for n in range(3, 13)] == sorted(
        (each.where for each in imported.refused), key=lambda where: int(where.split()[1])
    )
    stored = {row["id"]: row["digest"] for row in rows(memory)["observations"]}
    assert hashlib.blake2b(b"fact 1", digest_size=16).hexdigest() == stored["x1"]


def test_a_file_that_was_cut_off_says_so(memory, other):
    """
    Whole lines are taken, half a line is not, and the answer tells what is missing.
    """
    fill(memory)
    exported = memory.interchange.export("a.jsonl")
    content = Path(exported.path).read_bytes()
    path = place(other, "half.jsonl", content[: len(content) // 2])

    imported = other.interchange.import_file(path)

    assert "cut off" in imported.notice
    assert "JSON" in whys(imported)[-1]


def test_a_file_of_a_newer_version_is_refused(memory):
    """
    Before a single row of it is read.
    """
    path = place(memory, "new.jsonl", jsonl({**header(), "version": 2}))

    with pytest.raises(Invalid, match="newer version"):
        memory.interchange.import_file(path)


def test_a_file_of_our_own_database_comes_in_like_an_export(memory, other):
    """
    Also while it is in use, with rows that are still in its log.
    """
    fill(memory)
    path = carried_database(memory, other)

    imported = other.interchange.import_file(path)

    assert "memory" == imported.format
    assert rows(memory) == rows(other)


def carried_database(memory, other):
    target = other.db.path.with_name("theirs.db")
    for end in ("", "-wal"):
        source = memory.db.path.with_name(memory.db.path.name + end)
        target.with_name(target.name + end).write_bytes(source.read_bytes())
    return str(target)


# The reference knowledge-graph server

GRAPH = (
    {"type": "relation", "from": "Ann", "to": "Tea", "relationType": "brews at dawn"},
    {"type": "relation", "from": "Ann", "to": "Tea", "relationType": "adores"},
    {
        "type": "entity",
        "name": "Ann",
        "entityType": "Person",
        "observations": ["likes 茶", "is 30"],
    },
    {"type": "entity", "name": "Tea", "entityType": "infusion", "observations": []},
    {"type": "relation", "from": "Ann", "to": "Bob", "relationType": "knows"},
    {"type": "entity", "name": "Bob", "entityType": "human", "observations": ["is tall"]},
)


def check_graph(memory, imported):
    assert {"entities": 3, "observations": 3, "relations": 2} == imported.added
    found = memory.exploration.hologram("ann")
    types = {node.entity.id: node.entity.node_type for node in found.nodes}
    assert {"ann": "person", "bob": "person", "tea": "concept"} == types
    edges = {edge.relationship_type: edge.properties for edge in found.relations}
    assert {"KNOWS": {}, "RELATED_TO": {"original_types": ["adores", "brews at dawn"]}} == edges
    assert {
        "infusion -> concept": 1,
        "brews at dawn -> RELATED_TO": 1,
        "adores -> RELATED_TO": 1,
    } == imported.mapped


def test_the_file_of_a_knowledge_graph_server_comes_in(memory):
    """
    In whatever order its lines stand; words that are not in the ontology are kept beside.
    """
    imported = memory.interchange.import_file(place(memory, "memory.json", jsonl(*GRAPH)))

    assert "mcp" == imported.format
    check_graph(memory, imported)


def test_a_whole_graph_as_one_text_comes_in_too(memory):
    """
    As read_graph of that server answers, spread over lines or not.
    """
    graph = {
        "entities": [part for part in GRAPH if part["type"] == "entity"],
        "relations": [part for part in GRAPH if part["type"] == "relation"],
    }

    imported = memory.interchange.import_file(
        place(memory, "graph.json", json.dumps(graph, indent=2))
    )

    check_graph(memory, imported)


def test_importing_a_graph_twice_is_as_good_as_once(memory):
    """
    Everything is known the second time, and not a line of the journal is written.
    """
    path = place(memory, "memory.json", jsonl(*GRAPH))
    first = memory.interchange.import_file(path)
    before = rows(memory)

    second = memory.interchange.import_file(path)

    assert first.added == second.already_there
    assert ({}, "") == (second.added, second.batch_id)
    assert before == rows(memory)


def test_an_imported_graph_is_taken_back_as_one(memory):
    """
    Its things, facts and relations are one batch.
    """
    memory.graph.create_entity("Ann", "person", observations=["was here"])
    before = rows(memory)

    imported = memory.interchange.import_file(place(memory, "memory.json", jsonl(*GRAPH)))
    memory.undo.undo(imported.batch_id)

    assert before == rows(memory)


def test_bad_lines_are_named_by_number_and_skipped_whole(memory):
    """
    Of a line with a fault nothing is taken, also not the part before the fault.
    """
    content = (
        jsonl(GRAPH[2])
        + '{"type":"entity","name":"Cut","entityType":"person","observ\n'
        + '{"type":"entity","name":"Nan","entityType":"person","observations":[NaN]}\n'
        + '{"type":"entity","name":"Big","entityType":"person","observations":[1e999]}\n'
        + "\n"
        + jsonl({"type": "entity", "name": "Half", "entityType": "x", "observations": ["a", 7]})
        + jsonl({"type": "relation", "from": "Ann", "to": "Nobody", "relationType": "knows"})
        + "[" * 100_000
        + "\n"
        + jsonl(GRAPH[5])
    )

    imported = memory.interchange.import_file(place(memory, "memory.json", content))

    assert ["Ann", "Bob"] == names(memory)
    assert {f"line {n}" for n in (2, 3, 4, 6, 7, 8)} == {each.where for each in imported.refused}
    assert 6 == imported.refused_count


# Other programs' SQLite files


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


def test_a_graph_in_the_tables_of_another_program_comes_in(memory):
    """
    By the names of tables and columns; what is not understood is listed.
    """
    path, _ = sqlite(memory, THEIRS)

    imported = memory.interchange.import_file(str(path))

    assert "sqlite" == imported.format
    assert {"entities": 4, "observations": 2, "relations": 2} == imported.added
    assert ["nodes.colour", "unrelated"] == imported.not_recognised
    ann = memory.graph.entity("ann").entity
    assert ("person", {"age": 30}) == (ann.node_type, ann.properties)
    assert {"facts, row 3", "facts, row 4"} == {each.where for each in imported.refused}


def test_memories_of_another_program_become_entries_and_facts(memory):
    """
    With five tags and in one sentence it is an entry, otherwise a fact; twice is once.
    """
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
def test_another_programs_file_stays_untouched_byte_for_byte(memory, mode):
    """
    Also its log, while that program has it open; rows that are only in the log come in.
    """
    path, connection = sqlite(memory, f"pragma journal_mode = {mode}; {THEIRS}", keep=True)
    before = {file.name: file.read_bytes() for file in path.parent.glob("theirs*")}
    times = {file.name: file.stat().st_mtime_ns for file in path.parent.glob("theirs*")}

    imported = memory.interchange.import_file(str(path))

    assert before == {file.name: file.read_bytes() for file in path.parent.glob("theirs*")}
    assert times == {file.name: file.stat().st_mtime_ns for file in path.parent.glob("theirs*")}
    assert 4 == imported.added["entities"]
    connection.close()


def test_tables_that_say_nothing_to_us_are_refused_by_name(memory):
    """
    Nothing is guessed: the tables that were found are listed.
    """
    path, _ = sqlite(memory, "create table invoices (id integer, total real);")

    with pytest.raises(Invalid, match="invoices"):
        memory.interchange.import_file(str(path))


def test_a_hostile_schema_is_only_read_where_it_is_plain(memory):
    """
    Views, triggers and virtual tables of another program never run.
    """
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
    """
    Half of it overwritten, and nothing of it is taken.
    """
    path, _ = sqlite(memory, THEIRS)
    content = bytearray(path.read_bytes())
    content[200:] = b"\xff" * (len(content) - 200)
    path.write_bytes(content)

    with pytest.raises(Invalid, match=r"SQLite|damaged"):
        memory.interchange.import_file(str(path))
    assert [] == names(memory)


# What may be read and written


def strict(memory, **caps):
    writers = Writers(memory.graph, memory.observations, memory.relations)
    return Interchange(memory.db, memory._ids, writers, roots=[], **caps)


def test_an_endless_line_is_refused_and_the_next_one_is_read(memory):
    """
    It is never held in memory; the lines around it come in.
    """
    long = {**GRAPH[2], "name": "Long", "observations": ["x" * 5_000]}
    path = place(memory, "memory.json", jsonl(GRAPH[2], long, GRAPH[5]))

    imported = strict(memory, longest_line=1_000).import_file(path)

    assert ["Ann", "Bob"] == names(memory)
    assert [("line 2", "it is longer than 1,000 bytes")] == [
        (each.where, each.why) for each in imported.refused
    ]


def test_a_file_beyond_the_largest_size_is_refused(memory):
    """
    Before it is read.
    """
    path = place(memory, "memory.json", jsonl(*GRAPH))

    with pytest.raises(Refused, match="may have 100"):
        strict(memory, largest=100).import_file(path)


@posix
def test_devices_pipes_and_ways_out_are_refused(memory, tmp_path):
    """
    Only regular files, only under the folders that are allowed, links followed first.
    """
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "zero.jsonl").symlink_to("/dev/zero")
    outside = tmp_path.parent / f"{tmp_path.name}-outside.jsonl"
    outside.write_text(jsonl(*GRAPH))
    (tmp_path / "link.jsonl").symlink_to(outside)
    mine = strict(memory)

    for name in ("pipe.jsonl", "zero.jsonl", "link.jsonl"):
        with pytest.raises(Refused):
            mine.import_file(str(tmp_path / name))
        with pytest.raises(Refused):
            mine.export(str(tmp_path / name))
    with pytest.raises(Refused):
        mine.import_file("/dev/zero")
    assert jsonl(*GRAPH) == outside.read_text()


def test_an_export_replaces_an_export_and_nothing_else(memory, tmp_path):
    """
    Another file is never overwritten, and the memory's own files least of all.
    """
    first = memory.interchange.export("a.jsonl")
    memory.graph.create_entity("Tea", "topic")
    (tmp_path / "notes.jsonl").write_text("mine\n")

    second = memory.interchange.export(first.path)

    assert first.path == second.path and first.sha256 != second.sha256
    with pytest.raises(Conflict, match="no export"):
        memory.interchange.export(str(tmp_path / "notes.jsonl"))
    with pytest.raises(Invalid, match=r"end in \.jsonl"):
        memory.interchange.export(str(memory.db.path))
    with pytest.raises(Invalid, match="no folder"):
        memory.interchange.export(str(tmp_path / "nowhere" / "a.jsonl"))
    assert "mine\n" == (tmp_path / "notes.jsonl").read_text()
    assert [] == list(tmp_path.rglob("*.part"))


@pytest.mark.parametrize(
    "content", ["", "\n\n", "hello", "{}", '{"type": "x"}', "[1, 2]", "\0" * 99]
)
def test_what_is_of_no_known_kind_is_refused_with_those_there_are(memory, content):
    """
    No row is made from a guess.
    """
    with pytest.raises(Invalid, match="knowledge-graph"):
        memory.interchange.import_file(place(memory, "x.txt", content))


def test_a_missing_file_and_a_wrong_format_are_named(memory):
    """
    The way out is in the message.
    """
    path = place(memory, "memory.json", jsonl(*GRAPH))

    with pytest.raises(NotFound):
        memory.interchange.import_file("nothing.jsonl")
    with pytest.raises(Invalid, match="format mcp, not sqlite"):
        memory.interchange.import_file(path, format="sqlite")
    with pytest.raises(Invalid, match="auto"):
        memory.interchange.import_file(path, format="csv")
