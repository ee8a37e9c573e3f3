from __future__ import annotations

import itertools
import threading

import apsw
import pytest
from support import PATIENCE

from memory_core import (
    ForbiddenError,
    MemoryCoreError,
    NotFoundError,
    StorageError,
    ValidationError,
    open_memory,
)
from memory_core.storage import traces
from memory_core.storage.traces import TraceRow

SECRET = "xylophone-passphrase"


def names(memory, **where):
    return [entity.name for entity in memory.graph.list_entities(status="all", **where).entities]


def found(memory, word):
    """Return what full text finds."""
    with memory.db.read() as connection:
        query = "select count(*) from piece_terms where piece_terms match :word"
        return connection.execute(query, {"word": f'"{word}"'}).get


def another(memory):
    """Open the same file as a second process would."""
    return open_memory(path=memory.db.path, clock=memory.db.clock)


def test_backups_are_complete_verified_and_private(memory):
    memory.graph.create_entity("Ann", "person", observations=["likes tea"])

    backup = memory.upkeep.create_backup()

    assert {"entities": 1, "observations": 1} == {
        kind: backup.rows[kind] for kind in ("entities", "observations")
    }
    assert [backup.path] == [str(path) for path in memory.upkeep.list_backups()]
    assert 0o600 == memory.upkeep.list_backups()[0].stat().st_mode & 0o777
    assert [] == list(memory.upkeep.folder.glob("*.part*"))


def test_backup_during_writes_is_one_snapshot(memory):
    under_way, stop = threading.Event(), threading.Event()

    def write():
        for number in itertools.count():
            with memory.db.write("pair") as connection:
                for half in "ab":
                    connection.execute(
                        "insert into documents (id, project_id, title, folded_title, digest, "
                        "characters, chunk_count, created_at, updated_at) values "
                        "(:id, 'p', :id, :id, '', 0, 0, '', '')",
                        {"id": f"{number}{half}"},
                    )
            under_way.set()
            if stop.is_set():
                return

    writer = threading.Thread(target=write)
    writer.start()
    assert under_way.wait(PATIENCE)
    counts = [memory.upkeep.create_backup().rows["documents"] for _ in range(5)]
    stop.set()
    writer.join()

    assert [0] * 5 == [count % 2 for count in counts]
    assert counts[0] > 0
    assert sorted(counts) == counts


def test_old_backups_are_rotated_and_named_ones_kept(memory, clock, tmp_path):
    elsewhere = memory.upkeep.create_backup(str(tmp_path / "mine.db"))
    for _ in range(12):
        clock.advance(hours=1)
        last = memory.upkeep.create_backup()

    assert 10 == len(memory.upkeep.list_backups())
    assert 1 == len(last.dropped)
    assert (tmp_path / "mine.db").exists()
    with pytest.raises(ValidationError, match="exists already"):
        memory.upkeep.create_backup(elsewhere.path)
    with pytest.raises(ValidationError, match="no folder"):
        memory.upkeep.create_backup(str(tmp_path / "nowhere" / "x.db"))


def test_a_restored_backup_reaches_every_open_connection(memory):
    memory.graph.create_entity("Ann", "person")
    backup = memory.upkeep.create_backup("then.db")
    memory.graph.create_entity("Bob", "person", observations=["likes tea"])
    other = another(memory)
    assert ["Ann", "Bob"] == names(other)
    uuid = memory.db.uuid

    restored = memory.upkeep.restore_backup("then.db", confirm="then.db")

    assert backup.path == restored.restored
    assert ["Ann"] == names(other) == names(memory)
    assert 0 == found(other, "tea")
    assert uuid != memory.db.uuid == other.db.uuid
    other.graph.create_entity("Cat", "person", observations=["likes milk"])
    assert 1 == found(memory, "milk")
    kept = restored.replaced.rpartition("/")[2]
    memory.upkeep.restore_backup(restored.replaced, confirm=kept)
    assert ["Ann", "Bob"] == names(other)
    other.close()


def test_a_bad_backup_is_refused_before_anything_is_touched(memory, tmp_path):
    memory.graph.create_entity("Ann", "person")
    backup = memory.upkeep.create_backup("good.db")
    damaged = bytearray((memory.upkeep.folder / "good.db").read_bytes())
    damaged[4096 * 3 : 4096 * 9] = b"\xff" * 4096 * 6
    (tmp_path / "damaged.db").write_bytes(damaged)
    (tmp_path / "text.db").write_text("not a database " * 500)
    foreign = apsw.Connection(str(tmp_path / "foreign.db"))
    foreign.execute("create table t (x)")
    foreign.close()

    for name in ("damaged.db", "text.db", "foreign.db", "missing.db", "\u00e9" * 200):
        with pytest.raises(StorageError):
            memory.upkeep.restore_backup(str(tmp_path / name), confirm=name)
    with pytest.raises(ForbiddenError, match=r"confirm='good.db'"):
        memory.upkeep.restore_backup(backup.path, confirm="yes")
    assert ["Ann"] == names(memory)
    assert ["good.db"] == [path.name for path in memory.upkeep.folder.iterdir()]


def test_invalid_file_names_raise_clear_error(memory):
    with pytest.raises(StorageError, match="no copy was made"):
        memory.upkeep.create_backup("\u00e9" * 200)

    assert [] == list(memory.upkeep.folder.iterdir())


def test_restored_backup_is_not_rotated_away(memory, clock):
    memory.graph.create_entity("Ann", "person")
    oldest = memory.upkeep.create_backup()
    for _ in range(9):
        clock.advance(hours=1)
        memory.upkeep.create_backup()

    memory.upkeep.restore_backup(oldest.path, confirm=oldest.path.rpartition("/")[2])

    assert oldest.path in [str(path) for path in memory.upkeep.list_backups()]


def test_clearing_erases_only_the_project_with_its_history(memory):
    keeping = memory.graph.create_entity(
        "Zoe", "person", project_id="other", observations=["likes coffee"]
    )
    fill(memory)
    with memory.db.note() as connection:
        traces.insert(connection, [trace("default"), trace("other")])

    with pytest.raises(ForbiddenError, match="confirm='default'"):
        memory.upkeep.clear_project()
    cleared = memory.upkeep.clear_project("default", backup=False)

    assert 2 == cleared.erased["entities"]
    assert [] == names(memory)
    assert 0 == found(memory, "tea")
    assert ["Zoe"] == names(memory, project_id="other")
    assert 1 == found(memory, "coffee")
    assert keeping.version == memory.graph.get_entity("zoe", project_id="other").version
    with memory.db.read() as connection:
        queries = connection.execute("select project_id, query from traces order by id").fetchall()
        (line,) = connection.execute(
            "select op, cause, state from changes where project_id = 'default'"
        ).fetchall()
    assert ["", SECRET] == [row["query"] for row in queries]
    assert {"op": "deleted", "cause": "clear_memory", "state": None} == line


def test_rows_to_be_cleared_can_be_counted(memory):
    memory.graph.create_entity("Ann", "person", observations=["likes tea"])
    memory.graph.create_entity("Ben", "person", project_id="other")
    asked = ("default", "other", "*", "nowhere")

    entities = [memory.upkeep.rows_of(project)["entities"] for project in asked]

    assert [1, 1, 2, 0] == entities
    assert 1 == memory.upkeep.rows_of("*")["observations"]


def test_cleared_data_is_removed_from_the_file(memory):
    fill(memory)
    memory.observations.add_observation("ann", f"the word is {SECRET}")
    assert traces_of(memory, SECRET)

    cleared = memory.upkeep.clear_project("*", project_id="*", backup=False)

    assert [] == traces_of(memory, SECRET)
    assert [] == traces_of(memory, "xylophon")
    assert "" == cleared.notice


def test_memory_works_in_all_processes_after_clearing(memory):
    fill(memory)
    other = another(memory)
    names(other)

    cleared = memory.upkeep.clear_project("*", project_id="*")

    assert "before-clear" in cleared.backup and "1 backups" in cleared.notice
    for opened in (other, memory):
        assert [] == names(opened)
        opened.graph.create_entity("Ann", "person", observations=["likes milk"])
        assert 1 == found(memory, "milk")
        gone = opened.graph.delete_entity("ann")
        opened.undo.undo(gone.batch_id)
        assert ["Ann"] == names(opened)
        opened.graph.delete_entity("ann")
    other.close()


def test_sequence_numbers_never_decrease(memory):
    fill(memory)
    before = newest(memory)

    memory.upkeep.purge_rows(["ann"], confirm="default", backup=False)
    purged = newest(memory)
    memory.upkeep.clear_project("default", backup=False)

    assert before < purged < newest(memory)


def test_purge_erases_an_entity_with_its_history_only(memory):
    fill(memory)
    fact = memory.observations.add_observation("ann", f"the word is {SECRET}").observation
    memory.observations.delete_observation(fact.id)
    memory.graph.update_entity("ann", name="Anna Secretname")

    purged = memory.upkeep.purge_rows(["ann", "missing"], confirm="default", backup=False)

    assert {"entities": 1, "observations": 2, "relations": 1} == purged.erased
    assert ["missing"] == purged.unknown
    assert ["Acme"] == names(memory)
    assert [] == traces_of(memory, SECRET) + traces_of(memory, "Secretname")
    with memory.db.read() as connection:
        left = connection.execute("select state from changes where subject_id = 'id00001'")
        assert {None} == {row["state"] for row in left}


def test_deleted_records_can_be_purged(memory):
    fill(memory)
    gone = memory.graph.delete_entity("ann")

    memory.upkeep.purge_rows(["ann"], confirm="default", backup=False)

    assert [] == traces_of(memory, "likes tea")
    with pytest.raises(NotFoundError):
        memory.lifecycle.restore_entity("ann")
    left = memory.undo.undo(gone.batch_id)
    assert {} == left.reverted
    with pytest.raises(NotFoundError, match="No current or deleted record"):
        memory.upkeep.purge_rows(["missing"], confirm="default")
    with pytest.raises(ForbiddenError):
        memory.upkeep.purge_rows(["acme"])


def test_purging_one_fact_leaves_its_entity(memory):
    fill(memory)
    fact = memory.observations.add_observation("ann", f"the word is {SECRET}").observation

    memory.upkeep.purge_rows([fact.id], confirm="default", backup=False)

    assert [] == traces_of(memory, SECRET)
    assert ["likes tea"] == [
        o.content for o in memory.exploration.hologram("ann").nodes[0].observations
    ]


def test_optimize_shrinks_the_file_without_data_loss(memory):
    fill(memory)
    with memory.db.write("bulk") as connection:
        connection.execute("create table ballast (x)")
        connection.execute("insert into ballast values (zeroblob(2000000))")
        connection.execute("drop table ballast")

    done = memory.upkeep.optimize_database()

    assert done.after.file_bytes < 1_000_000 < done.before.free_bytes
    assert (0, 0, "") == (done.after.wal_bytes, done.after.free_bytes, done.notice)
    assert done.before.changes == done.after.changes
    assert 1 == found(memory, "tea")


def test_a_reader_in_another_process_delays_compacting_but_breaks_nothing(memory):
    fill(memory)
    other = another(memory)

    with other.db.read() as connection:
        connection.execute("select * from entities").fetchall()
        memory.graph.create_entity("New", "person")
        done = memory.upkeep.optimize_database()

    assert "when it is idle" in done.notice
    assert "New" in names(other)
    other.close()


def test_clearing_rejects_wrong_project_names(memory):
    fill(memory)

    for wrong in ("", "yes", "*", "Default"):
        with pytest.raises(MemoryCoreError):
            memory.upkeep.clear_project(wrong)
    assert 2 == len(names(memory))


def fill(memory):
    memory.graph.create_entity("Ann", "person", observations=["likes tea"])
    memory.graph.create_entity("Acme", "organization")
    memory.relations.create_relation("ann", "acme", "WORKS_AT")


def trace(project_id):
    return TraceRow("2026", "search_memory", "x", project_id, 1.0, query=SECRET)


def newest(memory):
    with memory.db.read() as connection:
        return connection.execute("select max(seq) from changes").get


def traces_of(memory, text):
    """Return the database files that contain the bytes of *text*."""
    files = memory.db.path.parent.glob(f"{memory.db.path.name}*")
    return [path.name for path in files if text.encode() in path.read_bytes()]


def test_wrong_and_missing_confirmations_are_distinguished(memory):
    memory.graph.create_entity("Ann", "person")

    with pytest.raises(ForbiddenError, match="confirm is 'blog' and not 'default'"):
        memory.upkeep.clear_project("blog")
    with pytest.raises(ForbiddenError, match="Nothing was done: give confirm='default'"):
        memory.upkeep.clear_project()
    assert ["Ann"] == names(memory)
