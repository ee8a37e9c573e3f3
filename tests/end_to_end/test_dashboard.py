"""The dashboard as a process: what is there before the first visitor and after the last."""

from __future__ import annotations

import json
import threading
import urllib.error
import urllib.request

import pytest
from support import PATIENCE

from tests.browser.running import free_port, start, wait_for

ASK = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def answers(address):
    with ASK.open(address, timeout=PATIENCE) as reply:
        return json.load(reply)


def test_mcp_server_starts_and_stops_with_the_dashboard(tmp_path):
    port, mcp_port = free_port(), free_port()
    health = f"http://127.0.0.1:{mcp_port}/health"
    with (tmp_path / "log").open("wb") as log:
        process = start(tmp_path, port, log=log, mcp_port=mcp_port)
        wait_for(f"http://127.0.0.1:{port}/_stcore/health", process)
        wait_for(health, process)
        served = answers(health)
        process.terminate()
        process.wait(PATIENCE)

    assert "turbovec-mcp" == served["name"]
    with pytest.raises(urllib.error.URLError):
        gone(health)


def test_pages_are_served_when_the_memory_cannot_open(tmp_path):
    (tmp_path / "memory.db").write_text("this is not a database" * 100)
    port = free_port()
    with (tmp_path / "log").open("wb") as log:
        process = start(tmp_path, port, log=log)
        wait_for(f"http://127.0.0.1:{port}/_stcore/health", process)
        process.terminate()
        process.wait(PATIENCE)

    said = (tmp_path / "log").read_text(encoding="utf-8")
    assert "the memory could not be opened" in said
    assert "Traceback" not in said


def gone(address):
    """Poll until the port is closed; the child checks its parent once a second."""
    waiting = threading.Event()
    for _ in range(10 * PATIENCE):
        answers(address)
        waiting.wait(0.1)
