"""The compose file and the units for systemd and launchd."""

from __future__ import annotations

import configparser
import os
import plistlib
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from support import PATIENCE

from tests.browser.running import free_port, wait_for
from tests.deployment.loading import entrypoint

ROOT = Path(__file__).parents[2]
UNIT = ROOT / "deploy" / "systemd" / "turbovec-mcp.service"
PLIST = ROOT / "deploy" / "launchd" / "io.turbovec.mcp.plist"


@pytest.fixture
def compose():
    return yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))


@pytest.fixture
def home(tmp_path):
    """A home folder with a checkout in it whose environment is this run's."""
    checkout = tmp_path / "turbovec-mcp"
    (checkout / ".venv" / "bin").mkdir(parents=True)
    for name in ("main.py", "memory_core", "dashboard", ".streamlit"):
        (checkout / name).symlink_to(ROOT / name)
    python = checkout / ".venv" / "bin" / "python"
    python.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@"\n')
    python.chmod(0o755)
    return tmp_path


def unit():
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    parser.optionxform = str
    parser.read(UNIT, encoding="utf-8")
    return parser


def test_compose_publishes_on_loopback_only(compose):
    ports = {name: service["ports"] for name, service in compose["services"].items()}

    assert {"server": ["127.0.0.1:4392:4392"], "dashboard": ["127.0.0.1:8501:8501"]} == ports


def test_compose_services_share_one_volume(compose):
    volumes = {tuple(service["volumes"]) for service in compose["services"].values()}

    assert {("memory:/memory",)} == volumes
    assert ["memory"] == list(compose["volumes"])


def test_compose_commands_match_the_entry_point(compose):
    for name, service in compose["services"].items():
        assert [name] == service["command"]
        assert ["python", "deploy/entrypoint.py", "check", name] == service["healthcheck"]["test"][
            1:
        ]
        assert name in entrypoint.SERVICES
        assert service["ports"][0].endswith(f":{entrypoint.SERVICES[name].default_port}")


def test_compose_file_contains_no_secrets(compose):
    given = [service["environment"] for service in compose["services"].values()]

    assert "${MCP_TOKEN:-}" == given[0]["MCP_TOKEN"]
    assert "${DASHBOARD_PASSWORD:-}" == given[1]["DASHBOARD_PASSWORD"]


@pytest.mark.process
def test_systemd_unit_command_starts_the_dashboard(home, tmp_path):
    service = unit()["Service"]
    port = free_port()
    command = shlex.split(service["ExecStart"].replace("%h", str(home)))
    environment = {
        **os.environ,
        "MEMORY_DATA_DIR": str(tmp_path),
        "STREAMLIT_SERVER_PORT": str(port),
        "DASHBOARD_STARTS_SERVER": "false",
    }
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(
            command,
            cwd=service["WorkingDirectory"].replace("%h", str(home)),
            env=environment,
            stdout=log,
            stderr=log,
        )
        wait_for(f"http://127.0.0.1:{port}/_stcore/health", process)
        process.terminate()

    assert process.wait(PATIENCE) in (0, -15)


@pytest.mark.process
def test_systemd_accepts_the_unit(tmp_path):
    if shutil.which("systemd-analyze"):
        asked = ["systemd-analyze", "--user", "verify", str(UNIT)]
        said = subprocess.run(asked, capture_output=True, text=True, timeout=PATIENCE).stderr
        assert "Unknown" not in said

    assert ["Unit", "Service", "Install"] == unit().sections()
    assert "default.target" == unit()["Install"]["WantedBy"]


def test_launchd_and_systemd_run_the_same_command():
    with PLIST.open("rb") as file:
        agent = plistlib.load(file)
    service = unit()["Service"]

    assert service["ExecStart"].replace("%h", "HOME").split() == agent["ProgramArguments"]
    assert service["WorkingDirectory"].replace("%h", "HOME") == agent["WorkingDirectory"]
    assert int(service["UMask"], 8) == agent["Umask"]
