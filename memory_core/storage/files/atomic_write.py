"""Atomic file write."""

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

    An incomplete file never has the name of *target*. Without *replace*, an existing file is
    not changed.
    """
    try:
        with temporary.folder(target.parent) as folder:
            part = folder / "file"
            size, digest = _write_parts(part, parts)
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


def _write_parts(part: Path, parts: Iterable[bytes]) -> tuple[int, str]:
    size, digest = 0, hashlib.sha256()
    flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0)
    # Private data: readable by this user only, from the first byte.
    with os.fdopen(os.open(part, flags, 0o600), "wb") as file:
        for text in parts:
            file.write(text)
            digest.update(text)
            size += len(text)
        file.flush()
        os.fsync(file.fileno())
    return size, digest.hexdigest()


def claim(part: Path, target: Path) -> None:
    """Rename the file to *target*; raise ConflictError if that exists."""
    try:
        _link(part, target)
    except FileExistsError as error:
        raise ConflictError(
            f"{target} was created by another program during the write. Choose another name."
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
    """Sync *folder*, where this is supported, so that a new name survives a power failure."""
    if hasattr(os, "O_DIRECTORY"):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
