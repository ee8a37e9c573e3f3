"""
Online backup and restore of a memory file.

1. A copy is a snapshot, made by SQLite's online backup. It is renamed to its target only
   after it is complete and verified.
2. A restore writes into the live file in one transaction, so connections of other processes
   stay valid and see either the old or the new state.
3. A restored file has a new uuid from the start, so that no index of the previous history
   is used for it.
4. A process that is killed during a copy leaves a temporary folder, which a later copy
   deletes. No other file is deleted or replaced.
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
from ..scoping import OWNED_LIST
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
select coalesce(max(seq), 0) from change_log
"""

# Of a user by every state that the log has, so that deleted records count too.
_STATES_OF_OTHERS = f"""
select exists (
    select 1 from changes
    where kind in ({OWNED_LIST}) and state ->> 'user_id' not in ('', :user_id)
)
"""

_JOBS_OF_OTHERS = """
select exists (select 1 from extraction_jobs where user_id not in ('', :user_id))
"""

_PLACE = """
select store.uuid, (select coalesce(max(seq), 0) from change_log) from store
"""

# All pages in one step: a snapshot that no writer can restart.
_ALL = -1

# The suffix of scheduled backups, after the timestamp.
SCHEDULED = "-scheduled"


@dataclass(frozen=True)
class Proof:
    """Contents of a verified copy: rows of each kind, and the last entry of its audit log."""

    rows: dict[str, int]
    seq: int


NOTHING_PROVEN = Proof({}, 0)


def copy(source: Path, target: Path, *, damaged: bool = False) -> Proof:
    """
    Write a verified copy of *source* to *target*; return its contents.

    With *damaged*, any file is copied page by page, without verification.
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
            "space, or choose a location that this user may write to."
        ) from error
    return proof


def _write_copy(source: Path, part: Path) -> None:
    # Readable by this user only, from the first byte.
    os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    with _open_file(source) as here, _open_file(part) as there:
        _copy_pages(here, there)
        # One file without a log, so that it can be moved.
        there.execute("pragma journal_mode = delete")


def prove(path: Path) -> Proof:
    """Return the contents of *path*; raise StorageError unless it is valid."""
    try:
        if not path.is_file():
            raise StorageError(
                f"There is no backup file {path}. The tool backup_memory returns the path of each "
                "backup."
            )
        with _open_file(path, read_only=True) as connection:
            _refuse_unsound(connection, path)
            there = {name for (name,) in connection.execute(_TABLES)}
            return Proof(_counts(connection, there), int(connection.execute(_SEQ).get))
    except (apsw.Error, OSError) as error:
        raise StorageError(
            f"{path} is not a valid backup and was not used ({_reason(error)}). Choose another one."
        ) from error


def holds_others(path: Path, user_id: str) -> bool:
    """Return whether a file holds records of other users; True if it cannot be read."""
    try:
        with _open_file(path, read_only=True) as connection:
            there = {name for (name,) in connection.execute(_TABLES)}
            queries = [_STATES_OF_OTHERS]
            # A file of an older version may lack it.
            queries += [_JOBS_OF_OTHERS] if "extraction_jobs" in there else []
            return any(connection.execute(query, {"user_id": user_id}).get for query in queries)
    except (apsw.Error, OSError):
        return True


def restore(backup: Path, live: Path, folder: Path) -> Proof:
    """
    Replace the contents of *live* with those of *backup*, through a temporary copy in *folder*.

    Return the contents of *live* afterwards; raise StorageError if they differ.
    """
    try:
        with temporary.folder(folder) as place:
            work = place / "restoring.db"
            proof = copy(backup, work)
            _prepare(work)
            with _open_file(work, read_only=True) as here, _open_file(live) as there:
                _copy_pages(here, there)
                return _verify_restored(here, there, proof, live)
    except (apsw.Error, OSError) as error:
        raise StorageError(
            f"{backup} could not be restored, and the memory is unchanged ({_reason(error)}). "
            "Close other programs that use it, check the free disk space, and try again."
        ) from error


def _prepare(work: Path) -> None:
    """Migrate a copy, check its full-text index, and give it a new identity."""
    # Opening migrates an older schema.
    made = database.Database(work)
    with made.write("restore_backup") as connection:
        # Only the full-text index may be damaged; it is derived data.
        if inspection.full_text_fault(connection):
            rebuild.rebuild(connection)
    made.close()
    with _open_file(work) as connection:
        connection.execute("begin immediate")
        connection.execute(_NEW_STORE).fetchall()
        connection.execute("commit")
        connection.execute("pragma journal_mode = delete")


def backups_of(folder: Path, stem: str) -> list[Path]:
    """
    Return the backups of *stem* in *folder*, newest first by the timestamp in the name.

    Files with other names, also those of a memory named *stem*-something, are ignored.
    """
    ours = re.compile(rf"{re.escape(stem)}-\d{{8}}T\d{{6}}.*\.db")
    found = [
        path for path in folder.glob(f"{_escape_pattern(stem)}-*.db") if ours.fullmatch(path.name)
    ]
    return sorted(found, key=lambda path: path.name, reverse=True)


def drop_old(folder: Path, stem: str, *, keep: int, now: str, but: Collection[Path]) -> list[str]:
    """
    Delete old backups of *stem*, except those in *but*; return their names.

    The *keep* newest of the scheduled and of the other backups are kept. A timestamp later
    than *now* comes from a wrong clock; these backups are deleted first.
    """
    first = f"{stem}-{now}"
    known = sorted(backups_of(folder, stem), key=lambda path: path.stem[: len(first)] > first)
    by_clock = [path for path in known if path.stem.endswith(SCHEDULED)]
    others = [path for path in known if path not in by_clock]
    kept = {os.path.realpath(path) for path in but}
    old = [
        path for path in (*others[keep:], *by_clock[keep:]) if os.path.realpath(path) not in kept
    ]
    drop(old)
    return [path.name for path in old]


def drop(paths: Iterable[Path]) -> None:
    """Delete files that can be created again."""
    for path in paths:
        path.unlink(missing_ok=True)


def size(path: Path) -> int:
    """Return the size of a file in bytes, 0 if it does not exist."""
    return path.stat().st_size if path.is_file() else 0


def make_folder(folder: Path) -> None:
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise StorageError(
            f"The folder {folder} for backups cannot be created: {error.strerror}. Give this user "
            "access to it."
        ) from error


def _refuse_place(target: Path) -> None:
    if target.exists():
        raise ValidationError(f"{target} exists already. Give the copy another name.")
    if not target.parent.is_dir():
        raise ValidationError(
            f"There is no folder {target.parent}. Create it, or choose another location."
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
        raise StorageError(f"{path} is damaged and was not used ({faults[0]}). Choose another one.")
    if inspection.broken_references(connection):
        raise StorageError(f"{path} is inconsistent and was not used. Choose another one.")


def _counts(connection: apsw.Connection, there: Collection[str]) -> dict[str, int]:
    """Return the number of rows of each existing tracked table."""
    return {
        tracked.table: int(connection.execute(f"select count(*) from {tracked.table}").get)
        for tracked in TRACKED
        if tracked.table in there
    }


def _verify_restored(
    here: apsw.Connection, there: apsw.Connection, proof: Proof, live: Path
) -> Proof:
    """Compare the restored contents with the live file. Others may have written since."""
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
            f"{live} does not contain the restored data. Another process restored or cleared it at "
            "the same time: run the tool memory_health, and restore again if necessary."
        )
    return Proof(rows, int(wanted[1]))


def _reason(error: Exception) -> str:
    # SQLite's backup reports a full disk as "not an error".
    if isinstance(error, apsw.FullError | apsw.IOError):
        return "the disk is full, or reports an error"
    return getattr(error, "strerror", "") or str(error)


def _copy_pages(source: apsw.Connection, target: apsw.Connection) -> None:
    with target.backup("main", source, "main") as copying:
        while not copying.done:
            copying.step(_ALL)


@contextmanager
def _open_file(path: Path, *, read_only: bool = False) -> Iterator[apsw.Connection]:
    flags = apsw.SQLITE_OPEN_READONLY if read_only else apsw.SQLITE_OPEN_READWRITE
    connection = RegisteredConnection(str(path), flags=flags)
    try:
        connection.set_busy_timeout(database.BUSY_MILLISECONDS)
        yield connection
    finally:
        connection.close()


def _escape_pattern(stem: str) -> str:
    return "".join(f"[{c}]" if c in "*?[" else c for c in stem)
