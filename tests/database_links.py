"""Links to the files of an open database, and a second process that tries its write lock."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

_TRY = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], timeout=0, isolation_level=None)
try:
    connection.execute("begin immediate")
    print("locked")
except sqlite3.OperationalError as error:
    print(error)
"""

# Hard links compare equal by inode only; the decomposed name is another one once normalised.
LINKS = {
    "symlink": ("symlink{}", os.symlink),
    "hard link": ("hard{}", os.link),
    "decomposed hard link": ("de\u0301compose\u0301{}", os.link),
}
ENDINGS = ("", "-wal", "-shm")


def link_to(target: Path, folder: Path, kind: str, suffix: str) -> Path:
    name, make = LINKS[kind]
    link = folder / name.format(suffix)
    make(target, link)
    return link


def other_process_takes_write_lock(path: Path) -> bool:
    done = subprocess.run(
        [sys.executable, "-c", _TRY, str(path)], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() in ("locked", "database is locked")
    return done.stdout.strip() == "locked"
