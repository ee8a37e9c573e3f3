"""
Temporary folders: next to their destination, or in the data folder.

1. A name is random and created exclusively: a file of another program is never opened.
2. Only the call that created a temporary folder deletes it, while its process runs.
3. A process that is killed leaves its folder behind. It is deleted when a memory is opened, when
   data is erased and before a backup: at once if its lock is free, else once nothing in it has been
   written for a while. The pattern of the name is reserved for that.
"""

from __future__ import annotations

import contextlib
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

try:
    import fcntl
except ImportError:  # Windows, where an open file cannot be deleted either
    fcntl = None  # type: ignore[assignment]

_LOCK = ".lock"

PREFIX = ".turbovec-"
SUFFIX = ".part"

# The characters and the length that tempfile uses for its random part.
_OURS = re.compile(rf"{re.escape(PREFIX)}[a-z0-9_]{{8}}{re.escape(SUFFIX)}")


@contextmanager
def folder(parent: Path) -> Iterator[Path]:
    """Yield a new private folder in *parent*, on the same file system; delete it afterwards."""
    created = Path(mkdtemp(prefix=PREFIX, suffix=SUFFIX, dir=parent))
    try:
        with _locked(created):
            yield created
    finally:
        # A folder that cannot be deleted now is deleted later.
        shutil.rmtree(created, ignore_errors=True)


def sweep(*parents: Path, before: float) -> int:
    """
    Delete the temporary folders of killed processes, and those last written *before*.

    Return how many.
    """
    count = 0
    for path in (path for parent in parents if parent.is_dir() for path in parent.iterdir()):
        with contextlib.suppress(OSError):
            if _OURS.fullmatch(path.name) and (_is_free(path) or _last_written(path) < before):
                shutil.rmtree(path, ignore_errors=True)
                count += 1
    return count


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder, which the system releases when the process ends."""
    with (folder / _LOCK).open("xb") as file:
        if fcntl:
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _is_free(folder: Path) -> bool:
    """Return whether the process that created the folder has ended; False if that is unknown."""
    lock = folder / _LOCK
    if not fcntl or not lock.is_file():
        return False
    with lock.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def _last_written(folder: Path) -> float:
    times = [path.lstat().st_mtime for path in folder.rglob("*")]
    return max([folder.lstat().st_mtime, *times])
