from __future__ import annotations

import anyio
import httpx
import pytest
import uvicorn
from architecture.source import ROOT
from support import PATIENCE, HashingEmbedder

from memory_core import Settings, open_memory
from memory_core.rules.limits import HTTP_SESSION_SECONDS
from memory_core.server.app import build_server
from memory_core.server.transports.connections import KEPT_SECONDS
from memory_core.server.transports.http import build_app, serve_http
from memory_core.server.transports.rate_limit import PEERS, PER_SECOND, Buckets

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "raw", "version": "0"},
    },
}
LIST = {"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}}
ACCEPT = {"Accept": "application/json, text/event-stream"}


@pytest.fixture
def served(tmp_path):
    memory = open_memory(path=tmp_path / "memory.db", embedder=HashingEmbedder())

    def app(**options):
        return build_app(build_server(memory, memory.settings), Settings(), database="d", **options)

    yield app
    memory.close()


def client(app):
    return httpx.AsyncClient(
        transport=httpx.ASGITransport(app), base_url="http://127.0.0.1:4392", headers=ACCEPT
    )


def test_token_bucket_allows_bursts_then_a_steady_rate():
    now = [0.0]
    buckets = Buckets(per_second=1, burst=2, clock=lambda: now[0])

    first = [buckets.wait("a") for _ in range(3)]
    now[0] = 0.5
    half = buckets.wait("a")
    now[0] = 1.0
    then = [buckets.wait("a"), buckets.wait("a")]

    assert [0, 0, 1] == first
    assert 0.5 == half
    assert [0, 1] == then


def test_rate_limit_applies_per_peer():
    buckets = Buckets(per_second=1, burst=1, clock=lambda: 0.0)
    buckets.wait("a")

    assert (1, 0) == (buckets.wait("a"), buckets.wait("b"))
    for n in range(PEERS + 5):
        buckets.wait(str(n))
    assert PEERS == len(buckets._left)


@pytest.mark.anyio
async def test_rate_limited_requests_get_retry_after(served, anyio_backend):
    app = served(buckets=Buckets(per_second=0.1, burst=1, clock=lambda: 0.0))

    async with client(app) as asking:
        fine, refused = await asking.get("/health"), await asking.get("/health")

    assert (200, 429) == (fine.status_code, refused.status_code)
    assert "10" == refused.headers["Retry-After"]


@pytest.mark.anyio
async def test_idle_sessions_expire(served, anyio_backend):
    app = served(idle_seconds=0.05)

    async with app.router.lifespan_context(app), client(app) as asking:
        hello = await asking.post("/mcp", json=HELLO)
        session = {"Mcp-Session-Id": hello.headers["Mcp-Session-Id"]}
        status = 200
        with anyio.fail_after(PATIENCE):
            while status != 404:
                # A response restarts the timer, so poll less often than that.
                await anyio.sleep(0.2)
                status = (await asking.post("/mcp", json=LIST, headers=session)).status_code

    assert 404 == status


@pytest.mark.anyio
async def test_terminated_sessions_are_removed(served, anyio_backend):
    app = served()

    async with app.router.lifespan_context(app), client(app) as asking:
        hello = await asking.post("/mcp", json=HELLO)
        session = {"Mcp-Session-Id": hello.headers["Mcp-Session-Id"]}
        ended = await asking.delete("/mcp", headers=session)
        after = await asking.post("/mcp", json=LIST, headers=session)

    assert (200, 404) == (ended.status_code, after.status_code)


@pytest.mark.anyio
async def test_the_idlest_session_makes_room_above_the_limit(served, anyio_backend):
    app = served(sessions=3)

    async with app.router.lifespan_context(app), client(app) as asking:

        async def status(session):
            headers = {"Mcp-Session-Id": session}
            return (await asking.post("/mcp", json=LIST, headers=headers)).status_code

        async def opened():
            return (await asking.post("/mcp", json=HELLO)).headers["Mcp-Session-Id"]

        first, second, third = [await opened() for _ in range(3)]
        at_limit = await status(first)
        fourth = await opened()
        above = [await status(each) for each in (first, second, third, fourth)]

    assert 200 == at_limit
    assert [200, 404, 200, 200] == above


@pytest.mark.anyio
async def test_opening_many_sessions_never_locks_out_the_next(served, anyio_backend):
    app = served(sessions=5)

    async with app.router.lifespan_context(app), client(app) as asking:
        statuses = {(await asking.post("/mcp", json=HELLO)).status_code for _ in range(30)}

    assert {200} == statuses


def test_server_keep_alive_exceeds_the_clients(memory, monkeypatch):
    configs = []

    def ran(server, sockets):
        configs.append(server.config)
        for each in sockets:
            each.close()

    monkeypatch.setattr(uvicorn.Server, "run", ran)
    serve_http(build_server(memory, memory.settings), Settings(mcp_port=0), database="d")

    assert 10 * httpx.Limits().keepalive_expiry <= configs[0].timeout_keep_alive


def test_the_documented_http_limits_are_the_actual_limits():
    promised = " ".join((ROOT / "SECURITY.md").read_text(encoding="utf-8").split())

    assert (1000, 30 * 60, 75) == (PER_SECOND, HTTP_SESSION_SECONDS, KEPT_SECONDS)
    assert "limited to 1000 requests a second" in promised
    assert "session expires after 30 minutes without use" in promised
    assert "when no complete request arrives within 75 seconds" in promised
