"""A real dashboard and a real browser, on this machine alone."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

ROOT = Path(__file__).parents[2]
PATIENCE = 60
FLAGS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-sync", "--disable-background-networking", "--disable-component-update"),
]
HERE = ("http://127.0.0.1:", "ws://127.0.0.1:", "data:", "blob:")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Headless Chromium; where there is none, the tests are skipped, but not on CI."""
    names = ("chromium", "chromium-browser", "google-chrome")
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        missing = "No Chromium was found, so nothing was tried in a browser. Install chromium."
        if os.environ.get("CI") == "true":
            pytest.fail(missing)
        pytest.skip(missing)
    with sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=found, args=FLAGS)
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def dashboard(tmp_path_factory) -> Iterator[str]:
    """The address of a dashboard over an empty memory of its own, with the real model."""
    folder = tmp_path_factory.mktemp("dashboard")
    port = free_port()
    with (folder / "log").open("wb") as log:
        process = start(folder, port, log=log)
        try:
            wait_for(f"http://127.0.0.1:{port}/_stcore/health", process)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait(30)
    assert "Traceback" not in (folder / "log").read_text(encoding="utf-8")


@pytest.fixture
def page(browser) -> Iterator[Page]:
    """A page that reports every request that would leave this machine, in page.outside."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    opened = context.new_page()
    opened.set_default_timeout(PATIENCE * 1000)
    expect.set_options(timeout=PATIENCE * 1000)
    outside: list[str] = []

    def note(address: str) -> None:
        if not address.startswith(HERE):
            outside.append(address)

    context.on("request", lambda request: note(request.url))
    opened.on("websocket", lambda socket_: note(socket_.url))
    opened.outside = outside
    yield opened
    context.close()


def start(folder: Path, port: int, *, log) -> subprocess.Popen[bytes]:
    """Start a dashboard that keeps everything in *folder*."""
    environment = {
        **os.environ,
        "MEMORY_DATA_DIR": str(folder),
        "SQLITE_DB_FILE": str(folder / "memory.db"),
        "MCP_PORT": str(free_port()),
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
            ask.open(address, timeout=2).close()
            return
        except OSError:
            waiting.wait(0.2)
    pytest.fail(f"{address} did not answer within {PATIENCE} s")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
