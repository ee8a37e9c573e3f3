"""Rate limit per peer: a token bucket."""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

# Far above what several busy assistants send, far below what keeps a core busy.
PER_SECOND = 1000.0
BURST = 2000.0
# Peers that are tracked; the one idle longest is dropped, with a full bucket.
PEERS = 1024


class Buckets:
    """One bucket a peer."""

    def __init__(
        self,
        per_second: float = PER_SECOND,
        burst: float = BURST,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._per_second = per_second
        self._burst = burst
        self._clock = clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, peer: str) -> float:
        """Take one from the peer's bucket; return 0, or after how many seconds to come again."""
        now = self._clock()
        left, at = self._left.pop(peer, (self._burst, now))
        left = min(self._burst, left + (now - at) * self._per_second)
        self._left[peer] = (max(left - 1, 0.0) if left >= 1 else left, now)
        while len(self._left) > PEERS:
            self._left.popitem(last=False)
        return 0.0 if left >= 1 else (1 - left) / self._per_second


class BoundedRate:
    """Refuse (429) a peer that sends faster than its bucket fills."""

    def __init__(self, app: ASGIApp, buckets: Buckets) -> None:
        self._app = app
        self._buckets = buckets

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        peer = scope.get("client") or ("unknown", 0)
        wait = self._buckets.wait(str(peer[0])) if scope["type"] == "http" else 0.0
        if wait:
            refusal = JSONResponse(
                {"error": "Too many requests at once. Come again a little later."},
                status_code=429,
                headers={"Retry-After": str(math.ceil(wait))},
            )
            await refusal(scope, receive, send)
            return
        await self._app(scope, receive, send)
