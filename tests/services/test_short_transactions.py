"""Large writes hold the write lock for a short time only, and stay complete or absent."""

from __future__ import annotations

import itertools

import apsw
import pytest
from support import HandClock, HashingEmbedder
from write_volume import WriteVolume

from memory_core import Settings, open_memory
from memory_core.context import as_one_batch
from memory_core.errors import ConflictError, NotFoundError
from memory_core.model.graph.entities import NewObservation
from memory_core.rules import limits
from memory_core.storage.history import audit_log, purge
from memory_core.storage.search import full_text

# With the names of the columns.
CHARACTERS = 2 * limits.WRITE_CHARACTERS
ROWS = 2 * limits.WRITE_ROWS


class Killed(Exception):
    """Stands for the end of the process."""


@pytest.fixture
def memory(tmp_path):
    made = open_memory(
        Settings(memory_data_dir=str(tmp_path), knowledge_max_bytes=20_000_000),
        embedder=HashingEmbedder(),
        clock=HandClock(),
    )
    yield made
    made.close()


@pytest.fixture
def volume(memory):
    return WriteVolume(memory.db)


def long_text(word="word", characters=600_000):
    lines = (f"{word}{number} stands in line {number}.\n" for number in itertools.count())
    text = ""
    parts = []
    size = 0
    for line in lines:
        parts.append(line)
        size += len(line)
        if size > characters:
            text = "".join(parts)
            break
    return text


def kill_after(memory, writes):
    """Let *writes* more transactions commit, and end the next one."""
    left = itertools.count(writes, -1)

    def check():
        if next(left) <= 0:
            raise Killed

    memory.db.after_write.append(check)
    return check


def found(memory, query):
    return memory.search.search_memory(query, kinds=["document"]).hits


def total_chunks(memory):
    with memory.db.read() as connection:
        return int(connection.execute("select count(*) from chunks").get)


def test_each_step_of_a_large_document_is_short(memory, volume):
    volume.start()

    added = memory.knowledge.add_document("Long", long_text())
    replaced = memory.knowledge.add_document("Long", long_text("other"))
    deleted = memory.knowledge.delete_document("Long")

    assert ("added", "replaced") == (added.status, replaced.status)
    assert replaced.document.chunk_count == deleted.chunks
    assert volume.most_characters < CHARACTERS
    assert volume.most_rows < ROWS
    assert 0 == total_chunks(memory)


def test_a_large_document_is_split_before_the_lock_is_taken(memory, monkeypatch):
    split = full_text.split_passages
    other = apsw.Connection(str(memory.db.path))
    attempts = []

    def split_and_lock(text):
        # Raises BusyError while the write lock is held.
        other.execute("begin immediate").fetchall()
        other.execute("rollback").fetchall()
        attempts.append(text)
        return split(text)

    monkeypatch.setattr(full_text, "split_passages", split_and_lock)
    memory.knowledge.add_document("Long", long_text())

    other.close()
    assert attempts


def test_a_replaced_large_document_keeps_its_id_and_is_found(memory):
    first = memory.knowledge.add_document("Long", long_text("apple"))
    second = memory.knowledge.add_document("long", long_text("pear"))
    small = memory.knowledge.add_document("Long", "plum")

    assert first.document.id == second.document.id == small.document.id
    assert "plum" == memory.knowledge.document_text("Long")
    assert 1 == total_chunks(memory)
    assert found(memory, "plum")
    assert ["plum"] == [hit.passages[0].text for hit in found(memory, "apple7 apple8")]


@pytest.mark.parametrize("writes", [0, 1, 2, 3])
def test_a_killed_first_write_leaves_no_document(memory, writes):
    check = kill_after(memory, writes)
    with pytest.raises(Killed):
        memory.knowledge.add_document("Long", long_text("apple"))
    memory.db.after_write.remove(check)

    if memory.knowledge.list_documents().total:
        assert long_text("apple") == memory.knowledge.document_text("Long")
        return
    with pytest.raises(NotFoundError):
        memory.knowledge.document_text("Long")
    assert not found(memory, "apple7")

    again = memory.knowledge.add_document("Long", long_text("apple"))

    assert "added" == again.status
    assert long_text("apple") == memory.knowledge.document_text("Long")
    assert again.document.chunk_count == total_chunks(memory)


@pytest.mark.parametrize("writes", [0, 1, 2, 3, 4])
def test_a_killed_replacement_leaves_the_old_text_or_the_new(memory, writes):
    memory.knowledge.add_document("Long", long_text("apple"))
    check = kill_after(memory, writes)
    with pytest.raises(Killed):
        memory.knowledge.add_document("Long", long_text("pear"))
    memory.db.after_write.remove(check)

    text = memory.knowledge.document_text("Long")
    assert text in (long_text("apple"), long_text("pear"))
    other = "pear7" if text.startswith("apple") else "apple7"
    assert not any(other in hit.passages[0].text for hit in found(memory, other))


@pytest.mark.parametrize("writes", [0, 1])
def test_a_killed_deletion_leaves_no_part_of_a_document(memory, writes):
    memory.knowledge.add_document("Long", long_text("apple"))
    check = kill_after(memory, writes)
    with pytest.raises(Killed):
        memory.knowledge.delete_document("Long")
    memory.db.after_write.remove(check)

    assert 0 == memory.knowledge.list_documents().total
    assert not found(memory, "apple7")


def test_what_a_killed_write_leaves_is_deleted_an_hour_later(memory):
    check = kill_after(memory, 1)
    with pytest.raises(Killed):
        memory.knowledge.add_document("Long", long_text("apple"))
    memory.db.after_write.remove(check)

    memory.knowledge.sweep_documents()
    assert total_chunks(memory)
    memory.db.clock.advance(hours=2)
    memory.knowledge.sweep_documents()

    assert 0 == total_chunks(memory)


def test_the_second_of_two_writers_of_a_large_document_wins(memory):
    def interrupt():
        memory.db.after_write.remove(interrupt)
        memory.knowledge.add_document("Long", long_text("pear"))

    memory.db.after_write.append(interrupt)
    with pytest.raises(ConflictError, match="at the same time"):
        memory.knowledge.add_document("Long", long_text("apple"))

    assert long_text("pear") == memory.knowledge.document_text("Long")


def test_one_undo_reverts_a_large_replacement(memory):
    memory.knowledge.add_document("Long", long_text("apple"))
    memory.knowledge.add_document("Long", long_text("pear"))

    with memory.db.read() as connection:
        (newest,) = audit_log.recent(connection, "default", limit=1)
    memory.undo.undo(newest.batch_id)

    assert long_text("apple") == memory.knowledge.document_text("Long")


def large_entity(memory, name, rows=3 * limits.WRITE_ROWS):
    entity = memory.graph.create_entity(name, "concept").entity
    for first in range(0, rows, 1000):
        numbers = range(first, min(first + 1000, rows))
        memory.observations.add_observations(
            [NewObservation(entity_id=entity.id, content=f"{name} fact {n}") for n in numbers]
        )
    return entity.id


def counted(memory, table):
    with memory.db.read() as connection:
        return int(connection.execute(f"select count(*) from {table}").get)


def test_each_step_of_many_observations_is_short(memory, volume):
    entity = memory.graph.create_entity("Notes", "concept").entity
    volume.start()

    written = memory.observations.add_observations(
        [NewObservation(entity_id=entity.id, content=f"{n} {'x ' * 2000}") for n in range(1000)]
    )

    assert 1000 == written.added
    assert volume.most_characters < CHARACTERS
    assert volume.most_rows < ROWS


def test_one_refused_observation_refuses_all_of_them(memory):
    memory.graph.create_entity("Notes", "concept")
    news = [NewObservation(entity_id="notes", content=f"fact {n}") for n in range(999)]

    with pytest.raises(NotFoundError):
        memory.observations.add_observations(
            [*news, NewObservation(entity_id="missing", content="fact")]
        )

    assert 0 == counted(memory, "observations")


def test_each_step_of_a_large_merge_is_short(memory, volume):
    keep, other = large_entity(memory, "Ann", 1), large_entity(memory, "Bob")
    volume.start()

    merged = memory.graph.merge_entities(keep, [other])

    assert 3 * limits.WRITE_ROWS == merged.moved["observations"]
    assert volume.most_rows < ROWS


def test_a_killed_merge_is_completed_by_the_same_call(memory):
    keep, other = large_entity(memory, "Ann", 1), large_entity(memory, "Bob")
    check = kill_after(memory, 1)
    with pytest.raises(Killed):
        memory.graph.merge_entities(keep, [other])
    memory.db.after_write.remove(check)

    memory.graph.merge_entities(keep, [other])

    assert 1 + 3 * limits.WRITE_ROWS == counted(memory, "observations")
    assert 1 == counted(memory, "entities")


def test_each_step_of_a_large_deletion_is_short_and_one_undo_reverts_it(memory, volume):
    entity = large_entity(memory, "Ann")
    volume.start()

    deleted = memory.graph.delete_entity(entity)

    assert 3 * limits.WRITE_ROWS == deleted.deleted["observations"]
    assert volume.most_rows < ROWS
    memory.undo.undo(deleted.batch_id)
    assert 3 * limits.WRITE_ROWS == counted(memory, "observations")


def test_each_step_of_clearing_a_project_is_short(memory, monkeypatch):
    large_entity(memory, "Ann")
    erased = []
    erase = purge.erase

    def watched(connection, rows, **options):
        erased.append(len(rows))
        return erase(connection, rows, **options)

    monkeypatch.setattr(purge, "erase", watched)
    result = memory.upkeep.clear_project("default", backup=False)

    assert 3 * limits.WRITE_ROWS == result.erased["observations"]
    assert max(erased) <= limits.WRITE_ROWS
    assert 0 == counted(memory, "observations")
    assert 1 == counted(memory, "changes")


def test_a_killed_clear_is_completed_by_the_same_call(memory):
    large_entity(memory, "Ann")
    check = kill_after(memory, 1)
    with pytest.raises(Killed):
        memory.upkeep.clear_project("default", backup=False)
    memory.db.after_write.remove(check)

    memory.upkeep.clear_project("default", backup=False)

    assert 0 == counted(memory, "entities")
    assert 1 == counted(memory, "changes")


def crowd(memory, count=1_300):
    """Create entities with relations and facts in one batch; return its id."""
    with as_one_batch("crowd"):
        memory.graph.create_entity("Hub", "service", observations=["The hub is old."])
        for number in range(count // 3):
            memory.graph.create_entity(
                f"Spoke {number}", "service", observations=[f"Fact {number}"]
            )
            memory.relations.create_relation("hub", f"spoke-{number}", "USES")
    return "crowd"


def test_each_step_of_the_undo_of_a_large_batch_is_short(memory, volume):
    batch = crowd(memory)
    preview = memory.undo.undo(batch, dry_run=True)
    volume.start()
    done = memory.undo.undo(batch)

    assert (
        preview.reverted
        == done.reverted
        == {"entities": 434, "observations": 434, "relations": 433}
    )
    assert 2 < len(volume.transactions)
    assert volume.most_rows < ROWS
    assert [] == memory.graph.list_entities().entities

    again = memory.undo.undo(done.batch_id)
    assert done.reverted == again.reverted
    facts = memory.exploration.hologram("hub").nodes[0].observations
    assert facts[0].content.startswith("The hub is old.")


def test_rows_changed_since_are_skipped_in_a_large_undo(memory):
    batch = crowd(memory)
    memory.graph.update_entity("spoke-7", properties={"kept": True})
    preview = memory.undo.undo(batch, dry_run=True)
    done = memory.undo.undo(batch)

    assert {"hub", "spoke-7"} >= {entity.id for entity in memory.graph.list_entities().entities}
    assert 1 == preview.left_alone_count == done.left_alone_count
    assert "changed since" in done.left_alone[0].why


@pytest.mark.parametrize("writes", [0, 1, 2])
def test_a_killed_undo_of_a_large_batch_is_completed_by_the_same_call(memory, writes):
    batch = crowd(memory)
    check = kill_after(memory, writes)
    with pytest.raises(Killed):
        memory.undo.undo(batch)
    memory.db.after_write.remove(check)

    done = memory.undo.undo(batch)

    assert [] == memory.graph.list_entities().entities
    assert 0 == done.left_alone_count


def test_each_step_of_an_entity_with_many_observations_is_short(memory, volume):
    facts = [f"Fact number {number} of the entity" for number in range(1_400)]
    volume.start()
    with as_one_batch("many"):
        written = memory.graph.create_entity("Alpha", "service", observations=facts)

    assert 1_400 == len(written.added)
    assert volume.most_rows < ROWS
    assert {"entities": 1, "observations": 1_400} == memory.undo.undo("many").reverted
