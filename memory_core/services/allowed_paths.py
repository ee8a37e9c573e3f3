"""File access control: callers may read and write the data folder and the allowed roots only."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..errors import ValidationError
from ..readers.safe_open import real_place
from ..storage import open_files
from ..storage.files import backups

EXPORTS = "exports"
BACKUPS = "backups"


def data_folders(database: Path) -> tuple[Path, ...]:
    """
    Return the folders of *database* that callers may name.

    A database in the home folder or above it does not open the home folder.
    """
    folder = database.parent
    # Listed separately: each may be a symbolic link to another disk.
    own = (folder / EXPORTS, folder / BACKUPS)
    return own if Path.home().resolve().is_relative_to(folder.resolve()) else (folder, *own)


def write_target(path: str, roots: Sequence[Path], *, folder: Path) -> Path:
    """
    Return the resolved path for writing a file or folder that a caller named.

    *folder* is created if the target is in it. Raise ForbiddenError for a path outside *roots* and
    for the files of an open database. Everything that writes to a caller's path calls this.
    """
    target = real_place(path, roots, purpose="written to")
    open_files.refuse_as_target(target)
    if target.parent == folder.resolve():
        backups.make_folder(folder)
    if not target.parent.is_dir():
        raise ValidationError(
            f"There is no folder {target.parent}. Create it, or give a bare name."
        )
    return target
