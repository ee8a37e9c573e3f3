"""Clean installation of the image's packages, in the order of the Dockerfile."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import venv
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]


@dataclass
class Installation:
    """What came of it."""

    steps: int = 0
    packages: int = 0
    complaints: list[str] = field(default_factory=list)


def install_image(folder: Path) -> Installation:
    """Run the pip lines of the Dockerfile in a new environment in *folder*."""
    reported = Installation()
    venv.create(folder / "venv", with_pip=True)
    python = str(folder / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python")
    wanted = _wanted_version()
    (folder / "wanted.txt").write_text(wanted, encoding="utf-8")
    (folder / "torch.txt").write_text(_torch(wanted), encoding="utf-8")
    for step in _steps():
        reported.steps += 1
        done = subprocess.run(
            [python, "-m", *step], cwd=folder, capture_output=True, text=True, check=False
        )
        if done.returncode:
            reported.complaints.append(f"{shlex.join(step)}: {(done.stdout + done.stderr)[-800:]}")
    listed = subprocess.run(
        [python, "-m", "pip", "list", "--format=json"], capture_output=True, text=True, check=False
    )
    reported.packages = len(json.loads(listed.stdout or "[]"))
    return reported


def _steps() -> list[list[str]]:
    """Return the pip commands of the Dockerfile; its index, where another is set, is that."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    index = os.environ.get("TORCH_INDEX_URL", "")
    steps = [shlex.split(step) for step in re.findall(r"pip (?:install|check)[^&\n]*", text)]
    return [_with_index(step, index) for step in steps]


def _with_index(step: list[str], index: str) -> list[str]:
    if "$TORCH_INDEX_URL" not in step:
        return step
    place = step.index("--index-url")
    # Without another index, pip's own: a mirror may be all that a machine reaches.
    return [*step[:place], *(("--index-url", index) if index else ()), *step[place + 2 :]]


def _wanted_version() -> str:
    command = [sys.executable, str(ROOT / "deploy" / "requirements.py"), "dashboard", "torch"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def _torch(wanted: str) -> str:
    return next(line for line in wanted.splitlines() if re.match(r"torch[^a-z-]", line)) + "\n"
