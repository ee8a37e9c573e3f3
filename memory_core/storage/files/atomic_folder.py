"""Writing a folder of files: whole, or over the files of one that is there."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from ...errors import ConflictError, ForbiddenError, StorageError
from . import temporary
from .atomic_write import write_whole


def write_folder(target: Path, files: Mapping[str, bytes], *, replace: bool) -> tuple[int, str]:
    """
    Write *files*, by path within *target*; return their size in all and one SHA-256.

    A folder that is new appears whole. With *replace* files are written into one that is
    there, and those of other names stay; without it, raise ConflictError if it holds anything.
    """
    there = target.exists() and (not target.is_dir() or any(target.iterdir()))
    if there and not replace:
        raise ConflictError(
            f"{target} is there already and is not empty. Choose another folder, or say that its "
            "files may be replaced."
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
        raise ConflictError(f"{folder} is there already and is no folder. Choose another name.")
    root = folder.resolve()
    for path, content in files.items():
        file = folder.joinpath(*path.split("/"))
        # A folder in it may be a link that leads elsewhere.
        if not file.parent.resolve().is_relative_to(root) or file.is_symlink():
            raise ForbiddenError(f"{file} leads out of {folder}. Choose another folder.")
        file.parent.mkdir(parents=True, exist_ok=True)
        write_whole(file, [content], replace=True)
