"""
The only module that opens SQLite.

A reader sees one snapshot for as long as its block lasts. A writer takes the
write lock at once, and says why it writes: every row it touches is journalled
with that cause, the actor and the time, and can be found by its words, before
anyone else sees it.
"""

from __future__ import annotations

import contextlib
import json
import logging
import operator
import re
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw

from ..clock import Clock, format_timestamp, utc_now
from ..context import as_one_batch, current_actor, current_batch
from ..errors import (
    NewerDatabaseError,
    NotInitialisedError,
    StorageError,
    ValidationError,
)
from ..ids import new_id
from . import schema
from .files import file_system
from .history import audit_log
from .redacting_connection import RedactingConnection
from .redaction import Redactor
from .search import full_text

logger = logging.getLogger(__name__)

# For those who pass a connection on from one row function to another, unread.
Connection = apsw.Connection

# Longer than the slowest write; a writer that waits in vain gets StorageError.
BUSY_MILLISECONDS = 30_000

_SIGN = """
update change_context
set at = max(:at, at), actor = :actor, cause = :cause, batch_id = :batch_id
"""

_UUID = """
select uuid from store
"""

_CLOSED = "This memory is closed. Open it again with open_memory()."

# What can go wrong with the file itself, and what the person can do about it.
_WAYS_OUT: tuple[tuple[type[apsw.Error], str], ...] = (
    (apsw.BusyError, "another process has held the write lock for too long; try again"),
    (apsw.FullError, "the disk is full; free some space and try again"),
    (apsw.ReadOnlyError, "the file or its folder is read-only; give this user write access"),
    (apsw.CantOpenError, "it cannot be opened; check that its folder exists and is writable"),
    (apsw.ProtocolError, "several processes are opening it at once; try again"),
    (apsw.NoMemError, "there is not enough memory; close other programs and try again"),
    (apsw.IOError, "the disk reports an error; check the disk and its free space"),
    (apsw.NotADBError, "it is not a SQLite file; name another one in SQLITE_DB_FILE"),
    (apsw.CorruptError, "the file is damaged; restore a backup, or check its health"),
    (apsw.PermissionsError, "access is denied; give this user access to the file"),
    (apsw.AuthError, "access is denied; give this user access to the file"),
)

_FIRST = operator.itemgetter(0)

# Our statements fit the tables that we make, so these say what has become of the file.
_OTHER_TABLES = re.compile(r"no such (table|column)|has no column named")


class Database:
    """A memory file, safe to use from any thread and from several processes."""

    def __init__(self, path: Path, clock: Clock = utc_now, *, redacts: bool = True) -> None:
        """
        Open or make the file; raise StorageError if it is not ours to use.

        With *redacts* keys and passwords are taken out of whatever is written.
        """
        self.path = path
        self.clock = clock
        self.redacts = redacts
        self._redactor = Redactor() if redacts else None
        self.newer_than_we_know = False
        # As of now: an update may bring files that this running program knows nothing of.
        self._known_version = schema.newest_version()
        # Called after each write that was committed, on the writer's thread: be quick.
        self.after_write: list[Callable[[], None]] = []
        self._local = threading.local()
        self._open: weakref.WeakSet[apsw.Connection] = weakref.WeakSet()
        self._closed = False
        with _translated(path):
            self._prepare()

    @property
    def uuid(self) -> str:
        with self.read() as connection:
            return str(connection.execute(_UUID).get)

    @contextmanager
    def read(self) -> Iterator[apsw.Connection]:
        """Yield a connection on which everything read belongs to one moment."""
        with self._transaction("begin") as connection:
            yield connection

    @contextmanager
    def write(self, cause: str) -> Iterator[apsw.Connection]:
        """Yield a connection whose changes are signed with *cause*; commit them."""
        self._refuse_if_newer()
        now = format_timestamp(self.clock())
        with self._transaction("begin immediate") as connection:
            connection.execute(
                _SIGN,
                {
                    "at": now,
                    "actor": current_actor(),
                    "cause": cause,
                    "batch_id": current_batch() or new_id(),
                },
            )
            before = audit_log.newest(connection)
            yield connection
            full_text.follow(connection, before)
        for follow in self.after_write:
            follow()

    @contextmanager
    def act(self, cause: str) -> Iterator[apsw.Connection]:
        """Like write; what this thread reads or writes inside is part of it: all, or nothing."""
        with as_one_batch(current_batch() or new_id()), self.write(cause) as connection:
            self._local.act = connection
            try:
                yield connection
            finally:
                self._local.act = None

    @contextmanager
    def note(self) -> Iterator[apsw.Connection]:
        """Yield a connection for what is not knowledge: vectors, traces, counters, leases."""
        self._refuse_if_newer()
        with self._transaction("begin immediate") as connection:
            yield connection

    def without_secrets(self, what: str, text: str) -> str:
        """Return *text* as it will be stored, for callers that cut or hash it before a write."""
        return self._redactor.text(text, what) if self._redactor else text

    def without_secrets_in(self, values: Mapping[str, Any], where: str = "") -> dict[str, Any]:
        """Return JSON values as they will be stored; *where* prefixes the recorded places."""
        return self._redactor.arguments(values, where) if self._redactor else dict(values)

    def close(self) -> None:
        """Close every connection; later use raises NotInitialisedError."""
        self._closed = True
        for connection in list(self._open):
            # One at work in another thread closes with that thread.
            with contextlib.suppress(apsw.ThreadingViolationError):
                connection.close()

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[RedactingConnection]:
        with _translated(self.path):
            connection = self._connection()
            if getattr(self._local, "act", None) is connection:
                yield connection
                return
            connection.execute(begin)
            try:
                if begin != "begin":
                    self._refuse_if_migrated(connection)
                yield connection
                connection.execute("commit")
            finally:
                # Still open after an exception, be it the commit's own; but not if
                # a RAISE(ROLLBACK) has already ended it.
                if connection.in_transaction:
                    connection.execute("rollback")
                if self._redactor and begin != "begin":
                    self._redactor.forget_texts()

    def _connection(self) -> RedactingConnection:
        """Return this thread's connection; it closes when the thread ends."""
        if self._closed:
            raise NotInitialisedError(_CLOSED)
        connection: RedactingConnection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._local.connection = connect(self.path)
            connection.redactor = self._redactor
            self._open.add(connection)
        return connection

    def _prepare(self) -> None:
        refuse_unusable(self.path)
        if network := file_system.network_kind(self.path):
            logger.warning(
                "%s lies on a network file system (%s): it is written without a write-ahead log, "
                "and more slowly. Move it to a disk of this machine.",
                self.path,
                network,
            )
        connection = _open(self.path)
        try:
            schema.refuse_foreign(connection, self.path)
            self.newer_than_we_know = schema.version(connection) > self._known_version
            if not self.newer_than_we_know:
                _choose_journal(connection, self.path)
                schema.migrate(connection, self.path)
        finally:
            connection.close()

    def _refuse_if_migrated(self, connection: apsw.Connection) -> None:
        """Raise NewerDatabaseError if a newer version has opened the file since we did."""
        self.newer_than_we_know |= schema.version(connection) > self._known_version
        self._refuse_if_newer()

    def _refuse_if_newer(self) -> None:
        if self.newer_than_we_know:
            raise NewerDatabaseError(
                f"{self.path} was written by a newer version of this program, so it is open for "
                "reading only. Update this program to write to it."
            )


def refuse_unusable(path: Path) -> None:
    """Raise StorageError unless *path* is a file, or can become one."""
    if not path.parent.is_dir():
        raise StorageError(
            f"There is no folder {path.parent} for the memory file. Make the folder, or name "
            "another file in SQLITE_DB_FILE."
        )
    if path.exists() and not path.is_file():
        raise StorageError(f"{path} is not a file. Name a file in SQLITE_DB_FILE.")


def connect(path: Path) -> RedactingConnection:
    """Open *path* with everything that each of our connections needs."""
    connection = _open(path)
    if schema.version(connection) <= schema.newest_version():
        _choose_journal(connection, path)
    # An acknowledged write survives a power cut.
    connection.execute("pragma synchronous = full")
    connection.execute("pragma foreign_keys = on")
    # Eight megabytes instead of two: rescoring reads some hundred vectors a search.
    connection.execute("pragma cache_size = -8000")
    return connection


def _open(path: Path) -> RedactingConnection:
    connection = RedactingConnection(str(path))
    connection.set_busy_timeout(BUSY_MILLISECONDS)
    connection.row_trace = _by_name
    return connection


def _choose_journal(connection: apsw.Connection, path: Path) -> None:
    """Write ahead, but on a network file system, where that is not safe (docs/decisions)."""
    network = file_system.network_kind(path)
    if not network:
        _enter_wal(connection)
        return
    try:
        connection.execute("pragma journal_mode = delete")
    except apsw.BusyError as error:
        raise StorageError(
            f"{path} lies on a network file system ({network}), where a write-ahead log is not "
            "safe, and another process still uses it with one. Close that process, or move the "
            "memory to a disk of this machine."
        ) from error


def _enter_wal(connection: apsw.Connection) -> None:
    while True:
        try:
            connection.execute("pragma journal_mode = wal")
            return
        except apsw.BusyError:
            # The switch fails at once if another process is at it, whatever the
            # busy timeout. Taking the lock waits for that process.
            connection.execute("begin immediate; rollback")


def _by_name(cursor: apsw.Cursor, row: apsw.SQLiteValues) -> dict[str, Any]:
    # A plain dict, so Entity(**row) works. Unpacking one gives names, not values.
    return dict(zip(map(_FIRST, cursor.get_description()), row, strict=True))


@contextmanager
def _translated(path: Path) -> Iterator[None]:
    try:
        yield
    except (apsw.ConnectionClosedError, apsw.CursorClosedError) as error:
        raise NotInitialisedError(_CLOSED) from error
    except UnicodeEncodeError as error:
        raise ValidationError(
            "A text holds half of a surrogate pair, which is no character. Leave it out."
        ) from error
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise StorageError(
            f"{path}: a row cannot be read; restore a backup, or run the tool memory_health "
            f"({error})."
        ) from error
    except apsw.SQLError as error:
        if _OTHER_TABLES.search(str(error)) is None:
            raise
        raise StorageError(
            f"{path}: its tables are not as they were made; restore a backup ({error})."
        ) from error
    except apsw.Error as error:
        for kind, way_out in _WAYS_OUT:
            if isinstance(error, kind):
                raise StorageError(f"{path}: {way_out} ({error}).") from error
        raise
