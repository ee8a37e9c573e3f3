"""Atomic write of a new folder, or replacement of files in an existing one."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from ...errors import ConflictError, ForbiddenError, StorageError
from . import temporary
from .atomic_write import write_whole


def write_folder(target: Path, files: Mapping[str, bytes], *, replace: bool) -> tuple[int, str]:
    """
    Write *files*, by path within *target*; return their total size and one SHA-256.

    A new folder appears only when it is complete. With *replace*, files are written into an
    existing folder and other files are kept; without it, raise ConflictError if it is not empty.
    """
    there = target.exists() and (not target.is_dir() or any(target.iterdir()))
    if there and not replace:
        raise ConflictError(
            f"{target} exists and is not empty. Choose another folder, or allow its "
            "files to be replaced."
        )
    try:
        if there:
            _write_into(target, files)
        else:
            _write_new(target, files)
    except OSError as error:
        raise StorageError(
            f"{target} cannot be written: {error.strerror}. Free some space, or choose a folder "
            "this user may write to."
        ) from error
    digest = hashlib.sha256()
    for path, content in sorted(files.items()):
        digest.update(f"{path}\0{len(content)}\0".encode() + content)
    return sum(map(len, files.values())), digest.hexdigest()


def _write_new(target: Path, files: Mapping[str, bytes]) -> None:
    with temporary.folder(target.parent) as folder:
        part = folder / "new"
        part.mkdir(mode=0o700)
        _write_into(part, files)
        if target.exists():
            target.rmdir()
        part.rename(target)


def _write_into(folder: Path, files: Mapping[str, bytes]) -> None:
    if not folder.is_dir():
        raise ConflictError(f"{folder} exists and is not a folder. Choose another name.")
    root = folder.resolve()
    for path, content in files.items():
        file = folder.joinpath(*path.split("/"))
        # A subfolder may be a link to another place.
        if not file.parent.resolve().is_relative_to(root) or file.is_symlink():
            raise ForbiddenError(f"{file} leads out of {folder}. Choose another folder.")
        file.parent.mkdir(parents=True, exist_ok=True)
        write_whole(file, [content], replace=True)
