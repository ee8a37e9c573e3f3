"""A checkout for the launcher and a port for its dashboard."""

import shutil
from pathlib import Path

import pytest

from tests.browser.running import free_port

from .fake_python import make_environment
from .launching import CPU, LAUNCHER, PACKAGE, pip_would_take


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    shutil.copy(LAUNCHER, tmp_path / "launch.py")
    (tmp_path / "pyproject.toml").write_text(PACKAGE)
    (tmp_path / "requirements.txt").write_text("-e .[torch]\n")
    (tmp_path / "requirements-dashboard.txt").write_text("-r requirements.txt\n-e .[dashboard]\n")
    (tmp_path / "requirements-dev.txt").write_text("-r requirements-dashboard.txt\n-e .[dev]\n")
    (tmp_path / "codes.json").write_text("{}")
    pip_would_take(tmp_path, CPU)
    make_environment(tmp_path / ".venv")
    return tmp_path


@pytest.fixture
def port() -> int:
    return free_port()
