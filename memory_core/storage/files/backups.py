"""
Whole copies of a memory file, made and put back while others use it.

1. A copy is one moment of the file, however many write meanwhile: SQLite's own
   backup makes it. It gets its name only when it is complete and proven.
2. Content is put back into the live file, in one transaction, so connections of
   other processes stay good and see either the old state or the new.
3. What is put back has a new uuid before anyone sees it: no index of another
   time line is taken for its own.
4. A process that is killed while copying leaves a temporary folder behind, which a later
   copy sweeps. No other file is ever deleted or replaced on the way.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import apsw

from ...errors import NewerDatabaseError, StorageError, ValidationError
from .. import database, rebuild, schema
from ..history.tracked import TRACKED
from ..open_files import RegisteredConnection
from . import inspection, temporary
from .atomic_write import claim, settle

_NEW_STORE = """
update store set uuid = lower(hex(randomblob(16)));
delete from leases;
"""

_TABLES = """
select name from sqlite_schema where type = 'table'
"""

_SEQ = """
select coalesce(max(seq), 0) from changes
"""

_PLACE = """
select store.uuid, (select coalesce(max(seq), 0) from changes) from store
"""

# All pages in one step: a copy of one moment, and no writer can make it start again.
_ALL = -1

# How a copy that the clock asked for is called, behind its moment.
SCHEDULED = "-scheduled"


@dataclass(frozen=True)
class Proof:
    """What a sound copy holds: how many rows of each kind, and the last change of its journal."""

    rows: dict[str, int]
    seq: int


NOTHING_PROVEN = Proof({}, 0)


def copy(source: Path, target: Path, *, damaged: bool = False) -> Proof:
    """
    Write a proven copy of *source* to *target*; return what it holds.

    With *damaged* the copy is made whatever its state, page by page, and nothing is proven.
    """
    try:
        _refuse_place(target)
        with temporary.folder(target.parent) as folder:
            part = folder / "copy.db"
            _write_copy(source, part)
            proof = NOTHING_PROVEN if damaged else prove(part)
            claim(part, target)
        settle(target.parent)
    except (apsw.Error, OSError) as error:
        raise StorageError(
            f"{target} could not be written, and no copy was made ({_reason(error)}). Free some "
            "space, or name a place that this user may write to."
        ) from error
    return proof


def _write_copy(source: Path, part: Path) -> None:
    # Readable by this user alone, from the first byte on.
    os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    with _opened(source) as here, _opened(part) as there:
        _pour(here, there)
        # One file that needs no log next to it, wherever it is carried.
        there.execute("pragma journal_mode = delete")


def prove(path: Path) -> Proof:
    """Return what *path* holds; raise StorageError unless it is sound."""
    try:
        if not path.is_file():
            raise StorageError(
                f"There is no backup file {path}. The tool backup_memory returns the path of each "
                "backup."
            )
        with _opened(path, read_only=True) as connection:
            _refuse_unsound(connection, path)
            there = {name for (name,) in connection.execute(_TABLES)}
            return Proof(_counts(connection, there), int(connection.execute(_SEQ).get))
    except (apsw.Error, OSError) as error:
        raise StorageError(
            f"{path} is not a sound backup and was not used ({_reason(error)}). Choose another one."
        ) from error


def restore(backup: Path, live: Path, folder: Path) -> Proof:
    """
    Replace the content of *live* by that of *backup*, through a temporary copy in *folder*.

    Return what *live* was found to hold afterwards; raise StorageError if that is not it.
    """
    try:
        with temporary.folder(folder) as place:
            work = place / "restoring.db"
            proof = copy(backup, work)
            _prepare(work)
            with _opened(work, read_only=True) as here, _opened(live) as there:
                _pour(here, there)
                return _poured(here, there, proof, live)
    except (apsw.Error, OSError) as error:
        raise StorageError(
            f"{backup} could not be restored, and the memory is as it was ({_reason(error)}). "
            "Close other programs that use it, see that the disk has room, and try again."
        ) from error


def _prepare(work: Path) -> None:
    """Bring a copy up to date, with a full text that is sound and an identity of its own."""
    # Opening it brings an older schema up to date.
    made = database.Database(work)
    with made.write("restore_backup") as connection:
        # A copy may be sound but for its full text, which is derived.
        if inspection.full_text_fault(connection):
            rebuild.rebuild(connection)
    made.close()
    with _opened(work) as connection:
        connection.execute("begin immediate")
        connection.execute(_NEW_STORE).fetchall()
        connection.execute("commit")
        connection.execute("pragma journal_mode = delete")


def named(folder: Path, stem: str) -> list[Path]:
    """
    Return the backups of *stem* in *folder*, newest first, as their names tell.

    What was given a name by hand, and what belongs to a memory called *stem*-something, has no
    moment behind the *stem*.
    """
    ours = re.compile(rf"{re.escape(stem)}-\d{{8}}T\d{{6}}.*\.db")
    found = [path for path in folder.glob(f"{_escaped(stem)}-*.db") if ours.fullmatch(path.name)]
    return sorted(found, key=lambda path: path.name, reverse=True)


def drop_old(folder: Path, stem: str, *, keep: int, now: str, but: Collection[Path]) -> list[str]:
    """
    Delete old backups of *stem*, and never one of *but*; return their names.

    Of those made by the clock and of the others, the *keep* newest stay. What is named
    after a moment later than *now* was made under a clock gone wrong, and goes first.
    """
    first = f"{stem}-{now}"
    known = sorted(named(folder, stem), key=lambda path: path.stem[: len(first)] > first)
    by_clock = [path for path in known if path.stem.endswith(SCHEDULED)]
    others = [path for path in known if path not in by_clock]
    kept = {os.path.realpath(path) for path in but}
    old = [
        path for path in (*others[keep:], *by_clock[keep:]) if os.path.realpath(path) not in kept
    ]
    drop(old)
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
        raise StorageError(
            f"The folder {folder} for backups cannot be made: {error.strerror}. Give this user "
            "access to it."
        ) from error


def _refuse_place(target: Path) -> None:
    if target.exists():
        raise ValidationError(f"{target} exists already. Give the copy another name.")
    if not target.parent.is_dir():
        raise ValidationError(
            f"There is no folder {target.parent}. Make it, or name another place."
        )


def _refuse_unsound(connection: apsw.Connection, path: Path) -> None:
    if connection.pragma("application_id") != schema.APPLICATION_ID:
        raise StorageError(
            f"{path} is not a copy of a memory. Choose a file made by the tool backup_memory."
        )
    if schema.version(connection) > schema.newest_version():
        raise NewerDatabaseError(
            f"{path} was written by a newer version. Update this program first."
        )
    faults = inspection.faults(connection)
    if faults:
        raise StorageError(f"{path} is damaged and was not used ({faults[0]}). Choose another.")
    if inspection.broken_references(connection):
        raise StorageError(f"{path} contradicts itself and was not used. Choose another one.")


def _counts(connection: apsw.Connection, there: Collection[str]) -> dict[str, int]:
    """Return how many rows each tracked table has, of those that are there."""
    return {
        tracked.table: int(connection.execute(f"select count(*) from {tracked.table}").get)
        for tracked in TRACKED
        if tracked.table in there
    }


def _poured(here: apsw.Connection, there: apsw.Connection, proof: Proof, live: Path) -> Proof:
    """Compare what was poured with where it is now; others may have written since."""
    there.execute("begin")
    try:
        wanted, found = here.execute(_PLACE).fetchone(), there.execute(_PLACE).fetchone()
        tables = {name for (name,) in there.execute(_TABLES)}
        rows = _counts(there, tables)
    finally:
        there.execute("rollback")
    assert wanted is not None
    same = found == wanted
    later = found is not None and found[0] == wanted[0] and int(found[1]) > int(wanted[1])
    as_proven = all(rows.get(kind) == count for kind, count in proof.rows.items())
    if not (later or (same and as_proven)):
        raise StorageError(
            f"{live} does not hold what was restored. Another process restored or cleared it at "
            "the same moment: run the tool memory_health, and restore again if need be."
        )
    return Proof(rows, int(wanted[1]))


def _reason(error: Exception) -> str:
    # Of a full disk, SQLite's own copying says no more than "not an error".
    if isinstance(error, apsw.FullError | apsw.IOError):
        return "the disk is full, or reports an error"
    return getattr(error, "strerror", "") or str(error)


def _pour(source: apsw.Connection, target: apsw.Connection) -> None:
    with target.backup("main", source, "main") as copying:
        while not copying.done:
            copying.step(_ALL)


@contextmanager
def _opened(path: Path, *, read_only: bool = False) -> Iterator[apsw.Connection]:
    flags = apsw.SQLITE_OPEN_READONLY if read_only else apsw.SQLITE_OPEN_READWRITE
    connection = RegisteredConnection(str(path), flags=flags)
    try:
        connection.set_busy_timeout(database.BUSY_MILLISECONDS)
        yield connection
    finally:
        connection.close()


def _escaped(stem: str) -> str:
    return "".join(f"[{c}]" if c in "*?[" else c for c in stem)
