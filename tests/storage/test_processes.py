"""Several processes and threads on one file."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import apsw
import pytest
from support import PATIENCE, HashingEmbedder

from memory_core import (
    ForeignDatabaseError,
    NewerDatabaseError,
    NotInitialisedError,
    Settings,
    StorageError,
    open_memory,
)
from memory_core.storage import schema
from memory_core.storage.database import Database
from memory_core.storage.history import audit_log
from memory_core.storage.search import full_text

HOLD = """
import apsw, sys
connection = apsw.Connection(sys.argv[1])
connection.execute("begin immediate")
print("held", flush=True)
sys.stdin.readline()
connection.execute("commit")
"""


def write_facts(path, writer, count):
    memory = open_memory(path=path, embedder=HashingEmbedder())
    for n in range(count):
        memory.observations.add_observation("ann", f"fact {writer}x{n}")
    memory.close()


@pytest.mark.process
def test_reads_answer_and_a_write_waits_while_another_process_writes(memory):
    memory.graph.create_entity("Ann", "person")
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(memory.db.path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert "held" == holder.stdout.readline().strip()
    written = threading.Event()

    def write():
        memory.observations.add_observation("ann", "waits its turn")
        written.set()

    writer = threading.Thread(target=write)
    writer.start()

    assert "Ann" == memory.graph.get_entity("ann").entity.name
    assert memory.search.search_memory("ann", channel_weights={"vector": 0}).hits
    assert not written.is_set()
    holder.communicate("let go\n", timeout=PATIENCE)
    assert written.wait(PATIENCE)
    writer.join()
    assert ["waits its turn"] == [
        fact.content for fact in memory.exploration.hologram("ann").nodes[0].observations
    ]


@pytest.mark.process
def test_several_processes_open_a_new_file_at_once(tmp_path):
    with ProcessPoolExecutor(4, mp_context=get_context("spawn")) as pool:
        opened = [pool.submit(write_facts, tmp_path / "m.db", n, 0) for n in range(8)]

    assert [None] * 8 == [future.result() for future in opened]


@pytest.mark.process
def test_writes_of_several_processes_are_stored_and_found(memory):
    memory.graph.create_entity("Ann", "person")

    with ProcessPoolExecutor(3, mp_context=get_context("spawn")) as pool:
        writers = [pool.submit(write_facts, memory.db.path, n, 40) for n in range(3)]
        while not all(writer.done() for writer in writers):
            assert_full_text_is_level(memory)

    assert [None] * 3 == [writer.result() for writer in writers]
    assert 120 == assert_full_text_is_level(memory)
    with memory.db.write("check") as connection:
        full_text.check(connection)


def assert_full_text_is_level(memory):
    """Compare rows with pieces in one snapshot; return how many there are."""
    with memory.db.read() as connection:
        rows = connection.execute("select count(*) from observations").get
        pieces = connection.execute(
            "select count(*) from pieces p join searchables s on s.id = p.id >> 24"
            " where s.kind = 'observations'"
        ).get
    assert rows == pieces
    return rows


def test_every_thread_has_its_own_connection(memory):
    memory.graph.create_entity("Ann", "person")
    with ThreadPoolExecutor(8) as pool:
        list(
            pool.map(lambda n: memory.observations.add_observation("ann", f"fact {n}"), range(100))
        )

    with memory.db.read() as connection:
        assert 100 == connection.execute("select count(*) from observations").get


def test_read_blocks_release_their_snapshot(memory):
    with memory.db.read() as connection:
        audit_log.newest(connection)
    assert apsw.SQLITE_TXN_NONE == connection.txn_state()

    with pytest.raises(ZeroDivisionError), memory.db.write("test") as connection:
        raise ZeroDivisionError
    assert apsw.SQLITE_TXN_NONE == connection.txn_state()


def test_every_connection_writes_ahead_and_enforces_foreign_keys(memory):
    def pragmas():
        with memory.db.read() as connection:
            return [
                connection.pragma(name) for name in ("journal_mode", "foreign_keys", "synchronous")
            ]

    with ThreadPoolExecutor(1) as pool:
        assert [["wal", 1, 2]] * 2 == [pragmas(), pool.submit(pragmas).result()]


def test_a_failed_migration_leaves_the_schema_as_it_was(tmp_path, monkeypatch):
    monkeypatch.setattr(schema, "MIGRATIONS", tmp_path)
    monkeypatch.setattr(schema, "TRACKED", ())
    (tmp_path / "0001.sql").write_text("create table a (x); select 1; create table b (y)")
    (tmp_path / "0002.sql").write_text("create table c (z); create nonsense")

    with pytest.raises(apsw.SQLError):
        Database(tmp_path / "memory.db")

    connection = apsw.Connection(str(tmp_path / "memory.db"))
    assert 1 == connection.pragma("user_version")
    assert 2 == connection.execute("select count(*) from sqlite_schema").get
    connection.close()
    (tmp_path / "0002.sql").write_text("create table c (z)")
    assert 2 == newest_of(tmp_path / "memory.db")


def newest_of(path):
    Database(path).close()
    connection = apsw.Connection(str(path))
    try:
        return connection.pragma("user_version")
    finally:
        connection.close()


def test_a_newer_file_is_read_and_not_written(memory):
    memory.graph.create_entity("Ann", "person")
    memory.close()
    connection = apsw.Connection(str(memory.db.path))
    connection.pragma("user_version", 999)
    connection.close()

    newer = open_memory(path=memory.db.path, embedder=HashingEmbedder())

    assert "Ann" == newer.graph.get_entity("ann").entity.name
    with pytest.raises(NewerDatabaseError, match="Update this program"):
        newer.graph.create_entity("Bob", "person")
    newer.close()


def test_the_file_of_another_program_is_refused_untouched(tmp_path):
    path = tmp_path / "other.db"
    connection = apsw.Connection(str(path))
    connection.execute("create table notes (x); insert into notes values ('mine')")
    connection.close()
    before = path.read_bytes()

    with pytest.raises(ForeignDatabaseError, match="import_memory"):
        Database(path)

    assert before == path.read_bytes()
    assert [path] == list(tmp_path.iterdir())


def test_non_database_file_is_rejected_unmodified(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("not a database " * 100)

    with pytest.raises(StorageError, match="not a SQLite file"):
        Database(path)

    assert "not a database " * 100 == path.read_text()


def test_missing_folder_is_an_error(tmp_path):
    settings = Settings(sqlite_db_file=tmp_path / "no" / "such" / "memory.db")

    with pytest.raises(StorageError, match="no folder"):
        open_memory(settings, embedder=HashingEmbedder())
    assert [] == list(tmp_path.iterdir())


def test_a_closed_memory_says_so(memory):
    memory.graph.create_entity("Ann", "person")
    memory.close()

    for call in (
        lambda: memory.graph.get_entity("ann"),
        lambda: memory.graph.create_entity("Bob", "person"),
        lambda: memory.search.search_memory("ann"),
    ):
        with pytest.raises(NotInitialisedError):
            call()


def test_closing_is_safe_with_active_threads(memory):
    inside, closed = threading.Event(), threading.Event()
    ended = []

    def read():
        with contextlib.suppress(NotInitialisedError), memory.db.read() as connection:
            cursor = connection.cursor()
            cursor.execute("select 1 union all select 2")
            inside.set()
            closed.wait(PATIENCE)
            ended.extend(cursor.fetchall())
        ended.append("out")

    reader = threading.Thread(target=read)
    reader.start()
    assert inside.wait(PATIENCE)
    memory.close()
    closed.set()
    reader.join(PATIENCE)

    assert not reader.is_alive()


def test_damaged_rows_raise_an_error_with_a_hint(memory):
    memory.graph.create_entity("Ann", "person", properties={"likes": "tea"})
    raw = apsw.Connection(str(memory.db.path))
    raw.execute("pragma ignore_check_constraints = on")
    for trigger in raw.execute("select name from sqlite_master where type = 'trigger'").fetchall():
        raw.execute(f"drop trigger {trigger[0]}")
    raw.execute("update entities set properties = '{'")
    raw.close()

    with pytest.raises(StorageError, match="restore a backup"):
        memory.graph.list_entities()
