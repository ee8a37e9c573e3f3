import ast
import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

import launch

from .launching import (
    ASKS,
    INSTALLS_DASHBOARD,
    LAUNCHER,
    calls,
    launched,
    program,
    raw_calls,
    started,
    wait_for,
)

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the stand-in is a POSIX script")


def test_the_first_run_installs_then_serves_the_dashboard(checkout: Path, port: int) -> None:
    run = launched(checkout, "--port", str(port))

    app = str(Path("dashboard", "app.py"))
    serves = f"streamlit run {app} --server.port {port}"
    assert (0, [ASKS, INSTALLS_DASHBOARD, serves]) == (run.returncode, calls(checkout))


def test_first_run_prints_all_locations(checkout: Path, port: int) -> None:
    output = launched(checkout, "--port", str(port)).stdout

    configuration = json.loads(output[output.index("{") : output.rindex("}") + 1])
    server = {
        "command": str(checkout / ".venv/bin/python"),
        "args": [str(checkout / "main.py")],
    }
    assert f"http://localhost:{port}" in output
    assert "http://localhost:4392/mcp" in output
    assert {"mcpServers": {"turbovec": server}} == configuration


def test_test_command_forwards_arguments_and_exit_code(checkout: Path) -> None:
    (checkout / "codes.json").write_text('{"pytest": 5}')

    run = launched(checkout, "test", "-q", "-k", "this or that", "tests/rules")

    assert 5 == run.returncode
    assert [
        "pytest",
        *launch.SIDE_BY_SIDE,
        *launch.EVERY_TEST,
        "-q",
        "-k",
        "this or that",
        "tests/rules",
    ] == (raw_calls(checkout)[-1])


def test_ctrl_c_is_forwarded_to_streamlit_with_its_exit_code(checkout: Path, port: int) -> None:
    (checkout / "streamlit.waits").touch()
    with started(checkout, "--port", str(port)) as launcher:
        wait_for(launcher, "waiting")
        launcher.send_signal(signal.SIGINT)

    assert 7 == launcher.returncode


def test_a_busy_port_is_refused_before_anything_is_installed(checkout: Path) -> None:
    tools = checkout / "tools"
    program(
        tools / "lsof", "#!/bin/sh\necho 'ruby 4711 ann 5u IPv4 TCP *:'${2#-iTCP:}' (LISTEN)'\n"
    )
    with socket.create_server(("127.0.0.1", 0)) as listener:
        busy = listener.getsockname()[1]

        run = launched(checkout, "--port", str(busy), PATH=str(tools))

    assert (1, []) == (run.returncode, calls(checkout))
    assert f"Port {busy} is in use (ruby 4711 ann" in run.stderr
    assert f"launch.py --port {busy + 100}" in run.stderr


@pytest.mark.parametrize("asked", ["0", "65536", "http"])
def test_invalid_ports_are_rejected(checkout: Path, asked: str) -> None:
    run = launched(checkout, "--port", asked)

    assert (2, []) == (run.returncode, calls(checkout))
    assert "--port" in run.stderr


def test_an_old_python_is_refused_by_name(checkout: Path) -> None:
    pretends = "import runpy, sys; sys.version_info = (3, 10, 4); sys.argv = ['launch.py']; "
    command = [sys.executable, "-c", pretends + "runpy.run_path('launch.py', run_name='__main__')"]
    run = subprocess.run(command, cwd=checkout, capture_output=True, text=True)

    assert (1, []) == (run.returncode, calls(checkout))
    assert "This is Python 3.10" in run.stderr and "Python 3.11 or newer" in run.stderr


def test_an_old_python_can_read_the_launcher_at_all() -> None:
    tree = ast.parse(LAUNCHER.read_text(encoding="utf-8"), feature_version=(3, 7))

    assert any(isinstance(node, ast.FunctionDef) and node.name == "main" for node in tree.body)
