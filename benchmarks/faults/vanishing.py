"""Clients over HTTP that are gone in the middle of a call, and what the server keeps of them."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .children import PATIENCE

MAIN = Path(__file__).parents[2] / "main.py"
HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "vanishing", "version": "0"},
}

# More handles or threads than before that are still no leak: pools that have grown.
SPARE = 24


@dataclass
class Vanished:
    """How many clients went, and what the server held before and afterwards."""

    clients: int = 0
    handles: tuple[int, int] = (0, 0)
    threads: tuple[int, int] = (0, 0)
    complaints: list[str] = field(default_factory=list)


def vanish(folder: Path, times: int) -> Vanished:
    """Disconnect clients of each transport at every stage of a call; return what they leak."""
    reported = Vanished()
    with _serve_folder(folder) as (port, pid):
        _call(port, "search_memory", query="warm")
        before = _held_resources(pid)
        for number in range(times):
            for leave in _WAYS:
                leave(port, number)
                reported.clients += 1
        _call(port, "create_entity", name="Ann", node_type="person")
        after = _wait_until_settled(pid, before)
        if "Ann" not in _call(port, "search_memory", query="Ann"):
            reported.complaints.append("what was written afterwards is not found")
    reported.handles = before[0], after[0]
    reported.threads = before[1], after[1]
    if _grown(before, after):
        reported.complaints.append(f"handles and threads grew from {before} to {after}")
    return reported


def _half_a_request(port: int, number: int) -> None:
    with closing(_connect(port)) as client:
        client.sendall(_post("/mcp", b"{" * 10, length=10_000))


def _before_the_answer(port: int, number: int) -> None:
    session = _begin(port)
    with closing(_connect(port)) as client:
        client.sendall(_post("/mcp", _asking("search_memory", {"query": f"q {number}"}), session))


def _while_it_writes(port: int, number: int) -> None:
    session = _begin(port)
    arguments = {"name": f"gone {number}", "node_type": "person"}
    with closing(_connect(port)) as client:
        client.sendall(_post("/mcp", _asking("create_entity", arguments), session))


def _from_its_stream(port: int, number: int) -> None:
    session = _begin(port)
    with closing(_connect(port)) as client:
        client.sendall(_get("/mcp", session))
        client.recv(64)


def _from_the_older_door(port: int, number: int) -> None:
    with closing(_connect(port)) as client:
        client.sendall(_get("/sse"))
        reported = b""
        while b"session_id=" not in reported:
            reported += client.recv(4096)
        path = re.search(rb"/messages/\S+", reported)
        assert path
        with closing(_connect(port)) as other:
            other.sendall(_post(path[0].decode(), _hello()))
            other.recv(64)


_WAYS = (
    _half_a_request,
    _before_the_answer,
    _while_it_writes,
    _from_its_stream,
    _from_the_older_door,
)


def _begin(port: int) -> str:
    """Shake hands; return the session."""
    with closing(_connect(port)) as client:
        client.sendall(_post("/mcp", _hello()))
        head = _all_of(client)
    found = re.search(r"mcp-session-id: (\S+)", head, re.IGNORECASE)
    assert found, head
    return found[1]


def _call(port: int, tool: str, **arguments: Any) -> str:
    """Return what a client that stays is answered."""
    session = _begin(port)
    with closing(_connect(port)) as client:
        client.sendall(_post("/mcp", _asking(tool, arguments), session))
        return _all_of(client)


def _all_of(client: socket.socket) -> str:
    reported = b""
    while more := client.recv(65_536):
        reported += more
    return reported.decode()


def _hello() -> bytes:
    asked = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}
    return json.dumps(asked).encode()


def _asking(tool: str, arguments: dict[str, Any]) -> bytes:
    params = {"name": tool, "arguments": arguments}
    return json.dumps(
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params}
    ).encode()


def _connect(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)


def _post(path: str, body: bytes, session: str = "", *, length: int = 0) -> bytes:
    more = f"content-type: application/json\r\ncontent-length: {length or len(body)}\r\n"
    return f"POST {path} HTTP/1.1\r\n{more}{_headers(session)}\r\n".encode() + body


def _get(path: str, session: str = "") -> bytes:
    return f"GET {path} HTTP/1.1\r\n{_headers(session)}\r\n".encode()


def _headers(session: str) -> str:
    named = f"mcp-session-id: {session}\r\nmcp-protocol-version: 2025-06-18\r\n" if session else ""
    accept = "accept: application/json, text/event-stream\r\n"
    return f"host: 127.0.0.1\r\nconnection: close\r\n{accept}{named}"


@contextmanager
def _serve_folder(folder: Path) -> Iterator[tuple[int, int]]:
    process = subprocess.Popen(
        [sys.executable, str(MAIN), "--transport", "http", "--port", "0"],
        env={**os.environ, "MEMORY_DATA_DIR": str(folder)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr
    try:
        found = re.search(r"http://[^/]+:(\d+)/", process.stderr.readline())
        assert found, process.stderr.read()
        yield int(found[1]), process.pid
    finally:
        process.terminate()
        process.communicate(timeout=PATIENCE)


def _held_resources(pid: int) -> tuple[int, int]:
    """Return how many handles and threads a process has (Linux)."""
    proc = Path("/proc") / str(pid)
    return len(os.listdir(proc / "fd")), len(os.listdir(proc / "task"))


def _grown(before: tuple[int, int], after: tuple[int, int]) -> bool:
    return any(now > then + SPARE for then, now in zip(before, after, strict=True))


def _wait_until_settled(pid: int, before: tuple[int, int]) -> tuple[int, int]:
    """Wait until the server has noticed that its clients are gone, or give up."""
    waiting = threading.Event()
    for _ in range(10 * int(PATIENCE)):
        now = _held_resources(pid)
        if not _grown(before, now):
            break
        waiting.wait(0.1)
    return now
