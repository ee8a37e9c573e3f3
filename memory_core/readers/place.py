"""
Opening a file that someone else has named.

1. Symlinks and ``..`` are resolved first; what counts is where the file really is.
2. Only regular files: a device or a pipe may never end, or act on being opened.
3. Between the check and the opening a folder may be swapped for a symlink, so where
   the platform can, each folder is opened within the one before, following none.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from ..errors import ForbiddenError, NotFoundError, ValidationError

_CAN_WALK = os.open in os.supports_dir_fd
_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
# Looking into a folder asks for less than listing it.
_FOLDER_FLAGS = getattr(os, "O_PATH", os.O_RDONLY) | getattr(os, "O_DIRECTORY", 0)


def real_place(path: str, roots: Sequence[Path], *, purpose: str = "read") -> Path:
    """Return where *path* really is; raise ForbiddenError if that is under none of *roots*."""
    place = _resolved(path)
    if not any(place.is_relative_to(root) for root in _resolved_roots(roots)):
        allowed = ", ".join(str(root) for root in roots) or "none"
        raise ForbiddenError(
            f"{path} is outside the folders that may be {purpose} ({allowed}). Choose a place "
            "there, or add its folder to KNOWLEDGE_ROOTS."
        )
    return place


def contents(place: Path, roots: Sequence[Path], *, max_bytes: int) -> bytes:
    """Return the bytes of the regular file at *place*, which real_place() gave."""
    with opened(place, roots) as file:
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


@contextmanager
def opened(place: Path, roots: Sequence[Path]) -> Iterator[BinaryIO]:
    """Open the regular file at *place*, which real_place() gave, for reading."""
    try:
        _refuse_irregular(place, os.stat(place, follow_symlinks=False).st_mode)
        descriptor = _opened(place, roots)
    except FileNotFoundError as error:
        raise NotFoundError("file", str(place), "Check the path; it must be absolute.") from error
    except OSError as error:
        raise _unreadable(place, error) from error
    with os.fdopen(descriptor, "rb") as file:
        _refuse_irregular(place, os.fstat(descriptor).st_mode)
        yield file


def _resolved(path: str) -> Path:
    if not path.strip() or "\0" in path:
        raise ValidationError(f"{path!r} is not a file path. Give the absolute path of a file.")
    if path.replace("\\", "/").startswith("//"):
        raise ForbiddenError(
            f"{path} is a network or device path. Give the path of a file on a disk."
        )
    try:
        return Path(path).expanduser().resolve()
    except (OSError, RuntimeError, ValueError) as error:
        raise ValidationError(
            f"{path!r} cannot be resolved ({error}). Give an absolute path."
        ) from error


def _resolved_roots(roots: Sequence[Path]) -> list[Path]:
    return [root.expanduser().resolve() for root in roots]


def _opened(place: Path, roots: Sequence[Path]) -> int:
    root = next((root for root in _resolved_roots(roots) if place.is_relative_to(root)), None)
    if root is None:
        raise ForbiddenError(f"{place} is outside the folders that may be read.")
    if not _CAN_WALK or place == root:
        return os.open(place, _FLAGS)
    folder = os.open(root, _FOLDER_FLAGS)
    try:
        *between, name = place.relative_to(root).parts
        for part in between:
            inner = os.open(part, _FOLDER_FLAGS | os.O_NOFOLLOW, dir_fd=folder)
            os.close(folder)
            folder = inner
        return os.open(name, _FLAGS, dir_fd=folder)
    finally:
        os.close(folder)


def _refuse_irregular(place: Path, mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise ValidationError(f"{place} is a folder. Give the path of a file in it.")
    if not stat.S_ISREG(mode):
        raise ForbiddenError(f"{place} is a device, pipe or socket. Only regular files are read.")


def _unreadable(place: Path, error: OSError) -> ForbiddenError:
    return ForbiddenError(f"{place} cannot be read: {error.strerror}. Check its permissions.")
