"""
Registry of the databases that this process has open.

1. Closing any descriptor of a file drops all POSIX locks of the process on that file,
   including those of SQLite. No other code may open and close a file in this registry.
2. Files are compared by device and inode, looked up at the time of the check: a hard link
   has another path, and SQLite deletes and recreates the files next to a database.
3. SQLite protects only a database that it opens twice under one path. A database that
   shares any file with an open one under another path is refused.
"""

from __future__ import annotations

import os
import threading
import unicodedata
import weakref
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import apsw

from ..errors import ForbiddenError

_ENDINGS = ("", "-wal", "-shm", "-journal")

_lock = threading.Lock()
_open: weakref.WeakKeyDictionary[apsw.Connection, str] = weakref.WeakKeyDictionary()


class RegisteredConnection(apsw.Connection):
    """A connection whose files are in the registry until it is closed."""

    def __init__(self, filename: str, **options: Any) -> None:
        """Raise ForbiddenError if the database shares a file with one that is open as another."""
        # SQLite resolves links too, and puts the other files next to the real one.
        path = os.path.realpath(filename)
        _register(self, path)
        with ExitStack() as on_failure:
            on_failure.callback(_forget, self)
            super().__init__(path, **options)
            on_failure.pop_all()

    def close(self, force: bool = False) -> None:
        # May raise, and then the connection is still open.
        super().close(force)
        _forget(self)


def is_open_database(status: os.stat_result) -> bool:
    """Return whether *status* is of a file that belongs to an open database."""
    return any(os.path.samestat(status, each) for path in _databases() for each in _files(path))


def refuse_open_database(place: Path) -> None:
    """Raise ForbiddenError if *place* is, or links to, a file of an open database."""
    try:
        status = place.stat()
    except OSError:
        return
    if is_open_database(status):
        raise refusal(place)


def refuse_as_target(place: Path) -> None:
    """Raise ForbiddenError if writing to *place* would make it a file of an open database."""
    for path in _databases():
        refuse_file_of(Path(path), place)


def refuse_file_of(database: Path, place: Path) -> None:
    """Raise ForbiddenError if *place* is a file of *database*, a link to one, or a missing one."""
    real = os.path.realpath(database)
    if any(_is_same(place, Path(f"{real}{ending}")) for ending in _ENDINGS):
        raise refusal(place)


def refusal(place: Path | str) -> ForbiddenError:
    return ForbiddenError(
        f"{place} is a file of an open memory database, or a link to one. Choose another file: "
        "an export or a backup of that memory."
    )


def _is_same(place: Path, own: Path) -> bool:
    with suppress(OSError):
        return place.samefile(own)
    # SQLite would take a log that appears next to its database for its own.
    with suppress(OSError):
        return _fold_name(place.name) == _fold_name(own.name) and place.parent.samefile(own.parent)
    return False


def _fold_name(name: str) -> str:
    """Return a name as case- and composition-insensitive file systems compare it."""
    return unicodedata.normalize("NFC", name).casefold()


def _register(connection: apsw.Connection, path: str) -> None:
    with _lock:
        theirs = [each for other in {*_open.values()} - {path} for each in _files(other)]
        if any(os.path.samestat(own, each) for own in _files(path) for each in theirs):
            raise refusal(path)
        _open[connection] = path


def _forget(connection: apsw.Connection) -> None:
    with _lock:
        _open.pop(connection, None)


def _databases() -> set[str]:
    with _lock:
        return set(_open.values())


def _files(database: str) -> Iterator[os.stat_result]:
    for ending in _ENDINGS:
        try:
            yield os.stat(f"{database}{ending}")
        except OSError:
            continue
