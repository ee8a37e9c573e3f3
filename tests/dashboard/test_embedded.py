from __future__ import annotations

import os
import signal
import socket
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from support import PATIENCE

from dashboard.embedded import EmbeddedServer
from memory_core import open_memory
from tests.browser.running import free_port


@pytest.fixture
def database(tmp_path):
    """The path and the id of a memory file."""
    memory = open_memory(path=tmp_path / "memory.db")
    found = memory.db.path, memory.db.uuid
    memory.close()
    return found


@pytest.fixture(autouse=True)
def an_answer_is_waited_for(monkeypatch):
    """However busy the machine, what is there is heard."""
    monkeypatch.setattr("dashboard.embedded.ASK_SECONDS", PATIENCE)


@pytest.fixture
def embedded(database, monkeypatch, tmp_path):
    """A server that is not started, for a memory of its own."""
    monkeypatch.setenv("MEMORY_DATA_DIR", str(tmp_path))
    made = EmbeddedServer(*database, host="127.0.0.1", port=free_port())
    yield made
    made.stop()


def settled(server):
    """Ask until the server has come up or has failed."""
    waiting = threading.Event()
    for _ in range(PATIENCE * 10):
        status = server.status()
        if status.state != "starting":
            break
        waiting.wait(0.1)
    return status


@pytest.mark.process
def test_a_server_with_a_token_is_recognised(database, monkeypatch, tmp_path):
    monkeypatch.setenv("MEMORY_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("MCP_TOKEN", "correct-horse")
    made = EmbeddedServer(*database, host="127.0.0.1", port=free_port(), token="correct-horse")
    made.start()
    try:
        assert "running" == settled(made).state
    finally:
        made.stop()


@pytest.mark.process
def test_it_starts_shows_itself_and_stops(embedded):
    before = embedded.status()
    embedded.start()
    running = settled(embedded)
    after = embedded.stop()

    assert ["stopped", "running", "stopped"] == [s.state for s in (before, running, after)]
    assert running.pid not in (0, os.getpid())
    assert running.serving and not after.serving


@pytest.mark.process
def test_starting_twice_keeps_the_one_that_runs(embedded):
    embedded.start()
    first = settled(embedded)

    assert first.pid == embedded.start().pid


@pytest.mark.process
def test_a_server_of_the_same_memory_is_shown_and_left_alone(embedded, database):
    embedded.start()
    settled(embedded)
    second = EmbeddedServer(*database, host="127.0.0.1", port=embedded.port)
    found = second.start()
    second.stop()

    assert ("elsewhere", 0) == (found.state, found.pid)
    assert "running" == embedded.status().state


def test_another_program_on_the_port_is_named(database):
    with HTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as stranger:
        answering = threading.Thread(target=stranger.serve_forever, daemon=True)
        answering.start()
        server = EmbeddedServer(*database, host="127.0.0.1", port=stranger.server_port)
        status = server.start()
        stranger.shutdown()
        answering.join()

    assert "taken" == status.state
    assert f"port {stranger.server_port} is another program" in status.reason
    assert "MCP_PORT" in status.reason


def test_who_is_slow_to_answer_is_not_called_another_program(database, monkeypatch):
    monkeypatch.setattr("dashboard.embedded.ASK_SECONDS", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as busy:
        port = busy.getsockname()[1]
        server = EmbeddedServer(*database, host="127.0.0.1", port=port)
        status = server.start()

    assert ("taken", 0) == (status.state, status.pid)
    assert f"port {port} did not answer within 0.1 seconds. It may be busy." in status.reason


@pytest.mark.process
def test_a_server_that_cannot_start_says_why(tmp_path, monkeypatch):
    monkeypatch.setenv("MEMORY_DATA_DIR", str(tmp_path))
    missing = tmp_path / "nowhere" / "memory.db"
    server = EmbeddedServer(missing, "no-such-id", host="127.0.0.1", port=0)
    server.start()
    status = settled(server)
    server.stop()

    assert "failed" == status.state
    assert "There is no folder" in status.reason


@pytest.mark.process
def test_a_killed_server_is_started_again(embedded):
    embedded.start()
    first = settled(embedded)
    os.kill(first.pid, signal.SIGKILL)
    os.waitpid(first.pid, os.WNOHANG)
    again = settled(embedded)

    assert "running" == again.state
    assert again.pid not in (0, first.pid)


@pytest.mark.process
def test_a_server_that_keeps_ending_is_started_again_later_each_time(database, monkeypatch):
    started, now = [], [0.0]
    server = EmbeddedServer(*database, host="127.0.0.1", port=free_port(), clock=lambda: now[0])
    monkeypatch.setattr(server, "command", lambda: started.append(now[0]) or ENDS)
    server.start()
    for second in range(40):
        now[0] = float(second)
        assert "failed" == settled(server).state
    server.stop()
    now[0] = 1000.0
    server.status()

    assert [0.0, 0.0, 2.0, 6.0, 14.0, 30.0] == started


ENDS = [sys.executable, "-c", "raise SystemExit(1)"]


def test_a_port_of_its_own_is_found(database):
    server = EmbeddedServer(*database, host="127.0.0.1", port=0)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", server.port))

    assert f"http://localhost:{server.port}" == server.url
