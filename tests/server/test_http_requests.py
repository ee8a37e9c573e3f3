"""Requests as different HTTP clients and proxies write them."""

from __future__ import annotations

import json

import anyio
import pytest
from support import HashingEmbedder

from memory_core import Settings, open_memory
from memory_core.server.app import build_server
from memory_core.server.transports.http import build_app

from .test_http_limits import HELLO, LIST

TOKEN = "a-token-of-the-tests"
pytestmark = pytest.mark.anyio


@pytest.fixture
def served(tmp_path):
    memory = open_memory(path=tmp_path / "memory.db", embedder=HashingEmbedder())

    def app(**settings):
        server = build_server(memory, memory.settings)
        return build_app(server, Settings(**settings), database="the-uuid")

    yield app
    memory.close()


class Exchange:
    """One request as a socket delivers it, and its answer."""

    def __init__(self, app):
        self.app = app
        self.status = 0
        self.headers = {}
        self.body = b""

    async def run(self, method, path, body=b"", *, host=b"127.0.0.1:4392", headers=()):
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        named = {name for name, _ in headers}
        given = [
            (b"host", host),
            (b"accept", b"application/json, text/event-stream"),
            (b"content-type", b"application/json"),
        ]
        scope = {
            "type": "http",
            "method": method,
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "headers": [*(each for each in given if each[0] not in named), *headers],
        }
        waiting = [{"type": "http.request", "body": content, "more_body": False}]
        started = anyio.Event()

        async def receive():
            if waiting:
                return waiting.pop()
            await started.wait()
            return {"type": "http.disconnect"}

        async def send(message):
            if message["type"] == "http.response.start":
                self.status, self.headers = message["status"], dict(message["headers"])
            self.body += message.get("body", b"")
            if self.body or method == "GET":
                started.set()

        with anyio.fail_after(60):
            await self.app(scope, receive, send)
        return self

    @property
    def error(self):
        return json.loads(self.body)["error"]


async def ask(app, method, path, body=b"", **options):
    async with app.router.lifespan_context(app):
        return await Exchange(app).run(method, path, body, **options)


@pytest.mark.parametrize("path", ["/mcp", "/mcp/", "http://127.0.0.1:4392/mcp/"])
async def test_initialize_is_served_without_a_redirect(served, anyio_backend, path):
    assert 200 == (await ask(served(), "POST", path, HELLO)).status


@pytest.mark.parametrize("path", ["/health", "/health/", "http://127.0.0.1:4392/health"])
async def test_health_is_served_without_a_redirect(served, anyio_backend, path):
    assert 200 == (await ask(served(), "GET", path)).status


@pytest.mark.parametrize("path", ["/messages", "/messages/"])
async def test_messages_are_served_without_a_redirect(served, anyio_backend, path):
    assert 400 == (await ask(served(), "POST", path, LIST)).status


@pytest.mark.parametrize(
    "host",
    ["localhost", "LOCALHOST", "LocalHost:4392", "localhost.", "LOCALHOST.:80", "[::1]:1",
     "BOX.lan", "box.LAN.:4392", "127.0.0.1."],
)  # fmt: skip
async def test_a_host_is_accepted_in_any_spelling(served, anyio_backend, host):
    app = served(mcp_allowed_hosts=["Box.Lan."])

    assert 200 == (await ask(app, "GET", "/health", host=host.encode())).status


@pytest.mark.parametrize(
    "origin", ["HTTP://LOCALHOST:3000", "http://localhost.", "https://localhost.:3000"]
)
async def test_an_origin_is_accepted_in_any_spelling(served, anyio_backend, origin):
    headers = [(b"origin", origin.encode())]

    assert 200 == (await ask(served(), "GET", "/health", headers=headers)).status


@pytest.mark.parametrize("host", ["localhost..", ".localhost", "localhost.evil.example.", "."])
async def test_a_foreign_host_with_dots_is_refused(served, anyio_backend, host):
    assert 421 == (await ask(served(), "GET", "/health", host=host.encode())).status


@pytest.mark.parametrize(
    "path", ["http://evil.example/mcp", "http://a@127.0.0.1:4392/mcp", "https://localhost/mcp"]
)
async def test_an_absolute_target_that_contradicts_the_host_is_refused(served, anyio_backend, path):
    assert 421 == (await ask(served(), "POST", path, HELLO)).status


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER", "bEaReR", "Bearer "])
async def test_the_scheme_of_the_token_is_accepted_in_any_case(served, anyio_backend, scheme):
    headers = [(b"authorization", f"{scheme} {TOKEN}".encode())]
    app = served(mcp_token=TOKEN)

    assert 200 == (await ask(app, "POST", "/mcp", HELLO, headers=headers)).status


@pytest.mark.parametrize("value", [TOKEN, f"Basic {TOKEN}", "Bearer", f"Bearer {TOKEN.upper()}"])
async def test_another_scheme_or_token_is_refused(served, anyio_backend, value):
    app = served(mcp_token=TOKEN)
    headers = [(b"authorization", value.encode())]

    assert 401 == (await ask(app, "POST", "/mcp", HELLO, headers=headers)).status


async def test_health_names_the_database_only_with_the_token(served, anyio_backend):
    guarded = served(mcp_token=TOKEN)
    without = json.loads((await ask(guarded, "GET", "/health")).body)
    headers = [(b"authorization", f"Bearer {TOKEN}".encode())]
    with_token = json.loads(
        (await ask(served(mcp_token=TOKEN), "GET", "/health", headers=headers)).body
    )

    assert without["ok"] and "the-uuid" not in str(without)
    assert "the-uuid" == with_token["database"]


@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_two_lengths_of_a_body_are_refused_and_the_connection_closed(
    served, anyio_backend, method
):
    headers = [(b"content-length", b"5"), (b"transfer-encoding", b"chunked")]
    answer = await ask(served(), method, "/health", headers=headers)

    assert (400, b"close") == (answer.status, answer.headers[b"connection"])


@pytest.mark.parametrize("version", ["1999-01-01", "latest", "", "2025-06-18x", "v" * 100_000])
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
async def test_an_unsupported_version_error_names_the_supported_ones(
    served, anyio_backend, method, version
):
    headers = [(b"mcp-protocol-version", version.encode())]
    answer = await ask(served(), method, "/mcp", LIST, headers=headers)

    assert 400 == answer.status
    assert "2024-11-05" in answer.error["message"] and "2025-11-25" in answer.error["message"]
    assert len(answer.body) < 1000


@pytest.mark.parametrize("event", [b"123", b"0", b"nonsense", b"a-b_1"])
async def test_a_stream_after_a_last_event_starts_again(served, anyio_backend, event):
    app = served()
    async with app.router.lifespan_context(app):
        hello = await Exchange(app).run("POST", "/mcp", HELLO)
        headers = [
            (b"mcp-session-id", hello.headers[b"mcp-session-id"]),
            (b"last-event-id", event),
        ]
        stream = await Exchange(app).run("GET", "/mcp", headers=headers)

    assert 200 == stream.status
    assert stream.headers[b"content-type"].startswith(b"text/event-stream")


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b"[1]", b"null", b"\xff", b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}',
     b'{"jsonrpc":"2.0","id":null,"method":"ping"}', b'{"jsonrpc":"1.0","id":1,"method":"ping"}',
     b"[" * 100_000, b'{"id": ' + b"9" * 100_000 + b"}", b'[{"jsonrpc":"2.0","method":"ping"}]'],
)  # fmt: skip
@pytest.mark.parametrize("path", ["/mcp", "/messages/"])
async def test_an_invalid_message_gets_a_json_rpc_error_over_http(
    served, anyio_backend, path, body
):
    answer = await ask(served(), "POST", path, body)

    assert 400 == answer.status
    assert answer.error["code"] in (-32700, -32600)
    assert len(answer.body) < 1000


async def test_a_byte_order_mark_is_ignored_over_http(served, anyio_backend):
    body = b"\xef\xbb\xbf" + json.dumps(HELLO).encode()

    assert 200 == (await ask(served(), "POST", "/mcp", body)).status


@pytest.mark.parametrize(
    ("params", "field"),
    [({"clientInfo": None}, "clientInfo"), ({"capabilities": 5}, "capabilities"),
     ({"protocolVersion": 7}, "protocolVersion"), ({"clientInfo": {"name": "x"}}, "version"),
     ({"clientInfo": {"name": 1, "version": "1"}}, "clientInfo.name")],
)  # fmt: skip
async def test_initialize_names_the_field_that_is_wrong(served, anyio_backend, params, field):
    body = HELLO | {"params": HELLO["params"] | params}
    answer = await ask(served(), "POST", "/mcp", body)

    assert field in answer.body.decode() and "-32602" in answer.body.decode()
