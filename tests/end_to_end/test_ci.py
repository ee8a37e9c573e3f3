import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from .launching import LAUNCHER, program

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the script is for bash")

SCRIPT = LAUNCHER.parent / ".ci/run"
CHECKS = [
    "-m ruff check .",
    "-m ruff format --check .",
    "-m mypy",
    "-m memory_core.docs --check",
    ".ci/check_wheel.py",
]
INSTALLS, TESTS = "launch.py test --version", "launch.py test"


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    (tmp_path / ".ci").mkdir()
    shutil.copy(SCRIPT, tmp_path / ".ci/run")
    tools, log = tmp_path / "tools", tmp_path / "log"
    for name in ("bash", "dirname", "id", "timeout"):
        tools.mkdir(exist_ok=True)
        (tools / name).symlink_to(str(shutil.which(name)))
    program(tools / "sudo", '#!/bin/sh\nexec "$@"\n')
    program(tools / "apt-get", f'#!/bin/sh\necho "apt-get $1" >> {log}\n')
    logs = f'#!/bin/sh\necho "$*" >> {log}\n[ "$CI" = true ] || exit 9\n'
    fails = f"[ -f {tmp_path}/fails ] && read -r failing < {tmp_path}/fails\n"
    fails += '[ "$*" = "$failing" ] && exit 4\nexit 0\n'
    program(tools / "python3", logs + fails)
    (tmp_path / ".venv").mkdir()
    program(tmp_path / ".venv/bin/python", logs + fails)
    return tmp_path


def ran(clone: Path) -> tuple[int, list[str]]:
    run = subprocess.run(
        [clone / ".ci/run"], env={"PATH": str(clone / "tools")}, capture_output=True
    )
    return run.returncode, (clone / "log").read_text().splitlines()


def test_ci_runs_every_check_and_the_readme_command(clone: Path) -> None:
    program(clone / "tools/chromium", "#!/bin/sh\n")

    assert (0, [INSTALLS, *CHECKS, TESTS]) == ran(clone)


def test_ci_installs_a_missing_browser(clone: Path) -> None:
    code, calls = ran(clone)

    assert (0, ["apt-get update", "apt-get install"]) == (code, calls[:2])


@pytest.mark.parametrize("failing", [INSTALLS, *CHECKS, TESTS])
def test_failed_stage_exits_with_its_code(clone: Path, failing: str) -> None:
    program(clone / "tools/chromium", "#!/bin/sh\n")
    (clone / "fails").write_text(f"{failing}\n")

    code, calls = ran(clone)

    assert (4, failing) == (code, calls[-1])


def test_stage_budgets_total_less_than_an_hour() -> None:
    text = SCRIPT.read_text(encoding="utf-8")
    budgets = [int(minutes) for minutes in re.findall(r"^ *(?:stage|exec).* (\d+)m ", text, re.M)]

    assert len(CHECKS) + 4 == len(budgets)
    assert sum(budgets) < 60


def test_ci_script_names_no_host() -> None:
    assert "://" not in SCRIPT.read_text(encoding="utf-8")
