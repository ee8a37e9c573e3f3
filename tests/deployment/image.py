"""Lay out the image contents of the Dockerfile in a folder."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def lines_of(instruction: str) -> list[str]:
    """Return what follows each *instruction* in the Dockerfile, continued lines joined."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    return [
        line.removeprefix(instruction).strip()
        for line in text.splitlines()
        if line.startswith(f"{instruction} ")
    ]


def lay_out(folder: Path) -> Path:
    """Do what the COPY lines say, and nothing else; return the folder that stands for /app."""
    for line in lines_of("COPY"):
        *sources, target = shlex.split(line)
        for source in map(ROOT.joinpath, sources):
            if source.is_dir():
                # Of a folder, its content is copied.
                shutil.copytree(
                    source, folder / target, ignore=shutil.ignore_patterns("__pycache__")
                )
            else:
                place = folder / target / source.name if target.endswith("/") else folder / target
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, place)
    return folder


def start(app: Path, service: str, **environment: str) -> subprocess.Popen[str]:
    """Start a service as the image does, with this run's interpreter."""
    return subprocess.Popen(
        [sys.executable, "deploy/entrypoint.py", service],
        cwd=app,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def check(app: Path, service: str, **environment: str) -> int:
    """Ask for the service's health as Docker does, which believes only the third bad answer."""
    command = [sys.executable, "deploy/entrypoint.py", "check", service]
    for _ in range(3):
        code = subprocess.run(command, cwd=app, env={**os.environ, **environment}).returncode
        if code == 0:
            break
    return code
