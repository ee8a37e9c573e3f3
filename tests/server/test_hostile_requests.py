"""Requests that no client of good will sends, as a socket gives them."""

from __future__ import annotations

import json

import anyio
import pytest

from memory_core import Settings
from memory_core.rules.limits import HTTP_BODY_SECONDS
from memory_core.server.app import build_server
from memory_core.server.transports.http import build_app

LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
ACCEPTED = [(b"accept", b"application/json"), (b"content-type", b"application/json")]


def app_on(memory, *, body_seconds=HTTP_BODY_SECONDS, **settings):
    server = build_server(memory, memory.settings)
    return build_app(server, Settings(**settings), database="d", body_seconds=body_seconds)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("header", "status"),
    [
        *(((b"host", host.encode()), 421) for host in ("127.0.0.1:80@evil.example", "localhost:x")),
        *(((b"host", host.encode()), 421) for host in ("[::1]:1.evil.example", "127.0.0.1:, b")),
        ((b"origin", b"http://localhost:evil.example"), 403),
        ((b"origin", b"http://127.0.0.1:80.evil.example"), 403),
        ((b"origin", b"null"), 403),
    ],
)
async def test_host_with_an_allowed_prefix_is_foreign(memory, anyio_backend, header, status):
    assert status == await answered(app_on(memory), [header])


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("name", "value", "status"),
    [("origin", "http://localhost", 403), ("host", "localhost", 421), ("authorization", "", 401)],
)
async def test_duplicate_headers_are_rejected(memory, anyio_backend, name, value, status):
    token = "a-token-of-the-tests"
    value = value or f"Bearer {token}"

    said = [(name.encode(), b"http://evil.example"), (name.encode(), value.encode())]

    assert status == await answered(app_on(memory, mcp_token=token), said)


@pytest.mark.anyio
async def test_incomplete_requests_time_out(memory, anyio_backend):
    assert 408 == await answered(app_on(memory, body_seconds=0.05), [], whole=False)


async def answered(app, headers, *, whole=True):
    """Return the status of the answer to a request with these headers, as a socket gives them."""
    given = dict([(b"host", b"127.0.0.1"), *ACCEPTED])
    given = {name: value for name, value in given.items() if name not in dict(headers)}
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/mcp",
        "query_string": b"",
        "headers": [*given.items(), *headers],
    }
    sent = []

    async def receive():
        if sent or not whole:
            await anyio.sleep_forever()
        return {"type": "http.request", "body": json.dumps(LIST).encode(), "more_body": False}

    async def send(message):
        sent.append(message)

    with anyio.fail_after(60):
        await app(scope, receive, send)
    return sent[0]["status"]
