from __future__ import annotations

import subprocess
import sys

import pytest
from architecture.source import ROOT
from support import PATIENCE

from dashboard.auth import refuse_open_bind


@pytest.mark.parametrize("address", [None, "", "0.0.0.0", "192.0.2.7"])
def test_an_open_door_without_a_password_is_refused(address):
    with pytest.raises(SystemExit, match="DASHBOARD_PASSWORD"):
        refuse_open_bind(address, has_password=False)
    assert refuse_open_bind(address, has_password=True) is None


@pytest.mark.parametrize("address", ["127.0.0.1", "localhost", "::1"])
def test_this_machine_needs_no_password(address):
    assert refuse_open_bind(address, has_password=False) is None


@pytest.mark.process
def test_started_in_another_folder_it_does_not_listen_on_every_address(tmp_path):
    started = subprocess.run(
        [
            *(sys.executable, "-m", "streamlit", "run", str(ROOT / "dashboard" / "app.py")),
            *("--server.port", "0", "--server.headless", "true"),
        ],
        cwd=tmp_path,
        env={"PATH": "", "HOME": str(tmp_path), "MEMORY_DATA_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )

    assert "would listen on every address" in started.stdout + started.stderr
    assert [] == list(tmp_path.glob("*.db"))
