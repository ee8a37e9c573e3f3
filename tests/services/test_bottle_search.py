"""Bottles as search results."""

from __future__ import annotations

from datetime import timedelta

import apsw
import pytest
from support import HandClock, HashingEmbedder

from benchmarks.faults.older_file import write_older_file
from memory_core import open_memory


@pytest.fixture
def clock():
    return HandClock()


@pytest.fixture
def memory(tmp_path, clock):
    opened = open_memory(path=tmp_path / "memory.db", embedder=HashingEmbedder(), clock=clock)
    yield opened
    opened.close()


def found(memory, query="deploy the orchid service", **options):
    hits = memory.search.search_memory(query, **options).hits
    return [(hit.kind, hit.id) for hit in hits]


@pytest.fixture
def bottle(memory):
    written = memory.bottles.create_bottle("Remember to deploy the orchid service on Monday")
    memory.catch_up()
    return written.bottle


def test_an_unread_bottle_is_found_by_its_message(memory, bottle):
    (hit,) = memory.search.search_memory("deploy the orchid service").hits

    assert ("bottle", bottle.id, bottle.created_at) == (hit.kind, hit.id, hit.created_at)
    assert "orchid" in hit.passages[0].text
    assert [("bottle", bottle.id)] == found(memory, kinds=["bottle"])
    assert [] == found(memory, kinds=["entity"])
    assert [] == found(memory, project_id="elsewhere")
    assert [("bottle", bottle.id)] == found(memory, bottle.id)


def test_a_read_bottle_is_found_only_with_archived_records(memory, bottle):
    memory.bottles.acknowledge_bottles(bottle.id)

    assert [] == found(memory)
    assert [("bottle", bottle.id)] == found(memory, include_archived=True)


def test_an_expired_bottle_is_not_found(memory, clock):
    later = clock() + timedelta(hours=1)
    memory.bottles.create_bottle("deploy the orchid service", expires_at=later)
    memory.catch_up()
    before = found(memory)
    clock.advance(seconds=7_200)

    assert 1 == len(before)
    assert [] == found(memory)


def test_bottles_of_an_older_file_are_found(tmp_path):
    path = tmp_path / "older.db"
    write_older_file(path, 8)
    connection = apsw.Connection(str(path))
    connection.execute(
        "insert into bottles (id, project_id, message, priority, author, created_at)"
        " values ('b1', 'default', 'deploy the orchid service', 1, 'x',"
        " '2026-01-01T00:00:00.000000Z')"
    )
    connection.close()
    memory = open_memory(path=path, embedder=HashingEmbedder(), clock=HandClock())
    memory.catch_up()

    assert ("bottle", "b1") in found(memory)
    memory.close()
