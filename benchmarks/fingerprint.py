"""Fingerprint of a result: commit, model, data, settings, seed and threads."""

from __future__ import annotations

import hashlib
import os
import platform
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path

HERE = Path(__file__).parent


def fingerprint(
    *, model: str, files: Iterable[Path], settings: Mapping[str, object], seed: int
) -> dict[str, object]:
    """Return commit, model, hash of the data, settings, seed, threads and machine."""
    return {
        "commit": commit(),
        "model": model,
        "data": hash_of(files),
        "settings": dict(settings),
        "seed": seed,
        "threads": os.environ.get("OMP_NUM_THREADS", "unset"),
        "python": platform.python_version(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
    }


def commit() -> str:
    """Return the commit measured, marked when files differ from it; empty outside a clone."""
    try:
        head = _git("rev-parse", "--short=12", "HEAD")
        return head + ("+changes" if _git("status", "--porcelain", "-uno") else "")
    except (OSError, subprocess.CalledProcessError):
        return ""


def hash_of(files: Iterable[Path]) -> str:
    """Return a short hash of the files' contents, in order of their names."""
    whole = hashlib.sha256()
    for path in sorted(files, key=lambda path: path.name):
        whole.update(path.read_bytes())
    return whole.hexdigest()[:16]


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=HERE, capture_output=True, text=True, check=True)
    return done.stdout.strip()
