"""
Temporary folders next to their destination.

1. A name is random and created exclusively: a file of another program is never opened.
2. Only the call that created a temporary folder deletes it.
3. A process that is killed leaves its folder behind. A later call deletes it once nothing
   in it has been written for a while. The pattern of the name is reserved for that.
"""

from __future__ import annotations

import contextlib
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

PREFIX = ".turbovec-"
SUFFIX = ".part"

# The characters and the length that tempfile uses for its random part.
_OURS = re.compile(rf"{re.escape(PREFIX)}[a-z0-9_]{{8}}{re.escape(SUFFIX)}")


@contextmanager
def folder(parent: Path) -> Iterator[Path]:
    """Yield a new private folder in *parent*, on the same file system; delete it afterwards."""
    created = Path(mkdtemp(prefix=PREFIX, suffix=SUFFIX, dir=parent))
    try:
        yield created
    finally:
        # A folder that cannot be deleted now is deleted later.
        shutil.rmtree(created, ignore_errors=True)


def sweep(parent: Path, *, before: float) -> None:
    """Delete the temporary folders of killed processes: those last written *before*."""
    for path in parent.iterdir():
        with contextlib.suppress(OSError):
            if _OURS.fullmatch(path.name) and _last_written(path) < before:
                shutil.rmtree(path, ignore_errors=True)


def _last_written(folder: Path) -> float:
    times = [path.lstat().st_mtime for path in folder.rglob("*")]
    return max([folder.lstat().st_mtime, *times])
