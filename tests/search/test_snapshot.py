from __future__ import annotations

import logging
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from vector_rows import drop, embed_all, piece, put, put_vectors

from memory_core.model.search.vectors import ModelIdentity
from memory_core.search import snapshot
from memory_core.search.index import VectorIndex
from memory_core.storage.database import Database
from memory_core.storage.search import embeddings
from memory_core.storage.search.vector_log import PIECES

IDENTITY = ModelIdentity(model="random/1", dimension=16, max_tokens=1)
COUNT = 1200


@pytest.fixture
def db(tmp_path, clock):
    opened = Database(tmp_path / "memory.db", clock)
    put_vectors(opened, vectors(COUNT), IDENTITY)
    yield opened
    opened.close()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "memory.index"


def vectors(count, seed=1):
    rows = np.random.default_rng(seed).standard_normal((count, 16))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def index_at(path, identity=IDENTITY):
    return VectorIndex(lambda: identity, path, exact_below=100)


def saved(db, path):
    """Save the index of *db* to *path* and return the file's contents."""
    index = index_at(path)
    follow(db, index)
    assert index.save_if_worth()
    return path.read_bytes()


def follow(db, index):
    with db.read() as connection:
        index.follow(connection)


def assert_right(db, index):
    """Each of a few rows is found first by its own vector, and the counts are equal."""
    with db.read() as connection:
        (rows,) = PIECES.all_vectors(connection, IDENTITY.model)
        for row in range(0, len(rows.ids), 211):
            (hit,) = index.search(connection, rows.matrix[row], limit=1)
            assert int(rows.ids[row]) == hit[0]
        assert embeddings.standing(connection).indexed == index.status().vectors


def test_snapshot_avoids_a_rebuild(db, path):
    saved(db, path)
    with db.note() as connection:
        connection.execute("delete from pieces where id = :id", {"id": piece(3)})
    index = index_at(path)

    assert_right(db, index)
    assert (0, COUNT - 1) == (index.status().rebuilds, index.status().vectors)


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(position=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7))
def test_any_damaged_byte_triggers_a_rebuild(db, path, position, bit):
    whole = bytearray(path.read_bytes() if path.exists() else saved(db, path))
    damaged = bytearray(whole)
    damaged[int(position * len(whole))] ^= 1 << bit
    path.write_bytes(damaged)
    index = index_at(path)
    try:
        assert_right(db, index)
    finally:
        path.write_bytes(whole)

    assert 1 == index.status().rebuilds


def test_every_damaged_header_bit_is_detected(db, path):
    whole = saved(db, path)
    label, payload = snapshot._unpack(whole)
    wanted = {"uuid": label.uuid, "model": label.model, "dimension": label.dimension}
    unseen = []
    for position in range(len(whole) - len(payload)):
        for bit in (0, 1, 5):
            damaged = bytearray(whole)
            damaged[position] ^= 1 << bit
            path.write_bytes(damaged)
            if snapshot.load(path, **wanted) is not None:
                unseen.append((position, bit))
    path.write_bytes(whole)

    assert [] == unseen
    assert snapshot.load(path, **wanted) is not None


@pytest.mark.parametrize("kept", [0, 5, 12, 100, 0.5, 0.999])
def test_truncated_snapshot_triggers_a_rebuild(db, path, kept, caplog):
    whole = saved(db, path)
    path.write_bytes(whole[: int(kept * len(whole)) if kept < 1 else kept])
    index = index_at(path)
    with caplog.at_level(logging.WARNING):
        assert_right(db, index)

    assert 1 == index.status().rebuilds
    assert 1 == len(caplog.records)


@pytest.mark.parametrize("change", ["uuid", "model", "dimension", "position", "count", "kind"])
def test_foreign_file_triggers_a_rebuild(db, path, change):
    saved(db, path)
    label, payload = snapshot._unpack(path.read_bytes())
    odd = {
        "uuid": "another",
        "model": "another",
        "dimension": 24,
        "position": label.position + 10_000,
        "count": COUNT - 1,
        "kind": "exact",
    }
    words = {**label.__dict__, change: odd[change]}
    path.write_bytes(snapshot._pack(snapshot.Label(**words), payload))
    index = index_at(path)

    assert_right(db, index)
    assert 1 == index.status().rebuilds


def test_snapshot_below_the_log_floor_triggers_a_rebuild(db, path):
    saved(db, path)
    with db.note() as connection:
        connection.execute("delete from pieces where id = :id", {"id": piece(3)})
        embeddings.prune_log(connection, 10**9)
    index = index_at(path)

    assert_right(db, index)
    assert 1 == index.status().rebuilds


def test_non_snapshot_file_triggers_a_rebuild(db, path):
    path.write_text("not an index", encoding="utf-8")
    index = index_at(path)

    assert_right(db, index)
    assert 1 == index.status().rebuilds


def test_snapshot_is_saved_only_when_far_behind(db, path):
    index = index_at(path)
    before = index.save_if_worth()
    follow(db, index)
    worth = [index.save_if_worth(), index.save_if_worth()]
    with db.note() as connection:
        for row in range(1, 1001):
            drop(connection, row)
    follow(db, index)

    assert (False, [True, False], True) == (before, worth, index.save_if_worth())


def test_older_process_does_not_replace_a_newer_snapshot(db, path):
    behind = index_at(path)
    follow(db, behind)
    with db.note() as connection:
        connection.execute("delete from pieces where id = :id", {"id": piece(3)})
    newer = saved(db, path)

    assert not behind.save_if_worth()
    assert newer == path.read_bytes()


@pytest.mark.process
def test_only_one_process_saves_at_a_time(db, path):
    index = index_at(path)
    follow(db, index)
    code = (
        "import sys; from pathlib import Path; from memory_core.search.snapshot import _lock_file\n"
        "with _lock_file(Path(sys.argv[1])) as mine:\n"
        "    print(mine, flush=True); sys.stdin.read()"
    )
    other = subprocess.Popen(
        [sys.executable, "-c", code, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
    )
    with other:
        assert b"True" == other.stdout.readline().strip()
        saved_meanwhile = index.save_if_worth()
        other.stdin.close()

    assert not saved_meanwhile
    assert not path.exists()


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_interrupted_save_keeps_the_old_snapshot(db, path, monkeypatch, step):
    old = saved(db, path)
    with db.note() as connection:
        connection.execute("delete from pieces where id = :id", {"id": piece(3)})
    index = index_at(path)
    follow(db, index)
    index._held.unsaved = COUNT

    def killed(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(os, step, killed)
        index.save_if_worth()

    assert old == path.read_bytes()
    assert 1 == len(list(path.parent.glob("*.tmp")))
    index._held.unsaved = COUNT
    assert index.save_if_worth()
    assert [] == list(path.parent.glob("*.tmp"))
    assert_right(db, index_at(path))


SAVING_FOR_EVER = """
import sys
from pathlib import Path
from memory_core.search import snapshot
path = Path(sys.argv[1])
label, payload = snapshot._unpack(path.read_bytes())
while True:
    label = snapshot.Label(**{**label.__dict__, "position": label.position + 1})
    print(snapshot.save(path, label, payload), flush=True)
"""


@pytest.mark.process
def test_killed_save_leaves_a_complete_snapshot(db, path):
    whole = saved(db, path)
    label, payload = snapshot._unpack(whole)
    for saves in (1, 2, 5):
        other = subprocess.Popen(
            [sys.executable, "-c", SAVING_FOR_EVER, str(path)],
            stdout=subprocess.PIPE,
            cwd=Path(__file__).parents[2],
        )
        with other:
            for _ in range(saves):
                assert b"True" == other.stdout.readline().strip()
            other.kill()

        found, contents = snapshot._unpack(path.read_bytes())
        assert payload == contents
        assert found.position >= label.position + saves
        label = found
    assert snapshot.save(path, label, payload)
    assert [] == list(path.parent.glob("*.tmp"))


def test_read_only_folder_only_disables_snapshots(db, tmp_path, caplog):
    index = index_at(tmp_path / "missing" / "memory.index")
    follow(db, index)

    assert not index.save_if_worth()
    assert_right(db, index)
    assert "could not be saved" in caplog.text


def test_small_stores_need_no_snapshot(tmp_path, clock):
    db = Database(tmp_path / "small.db", clock)
    with db.note() as connection:
        put(connection, 1, "one")
    embed_all(db, IDENTITY)
    index = index_at(tmp_path / "small.index")
    follow(db, index)

    assert not index.save_if_worth()
    db.close()
