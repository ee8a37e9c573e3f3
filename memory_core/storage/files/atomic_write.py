"""Writing a whole file, or none."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path

from ...errors import ConflictError, StorageError
from . import temporary


def write_whole(target: Path, parts: Iterable[bytes], *, replace: bool) -> tuple[int, str]:
    """
    Write *parts* to *target*; return its size and SHA-256.

    Nobody ever sees half of it, and without *replace* no file that is there is touched.
    """
    try:
        with temporary.folder(target.parent) as folder:
            part = folder / "file"
            size, digest = _written(part, parts)
            if replace:
                part.replace(target)
            else:
                claim(part, target)
        settle(target.parent)
    except OSError as error:
        raise StorageError(
            f"{target} cannot be written: {error.strerror}. Free some space, or choose a folder "
            "this user may write to."
        ) from error
    return size, digest


def _written(part: Path, parts: Iterable[bytes]) -> tuple[int, str]:
    size, digest = 0, hashlib.sha256()
    flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0)
    # What one person knows: readable by nobody else, from the first byte on.
    with os.fdopen(os.open(part, flags, 0o600), "wb") as file:
        for text in parts:
            file.write(text)
            digest.update(text)
            size += len(text)
        file.flush()
        os.fsync(file.fileno())
    return size, digest.hexdigest()


def claim(part: Path, target: Path) -> None:
    """Give the file the name of *target*; raise ConflictError if that exists by now."""
    try:
        _link(part, target)
    except FileExistsError as error:
        raise ConflictError(
            f"{target} was created by another program meanwhile. Choose another name."
        ) from error


def _link(part: Path, target: Path) -> None:
    try:
        os.link(part, target)
    except FileExistsError:
        raise
    except OSError:
        # Without hard links: reserve the name exclusively, then replace the empty file.
        os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        try:
            part.replace(target)
        except OSError:
            target.unlink(missing_ok=True)
            raise


def settle(folder: Path) -> None:
    """Let the new name survive a power cut, where a folder can be synced."""
    if hasattr(os, "O_DIRECTORY"):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
