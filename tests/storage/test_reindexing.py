"""Files that were indexed by older text rules are indexed again, while they are in use."""

from __future__ import annotations

import apsw
import pytest
from support import HandClock, HashingEmbedder

from memory_core import open_memory
from memory_core.storage import database
from memory_core.storage.search import full_text

FACTS = [f"Michał mieszka w domu {number}" for number in range(700)]


def opened(path):
    return open_memory(path=path, embedder=HashingEmbedder(), clock=HandClock())


def lexical_hits(memory, query):
    result = memory.search.search_memory(query, channel_weights={"vector": 0}, limit=100)
    return [hit.text for hit in result.hits if hit.kind == "observation"]


@pytest.fixture
def outdated(tmp_path):
    """Return the path of a file whose rows are indexed by the rules of schema version 6."""
    path = tmp_path / "memory.db"
    memory = opened(path)
    memory.graph.create_entity("Michał", "person", observations=FACTS)
    memory.close()
    connection = apsw.Connection(str(path))
    connection.execute("delete from entity_names where folded like char(1) || '%'")
    rows = connection.execute(
        "select p.id, substr(s.text, p.start + 1, p.length)"
        " from pieces p join searchables s on s.id = p.id >> 24"
    ).fetchall()
    connection.execute("begin; delete from piece_terms")
    connection.executemany(
        "insert into piece_terms (rowid, own, day, context) values (?, ?, '', '')", rows
    )
    connection.execute("update full_text_state set reindexed_to = 0; commit")
    connection.close()
    return path


def test_a_small_file_is_indexed_again_when_it_is_opened(outdated):
    memory = opened(outdated)

    assert 90 < len(lexical_hits(memory, "michal"))
    assert "Michał" == memory.graph.get_entity("Michal").entity.name
    memory.close()


def test_a_large_file_is_indexed_again_in_the_background(outdated, monkeypatch):
    monkeypatch.setattr(database, "_BATCHES_AT_OPEN", 0)
    memory = opened(outdated)
    assert [] == lexical_hits(memory, "michal")

    memory.follower.start()
    memory.follower.nudge()
    memory.catch_up()

    assert 90 < len(lexical_hits(memory, "michal"))
    memory.close()


def test_indexing_continues_where_it_was_interrupted(outdated, monkeypatch):
    monkeypatch.setattr(database, "_BATCHES_AT_OPEN", 1)
    opened(outdated).close()
    memory = opened(outdated)
    with memory.db.read() as connection:
        assert full_text.needs_reindex(connection)
        first_half = connection.execute("select reindexed_to from full_text_state").get
    assert 500 < first_half

    opened(outdated).close()

    with memory.db.read() as connection:
        assert not full_text.needs_reindex(connection)
    assert 90 < len(lexical_hits(memory, "michal"))
    memory.close()


def test_a_batch_that_fails_is_repeated(outdated, monkeypatch):
    monkeypatch.setattr(database, "_BATCHES_AT_OPEN", 0)
    memory = opened(outdated)
    with pytest.raises(RuntimeError), memory.db.note() as connection:
        full_text.reindex_batch(connection)
        raise RuntimeError

    with memory.db.read() as connection:
        assert 0 == connection.execute("select reindexed_to from full_text_state").get
    memory.catch_up()
    assert 90 < len(lexical_hits(memory, "michal"))
    memory.close()


def test_a_file_opens_while_another_process_writes(outdated):
    opened(outdated).close()
    writer = apsw.Connection(str(outdated))
    writer.execute("update full_text_state set reindexed_to = 0; begin immediate")

    memory = opened(outdated)
    writer.execute("rollback")

    assert 90 < len(lexical_hits(memory, "michal"))
    memory.close()


def test_a_new_file_has_nothing_to_index_again(memory):
    with memory.db.read() as connection:
        assert not full_text.needs_reindex(connection)


def test_the_rebuilt_index_equals_the_index_of_the_writes(memory):
    memory.graph.create_entity("Søren", "person", observations=["paid 12,500.00 on 5 March 2024"])
    with memory.db.note() as connection:
        connection.execute("update full_text_state set reindexed_to = 0")

    memory.catch_up()

    with memory.db.write("test") as connection:
        full_text.check(connection)
    assert ["paid 12,500.00 on 5 March 2024"] == lexical_hits(memory, "2024-03-05 12500")


def test_a_search_does_not_wait_for_the_write_lock(memory):
    memory.graph.create_entity("Ann", "person", observations=["likes tea"])
    writer = apsw.Connection(str(memory.db.path))
    writer.execute("begin immediate")

    found = memory.search.search_memory("tea")

    assert ["likes tea"] == [hit.text for hit in found.hits][:1]
    assert found.pending > 0
    assert "have no vector yet" in found.notice
    writer.execute("rollback")
    assert 0 == memory.search.search_memory("tea").pending
