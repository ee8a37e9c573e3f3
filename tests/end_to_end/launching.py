"""Run the launcher on a test checkout and record the calls of its interpreter."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from support import PATIENCE

import launch

from .fake_python import make_environment

LAUNCHER = Path(launch.__file__)
PACKAGE = """\
[project]
name = "turbovec-mcp"
dependencies = ["apsw"]
[project.optional-dependencies]
dashboard = ["streamlit"]
torch = ["torch-extras", "torch>=2.2,<2.14"]
dev = ["turbovec-mcp[dashboard,torch]", "pytest"]
[tool.ruff]
line-length = 100
"""
CPU = [("torch", "2.13.0+cpu"), ("sympy", "1.14.0")]
CUDA = [("torch", "2.14.1"), ("nvidia-cublas", "13.1.0.3"), ("triton", "3.7.1")]
INSTALLS_DASHBOARD = "pip install -r requirements-dashboard.txt"
INSTALLS_TESTS = "pip install -r requirements-dev.txt"
ASKS = "pip install --dry-run torch>=2.2,<2.14"


def launched(
    checkout: Path, *arguments: str, cwd: Path | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(checkout / "launch.py"), *arguments],
        cwd=cwd,
        env=surroundings() | environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )


def started(checkout: Path, *arguments: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, str(checkout / "launch.py"), *arguments],
        env=surroundings(),
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def surroundings() -> dict[str, str]:
    """The environment, without what would change the launcher's mind."""
    return {name: value for name, value in os.environ.items() if name != "TORCH_INDEX_URL"}


def wait_for(process: "subprocess.Popen[str]", words: str) -> None:
    assert process.stdout is not None
    assert any(words in line for line in process.stdout), "it ended without a word"


def raw_calls(checkout: Path) -> list[list[str]]:
    log = checkout / "calls.jsonl"
    return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


def calls(checkout: Path) -> list[str]:
    """What the interpreter was asked to run, without paths and options that say nothing here."""
    return [" ".join(telling(call, checkout)) for call in raw_calls(checkout)]


def telling(call: list[str], checkout: Path) -> Iterator[str]:
    quiet = {"--disable-pip-version-check", "--no-input", "--ignore-installed"}
    words = iter(call)
    for word in words:
        if word in ("--progress-bar", "--report"):
            next(words)
        elif word not in quiet:
            yield word.removeprefix(f"{checkout}/") if word.endswith(".txt") else word


def folders(checkout: Path) -> dict[str, str]:
    """Return the working directory of each module's last run."""
    log = checkout / "folders.jsonl"
    return dict(json.loads(line) for line in log.read_text().splitlines())


def modules(checkout: Path) -> list[str]:
    return [call[0] for call in raw_calls(checkout)]


def forget_calls(checkout: Path) -> None:
    (checkout / "calls.jsonl").unlink()


def pip_would_take(checkout: Path, resolved: list[tuple[str, str]]) -> None:
    (checkout / "report.json").write_text(report(resolved))


def report(resolved: list[tuple[str, str]]) -> str:
    """pip's installation report, in the parts that matter."""
    install = [{"metadata": {"name": name, "version": version}} for name, version in resolved]
    return json.dumps({"version": "1", "install": install})


def base_python(checkout: Path) -> Path:
    """A stand-in for the Python that makes environments."""
    make_environment(checkout / "base")
    return Path(shutil.move(checkout / "base/bin/python", checkout / "base-python"))


def program(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
