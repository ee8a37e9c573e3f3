"""Limits on open and idle HTTP connections."""

from __future__ import annotations

import asyncio

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

# Longer than clients keep a connection for their next request (5 seconds, mostly): whoever ends
# it at the moment at which they use it again loses that request.
KEPT_SECONDS = 75
# Far above what all editors of a machine hold, and below the 1024 files that a process may open
# on most: the rest is for the memory, which needs files too.
CONNECTIONS = 500
# Clients hold an event stream open indefinitely; a stop does not wait for them.
GRACE_SECONDS = 2


def bounded_config(
    app: ASGIApp, *, seconds: int = KEPT_SECONDS, connections: int = CONNECTIONS
) -> uvicorn.Config:
    """Return a uvicorn configuration in which idle connections cannot lock out others."""
    return uvicorn.Config(
        app,
        http=_Bounded,
        # There are none here, and one would go past the questions that are asked of requests.
        ws="none",
        # Who is on the same machine could pass for many peers, each with a rate of its own.
        proxy_headers=False,
        timeout_keep_alive=seconds,
        limit_concurrency=connections,
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )


class _Bounded(H11Protocol):
    """
    A connection that ends if no whole head of a request comes in time, be it the first or the next.

    Where there are too many, the one that has waited longest makes room for one that comes.
    """

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        if self.limit_concurrency and len(self.connections) + 1 >= self.limit_concurrency:
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

    def _make_room(self) -> None:
        waiting = [
            (each.timeout_keep_alive_task.when(), each)
            for each in self.connections
            if isinstance(each, _Bounded) and each.timeout_keep_alive_task is not None
        ]
        if waiting:
            _, longest = min(waiting, key=lambda pair: pair[0])
            self.connections.discard(longest)
            longest.transport.abort()
