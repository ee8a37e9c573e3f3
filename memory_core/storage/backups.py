"""
Whole copies of a memory file, made and put back while others use it.

1. A copy is one moment of the file, however many write meanwhile: SQLite's own
   backup makes it. It gets its name only when it is complete and proven.
2. Content is put back into the live file, in one transaction, so connections of
   other processes stay good and see either the old state or the new.
3. What is put back has a new uuid before anyone sees it: no index of another
   time line is taken for its own.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from ..errors import Invalid, NewerDatabase, StorageFailed
from . import database, derived, inspection, schema
from .tracked import TRACKED

_NEW_STORE = """
update store set uuid = lower(hex(randomblob(16)));
delete from leases;
"""

_TABLES = """
select name from sqlite_schema where type = 'table'
"""

# All pages in one step: a copy of one moment, and no writer can make it start again.
_ALL = -1


def copy(source: Path, target: Path, *, damaged: bool = False) -> dict[str, int]:
    """
    Write a proven copy of *source* to *target*; return how many rows of each kind it has.

    With *damaged* the copy is made whatever its state, page by page, and nothing is counted.
    """
    if target.exists():
        raise Invalid(f"{target} exists already. Give the copy another name.")
    if not target.parent.is_dir():
        raise Invalid(f"There is no folder {target.parent}. Make it, or name another place.")
    part = target.with_name(f"{target.name}.part")
    try:
        with _opened(source) as here, _opened(part, fresh=True) as there:
            _pour(here, there)
            # One file that needs no log beside it, wherever it is carried.
            there.execute("pragma journal_mode = delete")
        rows = {} if damaged else prove(part)
        part.replace(target)
    finally:
        _remove(part)
    return rows


def prove(path: Path) -> dict[str, int]:
    """Return how many rows of each kind *path* holds; raise StorageFailed unless it is sound."""
    if not path.is_file():
        raise StorageFailed(f"There is no backup file {path}. backup_memory tells where it writes.")
    try:
        with _opened(path, read_only=True) as connection:
            _refuse_unsound(connection, path)
            there = {name for (name,) in connection.execute(_TABLES)}
            kinds = (tracked.table for tracked in TRACKED)
            return {
                kind: int(connection.execute(f"select count(*) from {kind}").get)
                for kind in kinds
                if kind in there
            }
    except apsw.Error as error:
        raise StorageFailed(
            f"{path} is not a sound backup and was not used ({error}). Choose another one."
        ) from error


def restore(backup: Path, live: Path, work: Path) -> None:
    """Replace the content of *live* by that of *backup*, through *work*, a file that is new."""
    try:
        copy(backup, work)
        # Opening it brings an older schema up to date.
        made = database.Database(work)
        with made.write("restore_backup") as connection:
            # A copy may be sound but for its full text, which is derived.
            if inspection.full_text_fault(connection):
                derived.rebuild(connection)
        made.close()
        with _opened(work) as connection:
            connection.execute("begin immediate")
            connection.execute(_NEW_STORE).fetchall()
            connection.execute("commit")
            connection.execute("pragma journal_mode = delete")
        with _opened(work, read_only=True) as here, _opened(live) as there:
            _pour(here, there)
    except apsw.Error as error:
        raise StorageFailed(
            f"{backup} could not be restored, and the memory is as it was ({error}). Close other "
            "programs that use it and try again."
        ) from error
    finally:
        _remove(work)


def named(folder: Path, stem: str) -> list[Path]:
    """Return the backups of *stem* in *folder*, newest first, as their names tell."""
    return sorted(folder.glob(f"{_escaped(stem)}-*.db"), key=lambda path: path.name, reverse=True)


def drop_old(folder: Path, stem: str, *, keep: int, but: Path | None = None) -> list[str]:
    """Delete all backups of *stem* but the *keep* newest, and never *but*; return their names."""
    old = [path for path in named(folder, stem)[keep:] if path != but]
    for path in old:
        path.unlink(missing_ok=True)
    return [path.name for path in old]


def drop(paths: Iterable[Path]) -> None:
    """Delete files that can be made anew."""
    for path in paths:
        path.unlink(missing_ok=True)


def size(path: Path) -> int:
    """Return the bytes of a file, 0 if there is none."""
    return path.stat().st_size if path.is_file() else 0


def make_folder(folder: Path) -> None:
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise StorageFailed(
            f"The folder {folder} for backups cannot be made: {error.strerror}. Give this user "
            "access to it."
        ) from error


def _refuse_unsound(connection: apsw.Connection, path: Path) -> None:
    if connection.pragma("application_id") != schema.APPLICATION_ID:
        raise StorageFailed(f"{path} is not a copy of a memory. Choose a file of backup_memory.")
    if schema.version(connection) > schema.newest_version():
        raise NewerDatabase(f"{path} was written by a newer version. Update this program first.")
    faults = inspection.faults(connection)
    if faults:
        raise StorageFailed(f"{path} is damaged and was not used ({faults[0]}). Choose another.")
    if inspection.broken_references(connection):
        raise StorageFailed(f"{path} contradicts itself and was not used. Choose another one.")


def _pour(source: apsw.Connection, target: apsw.Connection) -> None:
    with target.backup("main", source, "main") as copying:
        while not copying.done:
            copying.step(_ALL)


@contextmanager
def _opened(
    path: Path, *, fresh: bool = False, read_only: bool = False
) -> Iterator[apsw.Connection]:
    if fresh:
        _remove(path)
        # The memory of one person: readable by nobody else, from the first byte on.
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    flags = apsw.SQLITE_OPEN_READONLY if read_only else apsw.SQLITE_OPEN_READWRITE
    connection = apsw.Connection(str(path), flags=flags)
    try:
        connection.set_busy_timeout(database.BUSY_MILLISECONDS)
        yield connection
    finally:
        connection.close()


def _remove(path: Path) -> None:
    for name in (path, *(path.with_name(path.name + end) for end in _BESIDE)):
        name.unlink(missing_ok=True)


_BESIDE = ("-wal", "-shm", "-journal")


def _escaped(stem: str) -> str:
    return "".join(f"[{c}]" if c in "*?[" else c for c in stem)
