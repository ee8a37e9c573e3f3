from __future__ import annotations

import asyncio
import socket
import threading
from contextlib import contextmanager, suppress

import pytest
import uvicorn
from starlette.responses import PlainTextResponse
from support import PATIENCE

from memory_core.rules.limits import (
    HTTP_CONNECTIONS_FACTOR,
    RESERVED_HANDLES,
    connections_for,
)
from memory_core.server.transports import connections
from memory_core.server.transports.connections import bounded_config

REQUEST = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"


class Held:
    """An application whose answers to /held wait until they are let go."""

    def __init__(self):
        self.asked = threading.Event()
        self.let_go = threading.Event()

    async def __call__(self, scope, receive, send):
        if scope["type"] == "http":
            if scope["path"] == "/stream":
                await self.stream(receive, send)
                return
            if scope["path"] == "/body":
                while (await receive()).get("more_body"):
                    pass
            if scope["path"] == "/held":
                self.asked.set()
                await asyncio.to_thread(self.let_go.wait, PATIENCE)
            said = f"{scope['client'][0]} is here"
            await PlainTextResponse(said)(scope, receive, send)

    async def stream(self, receive, send):
        """Send one event, and comments until the client is gone."""
        head = {"type": "http.response.start", "status": 200}
        await send(head | {"headers": [(b"content-type", b"text/event-stream")]})
        for body in (b"data: here", b": ping here"):
            await send({"type": "http.response.body", "body": body, "more_body": True})
        while (await receive())["type"] != "http.disconnect":
            pass


@contextmanager
def served(app, **limits):
    """Yield a way to connect to a server of *app*; what was connected is closed at the end."""
    opened = []
    with socket.create_server(("127.0.0.1", 0)) as listening:
        address = listening.getsockname()
        server = uvicorn.Server(bounded_config(app, **limits))
        running = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        running.start()

        def connect():
            opened.append(socket.create_connection(address, PATIENCE))
            return opened[-1]

        try:
            yield connect
        finally:
            for each in opened:
                each.close()
            server.should_exit = True
            running.join(PATIENCE)


def answered(connection, request=REQUEST):
    """Return what comes back to a request: the head and the body that this application gives."""
    connection.sendall(request)
    return answer(connection)


def answer(connection):
    said = b""
    while not said.endswith(b"here"):
        more = connection.recv(4096)
        if not more:
            break
        said += more
    return said


@pytest.mark.parametrize(
    "said",
    [
        b"",
        REQUEST[:-2],
        b"GET / HTTP/1.1\r\nHost: local",
        b"POST /held HTTP/1.1\r\n",
    ],
)
def test_connection_without_complete_headers_is_closed(said):
    with served(Held(), seconds=1) as connect:
        connection = connect()
        connection.sendall(said)

        assert b"" == connection.recv(4096)


@pytest.mark.parametrize(
    ("request_", "rest"),
    [
        (REQUEST, b"GET / HTTP/1.1\r\n"),
        (b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n", b"x"),
    ],
)
def test_keep_alive_connections_time_out_too(request_, rest):
    with served(Held(), seconds=1) as connect:
        connection = connect()
        first = answered(connection, request_)
        connection.sendall(rest)

        assert first.startswith(b"HTTP/1.1 200")
        assert b"" == connection.recv(4096)


def test_slow_responses_are_not_interrupted():
    app = Held()
    with served(app, seconds=1) as connect:
        asking = connect()
        asking.sendall(REQUEST.replace(b"/ ", b"/held ", 1))
        assert app.asked.wait(PATIENCE)
        assert b"" == connect().recv(4096)
        app.let_go.set()

        assert answer(asking).startswith(b"HTTP/1.1 200")


def test_longest_idle_connection_is_closed_at_the_limit():
    app = Held()
    with served(app, connections=4) as connect:
        asking = connect()
        asking.sendall(REQUEST.replace(b"/ ", b"/held ", 1))
        assert app.asked.wait(PATIENCE)
        crowd = [connect() for _ in range(20)]
        late = answered(connect())
        gone = [each.recv(4096) for each in crowd[:-2]]
        app.let_go.set()

        assert late.startswith(b"HTTP/1.1 200")
        assert {b""} == set(gone)
        assert answer(asking).startswith(b"HTTP/1.1 200")


def test_where_all_are_busy_a_newcomer_is_refused():
    app = Held()
    with served(app, connections=1) as connect:
        asking = connect()
        asking.sendall(REQUEST.replace(b"/ ", b"/held ", 1))
        assert app.asked.wait(PATIENCE)
        refused = connect()
        refused.sendall(REQUEST)

        assert refused.recv(4096).startswith(b"HTTP/1.1 503")
        app.let_go.set()
        assert answer(asking).startswith(b"HTTP/1.1 200")


STREAM = REQUEST.replace(b"/ ", b"/stream ", 1)
SLOW_BODY = b"POST /body HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nx"


@pytest.mark.parametrize("request_", [b"", REQUEST[:-2], SLOW_BODY, STREAM])
def test_many_idle_connections_of_a_kind_lock_no_client_out(request_):
    with served(Held(), connections=8) as connect:
        crowd = [connect() for _ in range(40)]
        for each in crowd:
            with suppress(OSError):
                each.sendall(request_)
        # A client whose request arrives late may be the one that makes room: it tries again.
        answers = [
            any(answered(connect()).startswith(b"HTTP/1.1 200") for _ in range(5))
            for _ in range(20)
        ]

    assert [True] * 20 == answers


def test_the_idlest_stream_makes_room_above_the_limit_only():
    with served(Held(), connections=3) as connect:
        streams = [connect() for _ in range(3)]
        for each in streams:
            read_stream(each)
        streams[0].settimeout(0.0)
        with pytest.raises(BlockingIOError):
            streams[0].recv(4096)
        streams[0].settimeout(PATIENCE)
        late = answered(connect())

        assert late.startswith(b"HTTP/1.1 200")
        assert is_closed(streams[0])
        streams[1].settimeout(0.0)
        with pytest.raises(BlockingIOError):
            streams[1].recv(4096)


def test_a_waiting_head_makes_room_before_a_stream(monkeypatch):
    monkeypatch.setattr(connections, "ARRIVAL_SECONDS", 0.0)
    with served(Held(), connections=2) as connect:
        stream = connect()
        read_stream(stream)
        silent = connect()
        assert answered(connect()).startswith(b"HTTP/1.1 200")

        assert is_closed(silent)
        stream.settimeout(0.0)
        with pytest.raises(BlockingIOError):
            stream.recv(4096)


@pytest.mark.parametrize(
    ("handles", "most"), [(64, 8), (256, 76), (784, 499), (785, 500), (786, 500), (1 << 20, 500)]
)
def test_connections_leave_room_for_other_files(handles, most):
    assert most == connections_for(handles)
    assert handles < 200 or most * HTTP_CONNECTIONS_FACTOR + RESERVED_HANDLES <= handles


def read_stream(connection):
    """Open an event stream and read its event and its first comment."""
    connection.sendall(STREAM)
    said = b""
    while not said.endswith(b"ping here\r\n"):
        more = connection.recv(4096)
        assert more
        said += more


def is_closed(connection):
    try:
        return connection.recv(4096) == b""
    except ConnectionResetError:
        return True


def test_forwarded_headers_do_not_change_the_peer():
    said = REQUEST[:-2] + b"X-Forwarded-For: 192.0.2.7\r\n\r\n"
    with served(Held()) as connect:
        assert answered(connect(), said).endswith(b"127.0.0.1 is here")


def test_websockets_pass_the_same_checks_as_requests():
    wanted = (
        REQUEST[:-2] + b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    )
    with served(Held()) as connect:
        assert answered(connect(), wanted).startswith(b"HTTP/1.1 200")
