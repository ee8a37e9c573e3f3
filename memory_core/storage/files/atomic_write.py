"""Writing a whole file, or none."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path

from ...errors import ConflictError, StorageError


def write_whole(target: Path, parts: Iterable[bytes], *, replace: bool) -> tuple[int, str]:
    """
    Write *parts* to *target*; return its size and SHA-256.

    Nobody ever sees half of it, and without *replace* no file that is there is touched.
    """
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        part.unlink(missing_ok=True)
        size, digest = _written(part, parts)
        if replace:
            part.replace(target)
        else:
            _claim(part, target)
        _settle(target.parent)
    except OSError as error:
        raise StorageError(
            f"{target} cannot be written: {error.strerror}. Free some space, or choose a folder "
            "this user may write to."
        ) from error
    finally:
        part.unlink(missing_ok=True)
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


def _claim(part: Path, target: Path) -> None:
    """Give the file its name unless another has taken it meanwhile."""
    try:
        os.link(part, target)
    except FileExistsError as error:
        raise ConflictError(
            f"{target} has just been made by another. Choose another name."
        ) from error
    except OSError:
        # A file system without links; renaming there is the next best.
        part.replace(target)


def _settle(folder: Path) -> None:
    """Let the new name survive a power cut, where a folder can be synced."""
    if hasattr(os, "O_DIRECTORY"):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
