"""Temporary files: unique, opened exclusively, and deleted only by the call that created them."""

from __future__ import annotations

import os
import secrets
import tempfile

import pytest

import launch
from memory_core import ConflictError, StorageError, ValidationError
from memory_core.search import snapshot
from memory_core.storage.files import atomic_folder, atomic_write, backups, temporary

MINE = b"mine"


@pytest.fixture
def others(tmp_path):
    """Files with the names that temporary files used to have."""
    pid = os.getpid()
    names = [
        *(f"copy.db.part{end}" for end in ("", "-wal", "-shm", "-journal")),
        *(f".{name}.{pid}.part" for name in ("note.txt", "wiki", "a.md")),
        *("copy.db.restoring", "note.txt.part", "vectors.tmp", "vectors.old.tmp"),
    ]
    for name in names:
        (tmp_path / name).write_bytes(MINE)

    def unchanged():
        return [MINE] * len(names) == [(tmp_path / name).read_bytes() for name in names]

    yield unchanged
    assert unchanged()


def test_atomic_write_keeps_other_files(tmp_path, others):
    target = tmp_path / "note.txt"
    before = set(tmp_path.iterdir())

    atomic_write.write_whole(target, [b"one"], replace=False)
    atomic_write.write_whole(target, [b"two"], replace=True)
    with pytest.raises(ConflictError):
        atomic_write.write_whole(target, [b"three"], replace=False)

    assert (b"two", {*before, target}) == (target.read_bytes(), set(tmp_path.iterdir()))


def test_failed_file_write_leaves_no_file(tmp_path, others):
    def parts():
        yield b"half"
        raise OSError(28, "No space left on device")

    before = set(tmp_path.iterdir())
    with pytest.raises(StorageError):
        atomic_write.write_whole(tmp_path / "note.txt", parts(), replace=False)

    assert before == set(tmp_path.iterdir())


def test_concurrently_created_file_is_kept_without_hard_links(tmp_path, monkeypatch):
    target = tmp_path / "note.txt"
    monkeypatch.setattr(os, "link", _no_links)
    atomic_write.write_whole(target, [b"one"], replace=False)

    with pytest.raises(ConflictError):
        atomic_write.write_whole(target, [b"two"], replace=False)

    assert (b"one", [target]) == (target.read_bytes(), list(tmp_path.iterdir()))


def test_atomic_folder_write_keeps_other_files(tmp_path, others):
    before = set(tmp_path.iterdir())

    atomic_folder.write_folder(tmp_path / "wiki", {"a.md": b"a", "b/c.md": b"c"}, replace=False)
    atomic_folder.write_folder(tmp_path / "wiki", {"a.md": b"b"}, replace=True)

    assert {*before, tmp_path / "wiki"} == set(tmp_path.iterdir())
    assert {"a.md", "b"} == {path.name for path in (tmp_path / "wiki").iterdir()}


def test_failed_folder_write_leaves_no_folder(tmp_path, others):
    before = set(tmp_path.iterdir())

    with pytest.raises(StorageError):
        atomic_folder.write_folder(
            tmp_path / "wiki", {"a.md": b"a", "a.md/b.md": b"b"}, replace=False
        )

    assert before == set(tmp_path.iterdir())


def test_backup_keeps_other_files(memory, tmp_path, others):
    before = set(tmp_path.iterdir())

    backups.copy(memory.db.path, tmp_path / "copy.db")
    with pytest.raises(ValidationError, match="exists already"):
        backups.copy(memory.db.path, tmp_path / "copy.db")

    assert {*before, tmp_path / "copy.db"} == set(tmp_path.iterdir())


def test_backup_does_not_replace_a_concurrently_created_file(memory, tmp_path, monkeypatch):
    target, prove = tmp_path / "copy.db", backups.prove

    def prove_and_be_late(path):
        target.write_bytes(MINE)
        return prove(path)

    monkeypatch.setattr(backups, "prove", prove_and_be_late)
    with pytest.raises(ConflictError):
        backups.copy(memory.db.path, target)

    assert MINE == target.read_bytes()
    assert [] == list(tmp_path.glob(f"{temporary.PREFIX}*"))


def test_a_restore_leaves_files_of_others_in_its_folder(memory, tmp_path, others):
    memory.graph.create_entity("Ann", "person")
    backups.copy(memory.db.path, tmp_path / "copy.db")
    before = set(tmp_path.iterdir())

    backups.restore(tmp_path / "copy.db", memory.db.path, tmp_path)

    assert before == set(tmp_path.iterdir())


def test_only_abandoned_temporary_folders_are_swept(tmp_path, others):
    old, fresh, active = (
        tmp_path / f"{temporary.PREFIX}{name}{temporary.SUFFIX}"
        for name in ("abcdefgh", "ijklmnop", "qrstuvwx")
    )
    named = tmp_path / f"{temporary.PREFIX}my-notes{temporary.SUFFIX}.txt"
    for folder in (old, fresh, active):
        folder.mkdir()
        (folder / "copy.db").write_bytes(MINE)
    named.write_bytes(MINE)
    for path, at in ((old, 1), (old / "copy.db", 1), (active, 1), (fresh / "copy.db", 1)):
        os.utime(path, (at, at))
    os.utime(named, (1, 1))

    temporary.sweep(tmp_path, before=1_000.0)

    assert [False, True, True, True] == [each.exists() for each in (old, fresh, active, named)]


def test_a_snapshot_sweeps_only_its_own_temporary_files(tmp_path, others):
    path = tmp_path / "vectors"
    ours, theirs = tmp_path / "vectors.0123abcd.tmp", tmp_path / "vectors.notes.tmp"
    for file in (ours, theirs):
        file.write_bytes(MINE)
    label = snapshot.Label("u", "m", 2, "exact", 1, 0)

    assert snapshot.save(path, label, b"payload")

    assert (False, MINE) == (ours.exists(), theirs.read_bytes())


def test_a_snapshot_never_writes_into_a_file_that_exists(tmp_path, monkeypatch):
    path = tmp_path / "vectors"
    monkeypatch.setattr(secrets, "token_hex", lambda _: "notshort")
    taken = tmp_path / "vectors.notshort.tmp"
    taken.write_bytes(MINE)
    label = snapshot.Label("u", "m", 2, "exact", 1, 0)

    assert not snapshot.save(path, label, b"payload")

    assert MINE == taken.read_bytes()


def test_the_launcher_writes_its_stamp_next_to_files_of_others(tmp_path):
    project = launch.Project(root=tmp_path)
    project.stamp_file.parent.mkdir()
    draft = project.stamp_file.with_suffix(".draft")
    draft.write_bytes(MINE)

    launch.write_stamp(project, launch.Stamp(torch="cpu", installed={"a": "b"}))

    assert ("cpu", MINE) == (launch.read_stamp(project).torch, draft.read_bytes())
    assert {draft, project.stamp_file} == set(project.stamp_file.parent.iterdir())


def test_a_name_in_use_is_never_reused(tmp_path, monkeypatch):
    names = iter(["taken", "taken", "free"])
    monkeypatch.setattr(tempfile, "_get_candidate_names", lambda: names)
    taken = tmp_path / f"{temporary.PREFIX}taken{temporary.SUFFIX}"
    taken.mkdir()
    (taken / "note").write_bytes(MINE)

    with temporary.folder(tmp_path) as made:
        assert taken != made

    assert MINE == (taken / "note").read_bytes() and not made.exists()


def _no_links(*_, **__):
    raise OSError(95, "Operation not supported")


def test_a_folder_of_a_living_process_is_kept_and_one_of_a_dead_process_is_deleted(tmp_path):
    with temporary.folder(tmp_path) as mine:
        (mine / "copy.db").write_bytes(MINE)
        left = tmp_path / ".turbovec-abcdefgh.part"
        left.mkdir()
        (left / ".lock").touch()
        (left / "copy.db").write_bytes(MINE)

        assert 1 == temporary.sweep(tmp_path, tmp_path / "missing", before=0)
        assert MINE == (mine / "copy.db").read_bytes()
        assert not left.exists()
    assert [] == list(tmp_path.iterdir())
