"""A memory as a file, and back."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest
from exchange import carried, header, jsonl, names, opened, place, whys
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support import HandClock
from tables import rows

from memory_core import MemoryCoreError, ValidationError
from memory_core.model.scope import ALL_USERS, Scope
from memory_core.services.import_export import importer

TAGS = ["one", "two", "three", "four", "five"]


@pytest.fixture
def other(tmp_path, clock):
    """An empty memory in another folder."""
    folder = tmp_path / "other"
    folder.mkdir()
    memory = opened(folder, clock, "other")
    yield memory
    memory.close()


def fill(memory):
    """Write something of every kind, in two projects, some of it odd."""
    memory.graph.create_entity(
        "Zoë \u200d\U0001f469", "person", properties={"é": ["\u2028", 1.5, None]}, aliases=["Z"]
    )
    memory.graph.create_entity("Tea", "topic", observations=["日本語のお茶", 'says "hi"\n\ttwice'])
    memory.relations.create_relation(
        "tea", "Z", "RELATED_TO", properties={"b": 1, "a": 2}, weight=0.1
    )
    fact = memory.observations.add_observation("tea", "is hot").observation
    memory.observations.supersede_observation(fact.id, "is cold")
    memory.graph.create_entity("Tea", "topic", project_id="p2")
    memory.lifecycle.archive_entities("tea", project_id="p2")
    memory.knowledge.add_document("Guide", "Boil water.\n\n" * 300)
    memory.bottles.create_bottle("drink it", priority="urgent")
    memory.entries.write_entry(
        "Tea is served.", TAGS, category="other", context_text="At four.\n" * 40
    )
    memory.entries.write_entry(
        "Tea is for Ann.", TAGS, category="other", scope=Scope(user_id="ann", session_id="s1")
    )


def test_export_import_restores_the_same_rows(memory, other):
    fill(memory)

    exported = memory.interchange.export_project("all.jsonl")
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
        "bottle": lambda: memory.bottles.create_bottle(text, recipient=name),
        "document": lambda: memory.knowledge.add_document(name, text),
        "entry": lambda: memory.entries.write_entry(
            name, TAGS, category="other", context_text=text, metadata={name: text}
        ),
        "relate": lambda: memory.relations.create_relation(
            memory.graph.create_entity(name, "person").entity.id,
            memory.graph.create_entity(text[:9], "topic").entity.id,
            "RELATED_TO",
        ),
    }[kind]()


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(acts, max_size=8))
def test_any_memory_round_trips_through_a_file(steps):
    clock = HandClock()
    with tempfile.TemporaryDirectory() as here, tempfile.TemporaryDirectory() as there:
        memory, copy = opened(here, clock, "a"), opened(there, clock, "b")
        for step in steps:
            with suppress(MemoryCoreError):
                act(memory, *step)
        imported = copy.interchange.import_file(
            carried(memory.interchange.export_project("x.jsonl"), copy)
        )
        before, after = rows(memory), rows(copy)
        again = copy.interchange.import_file(imported.path)
        memory.close()
        copy.close()

    assert [] == imported.refused
    assert before == after
    assert ({}, "", imported.added) == (again.added, again.batch_id, again.already_there)


def test_exports_are_deterministic(memory):
    fill(memory)

    first, second = (
        memory.interchange.export_project("a.jsonl"),
        memory.interchange.export_project("b.jsonl"),
    )

    content = Path(first.path).read_bytes()
    assert content == Path(second.path).read_bytes()
    assert hashlib.sha256(content).hexdigest() == first.sha256
    assert len(content) == first.size_bytes
    assert 0o600 == os.stat(first.path).st_mode & 0o777


def test_differing_rows_are_reported_and_unchanged(memory, other):
    fill(memory)
    path = carried(memory.interchange.export_project("a.jsonl"), other)
    other.interchange.import_file(path)
    other.graph.update_entity("tea", name="Coffee")

    imported = other.interchange.import_file(path)

    assert ["another entity has this id"] == whys(imported)
    assert "Coffee" in names(other)
    assert {} == imported.added


def test_conflicting_rows_are_skipped_with_their_dependents(memory, other):
    memory.graph.create_entity("Tea", "topic", observations=["is hot"])
    other.graph.create_entity("Tea", "topic")

    imported = other.interchange.import_file(
        carried(memory.interchange.export_project("a.jsonl"), other)
    )

    assert 2 == imported.refused_count
    assert "has its place" in whys(imported)[0]
    assert "its entity is not there" == whys(imported)[1]


def test_import_is_reverted_by_one_undo(memory, other, monkeypatch):
    monkeypatch.setattr(importer, "ROWS", 3)
    fill(memory)
    other.graph.create_entity("Kept", "topic")
    before = rows(other)

    imported = other.interchange.import_file(
        carried(memory.interchange.export_project("a.jsonl"), other)
    )
    undone = other.undo.undo(imported.batch_id, project_id="*", user_id=ALL_USERS)

    assert 0 == undone.left_alone_count
    assert before == rows(other)


def test_a_project_is_exported_and_imported_under_another_name(memory, other):
    fill(memory)

    exported = memory.interchange.export_project("a.jsonl", project_id="p2")
    other.interchange.import_file(carried(exported, other), project_id="mine")

    (entity,) = other.graph.list_entities(project_id="mine", status="all").entities
    assert ("Tea", "archived") == (entity.name, entity.status)


def test_tampered_rows_are_rejected_or_corrected(memory):
    memory.graph.create_entity("Tea", "topic", observations=["is hot"])
    exported = memory.interchange.export_project("a.jsonl")
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
            twisted(7, entity_id="missing"),
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


def test_truncated_export_is_reported(memory, other):
    fill(memory)
    exported = memory.interchange.export_project("a.jsonl")
    content = Path(exported.path).read_bytes()
    path = place(other, "half.jsonl", content[: len(content) // 2])

    imported = other.interchange.import_file(path)

    assert "cut off" in imported.notice
    assert "JSON" in whys(imported)[-1]


def test_a_file_of_a_newer_version_is_refused(memory):
    path = place(memory, "new.jsonl", jsonl({**header(), "version": 2}))

    with pytest.raises(ValidationError, match="newer version"):
        memory.interchange.import_file(path)


def test_own_database_files_are_imported_like_exports(memory, other):
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
