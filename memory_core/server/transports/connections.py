"""
Limits on open and idle HTTP connections.

When there are too many, one makes room for the next, in this order:

1. the one that has waited longest for the head of a request,
2. the one whose request body has taken longest,
3. the event stream that has been idle longest; keep-alive comments do not count as activity.

Heads and bodies of the last seconds come last, because they may belong to a busy client. A request
that is being answered is never closed; when there is nothing else, a new client is refused (503).
"""

from __future__ import annotations

import asyncio
import math
import sys

import uvicorn
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from ...rules.limits import HTTP_CONNECTIONS, HTTP_CONNECTIONS_FACTOR, connections_for

# Longer than clients keep a connection for their next request (5 seconds, mostly): whoever ends
# it at the moment at which they use it again loses that request.
KEPT_SECONDS = 75
# Clients hold an event stream open indefinitely; a stop does not wait for them.
GRACE_SECONDS = 2
# An honest client sends the head and the body of a request within this time.
ARRIVAL_SECONDS = 2.0

_HEAD, _BODY, _STREAM, _CALL_STREAM = range(4)


def bounded_config(
    app: ASGIApp, *, seconds: int = KEPT_SECONDS, connections: int | None = None
) -> uvicorn.Config:
    """
    Return a uvicorn configuration in which idle connections cannot lock out others.

    The default number of *connections* depends on the number of files the process may open.
    """
    most = connections if connections is not None else connections_for(_available_handles())
    return uvicorn.Config(
        _StreamActivity(app),
        http=_Bounded,
        # There are none here, and one would go past the questions that are asked of requests.
        ws="none",
        # Who is on the same machine could pass for many peers, each with a rate of its own.
        proxy_headers=False,
        timeout_keep_alive=seconds,
        # uvicorn refuses at this number, not above it.
        limit_concurrency=int(most * HTTP_CONNECTIONS_FACTOR) + 1,
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )


class _StreamActivity:
    """Record when an event stream last carried an event."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def record(message: Message) -> None:
            if message["type"] == "http.response.start":
                scope["state"]["is_stream"] = _is_event_stream(message)
            if not message.get("body", b"").startswith(b":"):
                scope["state"]["active_at"] = asyncio.get_running_loop().time()
            await send(message)

        await self._app(scope, receive, record)


class _Bounded(H11Protocol):
    """A connection that ends if no complete head of a request arrives in time."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        limit = self.limit_concurrency or sys.maxsize
        if len(self.connections) >= math.ceil((limit - 1) / HTTP_CONNECTIONS_FACTOR):
            self._make_room()
        super().connection_made(transport)
        self.timeout_keep_alive_task = self.loop.call_later(
            self.timeout_keep_alive, self.timeout_keep_alive_handler
        )

    def data_received(self, data: bytes) -> None:
        before = self.cycle
        self.conn.receive_data(data)
        self.handle_events()
        # uvicorn takes any byte for a request that comes, and then waits indefinitely for the rest.
        if self.cycle is not before:
            self._unset_keepalive_if_required()
            self.scope["state"]["active_at"] = self.loop.time()

    def idle_state(self) -> tuple[bool, int, float] | None:
        """Return the order in which this connection makes room; None if it must not."""
        if self.timeout_keep_alive_task is not None:
            kind = _HEAD
            since = self.timeout_keep_alive_task.when() - self.timeout_keep_alive
        elif self.cycle is None or self.cycle.response_complete:
            return None
        else:
            since = self.scope["state"]["active_at"]
            if self.cycle.more_body:
                kind = _BODY
            elif self.scope["state"].get("is_stream"):
                kind = _STREAM if self.scope["method"] == "GET" else _CALL_STREAM
            else:
                return None
        is_arriving = kind <= _BODY and self.loop.time() - since < ARRIVAL_SECONDS
        return is_arriving, kind, since

    def _make_room(self) -> None:
        idle = [
            (state, each)
            for each in self.connections
            if isinstance(each, _Bounded) and (state := each.idle_state()) is not None
        ]
        if idle:
            _, first = min(idle, key=lambda pair: pair[0])
            self.connections.discard(first)
            first.transport.abort()


def _is_event_stream(start: Message) -> bool:
    return any(
        name == b"content-type" and value.startswith(b"text/event-stream")
        for name, value in start.get("headers", ())
    )


def _available_handles() -> int:
    """Return how many files this process may open."""
    if sys.platform == "win32":
        return 2 * HTTP_CONNECTIONS + 1000
    import resource

    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return soft if soft != resource.RLIM_INFINITY else sys.maxsize
