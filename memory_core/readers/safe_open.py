"""
The one module that opens files named by users.

1. Symlinks and ``..`` are resolved first; the resolved path must be under an allowed root.
2. Only regular files are opened: a device or a pipe may block, or react to being opened.
3. Between the check and the opening a folder may be replaced by a symlink. Where the
   platform allows it, each folder is opened relative to its parent, without following links.
4. A file of an open database is never opened: closing it would drop SQLite's locks
   (storage/open_files.py). An O_PATH descriptor does not count as opening. The file is
   identified by one, and then reopened through it, so no other file can take its place.
5. The path is opened exactly as it was checked, without Unicode normalisation.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO

from ..context import typed_paths
from ..errors import ForbiddenError, NotFoundError, ValidationError
from ..home_folder import expand_home
from ..storage import open_files

_CAN_WALK = os.open in os.supports_dir_fd
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
# Traversing a folder needs fewer permissions than listing it.
_FOLDER_FLAGS = getattr(os, "O_PATH", os.O_RDONLY) | getattr(os, "O_DIRECTORY", 0)
_DESCRIPTORS = "/proc/self/fd"

# Descriptors of database files that were opened in a race: closing one drops locks.
_kept_open: list[int] = []


def real_place(path: str, roots: Sequence[Path], *, purpose: str = "read") -> Path:
    """
    Return the resolved path of *path*.

    Raise ForbiddenError if it is under none of *roots*, or a file of an open database. A path that
    the user typed at the command line counts as a root.
    """
    place = _resolve(path)
    if not any(place.is_relative_to(root) for root in _resolved_roots(roots)):
        allowed = ", ".join(str(root) for root in roots) or "none"
        raise ForbiddenError(
            f"{path} is outside the folders that may be {purpose} ({allowed}). Choose a place "
            "there, or add its folder to KNOWLEDGE_ROOTS."
        )
    open_files.refuse_open_database(place)
    return place


def contents(place: Path, roots: Sequence[Path], *, max_bytes: int) -> bytes:
    """Return the bytes of the regular file at *place*, which real_place() returned."""
    with open_file(place, roots) as file:
        stated = os.fstat(file.fileno()).st_size
        try:
            # The size may be 0 in /proc, or grow while we read: trust what is read.
            content = b"" if stated > max_bytes else file.read(max_bytes + 1)
        except OSError as error:
            raise _unreadable(place, error) from error
    size = max(stated, len(content))
    if size > max_bytes:
        raise ForbiddenError(
            f"{place} has {size:,} bytes or more and may have {max_bytes:,}. Cut it into parts, or "
            "raise KNOWLEDGE_MAX_BYTES."
        )
    return content


def configured_contents(path: Path, *, max_bytes: int) -> bytes:
    """Return the bytes of a file named in the settings, which may be in any folder."""
    place = _resolve(str(path))
    return contents(place, [place.parent], max_bytes=max_bytes)


@contextmanager
def open_file(place: Path, roots: Sequence[Path]) -> Iterator[BinaryIO]:
    """Open the regular file at *place*, which real_place() returned, for reading."""
    try:
        descriptor = _open_descriptor(place, roots)
    except FileNotFoundError as error:
        raise NotFoundError("file", str(place), "Check the path; it must be absolute.") from error
    except OSError as error:
        raise _unreadable(place, error) from error
    try:
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            yield file
    finally:
        _close(descriptor)


def _resolve(path: str) -> Path:
    if not path.strip() or "\0" in path:
        raise ValidationError(f"{path!r} is not a file path. Give the absolute path of a file.")
    if path.replace("\\", "/").startswith("//") and not _is_typed(path):
        raise ForbiddenError(
            f"{path} is a network or device path. Give the path of a file on a disk."
        )
    try:
        return expand_home(path).resolve()
    except (OSError, RuntimeError, ValueError) as error:
        raise ValidationError(
            f"{path!r} cannot be resolved ({error}). Give an absolute path."
        ) from error


def _is_typed(path: str) -> bool:
    typed = typed_paths()
    return bool(typed) and any(Path(path).resolve().is_relative_to(each) for each in typed)


def _resolved_roots(roots: Sequence[Path]) -> list[Path]:
    return [*(expand_home(root).resolve() for root in roots), *typed_paths()]


def _open_descriptor(place: Path, roots: Sequence[Path]) -> int:
    root = next((root for root in _resolved_roots(roots) if place.is_relative_to(root)), None)
    if root is None:
        raise ForbiddenError(f"{place} is outside the folders that may be read.")
    if not _CAN_WALK or place == root:
        return _opened_in(None, str(place), place)
    folder = os.open(root, _FOLDER_FLAGS)
    try:
        *between, name = place.relative_to(root).parts
        for part in between:
            inner = os.open(part, _FOLDER_FLAGS | _NO_FOLLOW, dir_fd=folder)
            os.close(folder)
            folder = inner
        return _opened_in(folder, name, place)
    finally:
        os.close(folder)


def _opened_in(folder: int | None, name: str, place: Path) -> int:
    """Open *name* in *folder* unless it must not be opened; *place* is for messages."""
    if hasattr(os, "O_PATH") and os.path.isdir(_DESCRIPTORS):
        handle = os.open(name, os.O_PATH | os.O_CLOEXEC | _NO_FOLLOW, dir_fd=folder)
        try:
            _refuse(place, os.fstat(handle))
            return os.open(f"{_DESCRIPTORS}/{handle}", _FLAGS)
        finally:
            os.close(handle)
    _refuse(place, os.stat(name, dir_fd=folder, follow_symlinks=False))
    descriptor = os.open(name, _FLAGS | _NO_FOLLOW, dir_fd=folder)
    with ExitStack() as on_refusal:
        on_refusal.callback(_close, descriptor)
        # Another file may have taken the name since the check.
        _refuse(place, os.fstat(descriptor))
        on_refusal.pop_all()
    return descriptor


def _close(descriptor: int) -> None:
    # SQLite may have opened the file since we did.
    if open_files.is_open_database(os.fstat(descriptor)):
        _kept_open.append(descriptor)
    else:
        os.close(descriptor)


def _refuse(place: Path, status: os.stat_result) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise ValidationError(f"{place} is a folder. Give the path of a file in it.")
    if stat.S_ISLNK(status.st_mode):
        raise ForbiddenError(
            f"{place} was replaced by a symbolic link. Give the path of the file itself."
        )
    if not stat.S_ISREG(status.st_mode):
        raise ForbiddenError(f"{place} is a device, pipe or socket. Only regular files are read.")
    if open_files.is_open_database(status):
        raise open_files.refusal(place)


def _unreadable(place: Path, error: OSError) -> ForbiddenError:
    return ForbiddenError(f"{place} cannot be read: {error.strerror}. Check its permissions.")
