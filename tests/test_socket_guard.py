from __future__ import annotations

import socket
import subprocess
import sys

import httpx
import pytest
import socket_guard


@pytest.fixture
def tried():
    """Give what the guard noted, and forgive it."""
    yield socket_guard.TRIED
    socket_guard.TRIED.clear()


def test_remote_connections_are_refused_and_recorded(tried):
    with socket.socket() as plain, pytest.raises(PermissionError):
        plain.connect(("192.0.2.1", 80))
    with socket.socket(type=socket.SOCK_DGRAM) as plain, pytest.raises(PermissionError):
        plain.sendto(b"", ("192.0.2.1", 53))
    for address in ("http://192.0.2.1", "http://example.org"):
        with pytest.raises(httpx.ConnectError):
            httpx.get(address, trust_env=False)

    assert [
        "socket.connect 192.0.2.1",
        "socket.sendto 192.0.2.1",
        "socket.getaddrinfo 192.0.2.1",
        "socket.getaddrinfo example.org",
    ] == tried


@pytest.mark.process
def test_child_processes_are_restricted_too():
    script = "import socket; socket.create_connection(('192.0.2.1', 80), timeout=1)"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)

    assert "PermissionError: tests do not talk to other machines: 192.0.2.1" in run.stderr
    assert ["socket.getaddrinfo 192.0.2.1"] == socket_guard.tried_by_children()


def test_local_connections_are_allowed(tried):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        for name in ("127.0.0.1", "localhost"):
            socket.create_connection((name, port)).close()

    assert socket_guard.is_here("::1") and not socket_guard.is_here("192.0.2.1")
    assert [] == tried
