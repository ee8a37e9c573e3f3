from __future__ import annotations

import asyncio
import socket
import threading
from contextlib import contextmanager

import pytest
import uvicorn
from starlette.responses import PlainTextResponse
from support import PATIENCE

from memory_core.server.transports.connections import bounded_config

REQUEST = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"


class Held:
    """An application whose answers to /held wait until they are let go."""

    def __init__(self):
        self.asked = threading.Event()
        self.let_go = threading.Event()

    async def __call__(self, scope, receive, send):
        if scope["type"] == "http":
            if scope["path"] == "/held":
                self.asked.set()
                await asyncio.to_thread(self.let_go.wait, PATIENCE)
            said = f"{scope['client'][0]} is here"
            await PlainTextResponse(said)(scope, receive, send)


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
def test_a_connection_without_a_whole_head_is_closed(said):
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
def test_a_first_answer_does_not_buy_the_rest_of_the_day(request_, rest):
    with served(Held(), seconds=1) as connect:
        connection = connect()
        first = answered(connection, request_)
        connection.sendall(rest)

        assert first.startswith(b"HTTP/1.1 200")
        assert b"" == connection.recv(4096)


def test_an_answer_may_take_as_long_as_it_takes():
    app = Held()
    with served(app, seconds=1) as connect:
        asking = connect()
        asking.sendall(REQUEST.replace(b"/ ", b"/held ", 1))
        assert app.asked.wait(PATIENCE)
        assert b"" == connect().recv(4096)
        app.let_go.set()

        assert answer(asking).startswith(b"HTTP/1.1 200")


def test_of_too_many_the_one_that_waited_longest_makes_room():
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


def test_where_all_are_busy_a_newcomer_is_told_so():
    app = Held()
    with served(app, connections=2) as connect:
        asking = connect()
        asking.sendall(REQUEST.replace(b"/ ", b"/held ", 1))
        assert app.asked.wait(PATIENCE)
        refused = connect()
        refused.sendall(REQUEST)

        assert refused.recv(4096).startswith(b"HTTP/1.1 503")
        app.let_go.set()
        assert answer(asking).startswith(b"HTTP/1.1 200")


def test_nobody_passes_for_another_peer():
    said = REQUEST[:-2] + b"X-Forwarded-For: 192.0.2.7\r\n\r\n"
    with served(Held()) as connect:
        assert answered(connect(), said).endswith(b"127.0.0.1 is here")


def test_a_web_socket_is_asked_what_every_request_is_asked():
    wanted = (
        REQUEST[:-2] + b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    )
    with served(Held()) as connect:
        assert answered(connect(), wanted).startswith(b"HTTP/1.1 200")
