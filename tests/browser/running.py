"""Start a dashboard and find a browser, for tests and screenshots."""

from __future__ import annotations

import itertools
import os
import shutil
import socket
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path
from typing import IO

from playwright.sync_api import Page

from tests.support import PATIENCE

ROOT = Path(__file__).parents[2]
NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-sync", "--disable-background-networking", "--disable-component-update"),
]
# One range per test process, below the ephemeral ports of the system.
_MANY = 1_000
_FIRST = 20_000 + _MANY * int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
_PORTS = (_FIRST + (os.getpid() + n) % _MANY for n in itertools.count())


def chromium() -> str | None:
    """Return the browser that is installed, if there is one."""
    return next(filter(None, map(shutil.which, NAMES)), None)


def start(folder: Path, port: int, *, log: IO[bytes], mcp_port: int = 0) -> subprocess.Popen[bytes]:
    """Start a dashboard that keeps everything in *folder*."""
    environment = {
        **os.environ,
        "MEMORY_DATA_DIR": str(folder),
        "SQLITE_DB_FILE": str(folder / "memory.db"),
        "MCP_PORT": str(mcp_port or free_port()),
    }
    command = [sys.executable, "-m", "streamlit", "run", "dashboard/app.py"]
    command += ["--server.port", str(port)]
    return subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log)


def wait_for(address: str, process: subprocess.Popen[bytes]) -> None:
    """Return once the address answers; fail if the process ends or takes too long."""
    ask = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    waiting = threading.Event()
    for _ in range(PATIENCE * 5):
        assert process.poll() is None, "the dashboard ended by itself"
        try:
            ask.open(address, timeout=PATIENCE).close()
            return
        except OSError:
            waiting.wait(0.2)
    raise TimeoutError(f"{address} did not answer within {PATIENCE} s")


def free_port(wanted: int = 0) -> int:
    """
    Return the port that is wanted if it is free, else any that is.

    No other process takes it before the server binds it.
    """
    port = wanted or next(_PORTS)
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return free_port()
        return port


_PLACE = """
(name) => {
  const net = window.memoryGraph;
  const node = net && net.body.data.nodes.get().find(each => each.name === name);
  if (!node || !net.canvas.frame.isConnected) return null;
  net.canvas.frame.scrollIntoView({ block: 'nearest' });
  const at = net.canvasToDOM(net.getPosition(node.id));
  const frame = net.canvas.frame.getBoundingClientRect();
  return [frame.x + at.x, frame.y + at.y];
}
"""
_PICKED = """
(name) => window.memoryGraph.getSelectedNodes().some(
  id => window.memoryGraph.body.data.nodes.get(id).name === name)
"""


def click_node(page: Page, name: str) -> None:
    """Click on the node of that name once the map stands still, until the map has it picked."""
    before = None
    for _ in range(PATIENCE * 2):
        place = page.evaluate(_PLACE, name)
        if place is not None and place == before:
            page.mouse.click(*place)
            if page.evaluate(_PICKED, name):
                return
        before = place
        page.wait_for_timeout(500)
    raise TimeoutError(f"the node {name} could not be clicked within {PATIENCE} s")
