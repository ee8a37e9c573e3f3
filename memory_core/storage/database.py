"""
Connections and transactions of the database file.

A read block sees one snapshot. A write block takes the write lock when it starts and
records its cause: every changed row is in the audit log, with the cause, the actor and the
time, and in the full-text index before the change is visible to other connections.
"""

from __future__ import annotations

import contextlib
import json
import logging
import operator
import re
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
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
from .history import audit_log, states
from .redacting_connection import RedactingConnection
from .redaction import Redactor
from .search import full_text

logger = logging.getLogger(__name__)

# For services that pass a connection from one row function to another.
Connection = apsw.Connection

# Longer than the short writes of background threads, shorter than a search may be delayed.
SHORT_WAIT_MILLISECONDS = 500

# Longer than the slowest write. A writer that waits longer gets StorageError.
BUSY_MILLISECONDS = 30_000

# Seconds. A gap lets another connection write with a probability of about a half.
_LONG_WRITE = 0.1
_GAP = 0.05

# A fraction of a second; the embedding worker indexes the rest.
_BATCHES_AT_OPEN = 4

_SIGN = """
update change_context
set at = max(:at, at), actor = :actor, cause = :cause, batch_id = :batch_id, txn = null
"""

_UUID = """
select uuid from store
"""

_CLOSED = "This memory is closed. Open it again with open_memory()."

# Errors of the file itself, each with a fix for the user.
_FIXES: tuple[tuple[type[apsw.Error], str], ...] = (
    (apsw.BusyError, "another process has held the write lock for too long; try again"),
    (apsw.FullError, "the disk is full; free some space and try again"),
    (apsw.ReadOnlyError, "the file or its folder is read-only; give this user write access"),
    (apsw.CantOpenError, "it cannot be opened; check that its folder exists and is writable"),
    (apsw.ProtocolError, "several processes are opening it at once; try again"),
    (apsw.NoMemError, "there is not enough memory; close other programs and try again"),
    (apsw.IOError, "the disk reports an error; check the disk and its free space"),
    (apsw.NotADBError, "it is not a SQLite file; set SQLITE_DB_FILE to another one"),
    (apsw.CorruptError, "the file is damaged; restore a backup, or check its health"),
    (apsw.PermissionsError, "access is denied; give this user access to the file"),
    (apsw.AuthError, "access is denied; give this user access to the file"),
)

_FIRST = operator.itemgetter(0)

# Our statements match our schema, so these errors mean that the file was changed.
_OTHER_TABLES = re.compile(r"no such (table|column)|has no column named")


class DryRun(Exception):
    """Raised inside write() or act(): everything written is rolled back, without an error."""


class Database:
    """A memory file. Safe to use from any thread and from several processes."""

    def __init__(self, path: Path, clock: Clock = utc_now, *, redacts: bool = True) -> None:
        """
        Open or create the file. Raise StorageError if it cannot be used.

        With *redacts*, secrets are redacted in everything that is written (redaction.py).
        """
        self.path = path
        self.clock = clock
        self.redacts = redacts
        self._redactor = Redactor() if redacts else None
        self.newer_than_we_know = False
        # Read once: an update may add migrations that this running program does not support.
        self._known_version = schema.newest_version()
        # Called after each committed write, on the thread of the writer. Must be fast.
        self.after_write: list[Callable[[], None]] = []
        self._local = threading.local()
        self._open: weakref.WeakSet[apsw.Connection] = weakref.WeakSet()
        self._closed = False
        with _translating_errors(path):
            self._prepare()

    @property
    def uuid(self) -> str:
        with self.read() as connection:
            return str(connection.execute(_UUID).get)

    @contextmanager
    def read(self) -> Iterator[apsw.Connection]:
        """Yield a connection that reads one snapshot."""
        with self._transaction("begin") as connection:
            yield connection

    @contextmanager
    def write(self, cause: str) -> Iterator[apsw.Connection]:
        """
        Yield a connection for one transaction, recorded with *cause* in the audit log.

        DryRun, raised inside, rolls the transaction back and goes no further.
        """
        self._refuse_if_newer()
        now = format_timestamp(self.clock())
        with contextlib.suppress(DryRun):
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
                states.store_differences(connection, before)
            for follow in self.after_write:
                follow()

    @contextmanager
    def act(self, cause: str) -> Iterator[apsw.Connection]:
        """Like write(), but reads and writes of this thread inside join the one transaction."""
        with as_one_batch(current_batch() or new_id()), self.write(cause) as connection:
            self._local.act = connection
            try:
                yield connection
            finally:
                self._local.act = None

    @contextmanager
    def note(self, *, wait: bool = True) -> Iterator[apsw.Connection]:
        """
        Yield a connection for a write to untracked tables: vectors, traces, counters, leases.

        Without *wait*, raise StorageError if another connection holds the write lock for longer
        than a short write takes.
        """
        self._refuse_if_newer()
        with self._transaction("begin immediate", wait=wait) as connection:
            yield connection

    def reindex_some(self) -> None:
        """Index a part of the rows that follow older text rules, unless another process writes."""
        with contextlib.suppress(StorageError):
            for _ in range(_BATCHES_AT_OPEN):
                with self.read() as connection:
                    if not full_text.needs_reindex(connection):
                        break
                with self.note(wait=False) as connection:
                    full_text.reindex_batch(connection)

    def prepare_texts(self, what: str, texts: Iterable[str]) -> None:
        """
        Scan and tokenize texts that the next write of this thread will store as they are.

        Without it the write does the same, but while it holds the lock.
        """
        for text in texts:
            self.without_secrets(what, text)
            full_text.prepare([text])

    def without_secrets(self, what: str, text: str) -> str:
        """Return *text* as it will be stored, for callers that cut or hash it before a write."""
        return self._redactor.text(text, what) if self._redactor else text

    def without_secrets_in(self, values: Mapping[str, Any], where: str = "") -> dict[str, Any]:
        """Return JSON values as they will be stored; *where* prefixes the recorded places."""
        return self._redactor.arguments(values, where) if self._redactor else dict(values)

    def close(self) -> None:
        """Close all connections. Later use raises NotInitialisedError."""
        self._closed = True
        for connection in list(self._open):
            # A connection in use by another thread is closed when that thread ends.
            with contextlib.suppress(apsw.ThreadingViolationError):
                connection.close()

    @contextmanager
    def _transaction(self, begin: str, *, wait: bool = True) -> Iterator[RedactingConnection]:
        with _translating_errors(self.path):
            connection = self._connection()
            if getattr(self._local, "act", None) is connection:
                yield connection
                return
            if begin != "begin":
                self._let_others_write()
            _begin(connection, begin, wait=wait)
            started = time.monotonic()
            try:
                if begin != "begin":
                    self._refuse_if_migrated(connection)
                yield connection
                connection.execute("commit")
            finally:
                # Open after any exception, also one of the commit, except after
                # RAISE(ROLLBACK).
                if connection.in_transaction:
                    connection.execute("rollback")
                if begin != "begin":
                    self._local.held = started, time.monotonic()
                    self._forget_texts()

    def _let_others_write(self) -> None:
        """
        Pause between two long writes of this thread.

        SQLite's waiting connections poll every 100 ms at most, so a thread that takes the lock
        again at once would keep them waiting for many writes.
        """
        start, end = getattr(self._local, "held", (0.0, 0.0))
        if end - start > _LONG_WRITE and time.monotonic() - end < _GAP:
            time.sleep(_GAP)

    def _forget_texts(self) -> None:
        full_text.forget_prepared()
        if self._redactor:
            self._redactor.forget_texts()

    def _connection(self) -> RedactingConnection:
        """Return the connection of this thread. It is closed when the thread ends."""
        if self._closed:
            raise NotInitialisedError(_CLOSED)
        connection: RedactingConnection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._local.connection = self._connect()
            connection.redactor = self._redactor
            self._open.add(connection)
        return connection

    def _connect(self) -> RedactingConnection:
        # Never creates the file again: what was in it would seem to be lost.
        if not self.path.exists():
            raise StorageError(
                f"{self.path} was removed while it was open. Put it back, or restore a backup and "
                "start again."
            )
        return connect(self.path)

    def _prepare(self) -> None:
        refuse_unusable(self.path)
        if network := file_system.network_kind(self.path):
            logger.warning(
                "%s is on a network file system (%s): it is written without a write-ahead log, "
                "which is slower. Move it to a local disk.",
                self.path,
                network,
            )
        connection = _open(self.path, apsw.SQLITE_OPEN_CREATE)
        try:
            schema.refuse_foreign(connection, self.path)
            self.newer_than_we_know = schema.version(connection) > self._known_version
            if not self.newer_than_we_know:
                _choose_journal(connection, self.path)
                schema.migrate(connection, self.path)
        finally:
            connection.close()

    def _refuse_if_migrated(self, connection: apsw.Connection) -> None:
        """Raise NewerDatabaseError if a newer version has migrated the file since it was opened."""
        self.newer_than_we_know |= schema.version(connection) > self._known_version
        self._refuse_if_newer()

    def _refuse_if_newer(self) -> None:
        if self.newer_than_we_know:
            raise NewerDatabaseError(
                f"{self.path} was written by a newer version of this program, so it is open for "
                "reading only. Update this program to write to it."
            )


def refuse_unusable(path: Path) -> None:
    """Raise StorageError unless *path* is a file or can be created."""
    if not path.parent.is_dir():
        raise StorageError(
            f"There is no folder {path.parent} for the memory file. Create the folder, or set "
            "SQLITE_DB_FILE to another file."
        )
    if path.exists() and not path.is_file():
        raise StorageError(f"{path} is not a file. Set SQLITE_DB_FILE to a file.")


def connect(path: Path) -> RedactingConnection:
    """Open the existing file at *path* with the settings of every connection."""
    connection = _open(path)
    if schema.version(connection) <= schema.newest_version():
        _choose_journal(connection, path)
    # A committed write survives a power failure.
    connection.execute("pragma synchronous = full")
    connection.execute("pragma foreign_keys = on")
    # 8 MB instead of 2: rescoring reads hundreds of vectors per search.
    connection.execute("pragma cache_size = -8000")
    return connection


def _open(path: Path, flags: int = 0) -> RedactingConnection:
    connection = RedactingConnection(str(path), flags=apsw.SQLITE_OPEN_READWRITE | flags)
    connection.set_busy_timeout(BUSY_MILLISECONDS)
    connection.row_trace = _row_as_dict
    return connection


def _choose_journal(connection: apsw.Connection, path: Path) -> None:
    """Use a write-ahead log, except on a network file system (docs/decisions)."""
    network = file_system.network_kind(path)
    if not network:
        _enter_wal(connection)
        return
    try:
        connection.execute("pragma journal_mode = delete")
    except apsw.BusyError as error:
        raise StorageError(
            f"{path} is on a network file system ({network}), where a write-ahead log is not "
            "safe, and another process still uses one. Close that process, or move the "
            "memory to a local disk."
        ) from error


def _enter_wal(connection: apsw.Connection) -> None:
    while True:
        try:
            connection.execute("pragma journal_mode = wal")
            return
        except apsw.BusyError:
            # The switch ignores the busy timeout while another process switches.
            # Taking the lock waits for that process.
            connection.execute("begin immediate; rollback")


def _begin(connection: apsw.Connection, begin: str, *, wait: bool) -> None:
    if wait:
        connection.execute(begin)
        return
    connection.set_busy_timeout(SHORT_WAIT_MILLISECONDS)
    try:
        connection.execute(begin)
    finally:
        connection.set_busy_timeout(BUSY_MILLISECONDS)


def _row_as_dict(cursor: apsw.Cursor, row: apsw.SQLiteValues) -> dict[str, Any]:
    # A plain dict, so that Entity(**row) works.
    return dict(zip(map(_FIRST, cursor.get_description()), row, strict=True))


@contextmanager
def _translating_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except (apsw.ConnectionClosedError, apsw.CursorClosedError) as error:
        raise NotInitialisedError(_CLOSED) from error
    except UnicodeEncodeError as error:
        raise ValidationError(
            "A text contains half of a surrogate pair, which is not a character. Remove it."
        ) from error
    except OverflowError as error:
        raise ValidationError(
            "A number has more than 64 bits and cannot be stored. Give a smaller one, or text."
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
            f"{path}: its tables were changed by another program; restore a backup ({error})."
        ) from error
    except apsw.Error as error:
        for kind, fix in _FIXES:
            if isinstance(error, kind):
                raise StorageError(f"{path}: {fix} ({error}).") from error
        raise
