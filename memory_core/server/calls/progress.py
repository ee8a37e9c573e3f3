"""Progress reports to, and cancellation by, the client of a call."""

from __future__ import annotations

import time
from asyncio import CancelledError
from concurrent.futures import CancelledError as CancelledWhileTelling
from typing import Any

import anyio
from anyio import from_thread
from mcp.server.mcpserver import Context

# More is not visible; each report waits for the shared event loop.
SECONDS_BETWEEN = 0.2


class ClientProgress:
    """Progress and cancellation, from the worker thread of one call. Failed reports are dropped."""

    def __init__(self, context: Context[Any, Any]) -> None:
        self._context = context
        self._told = -1
        self._message = ""
        self._at = 0.0

    def tell(self, done: int, total: int, message: str) -> None:
        """Send a progress notification, if the client asked for them and it is time for one."""
        now = time.monotonic()
        is_time = message != self._message or now - self._at >= SECONDS_BETWEEN or done >= total
        # The protocol wants each number to be higher than the one before.
        if done <= self._told or not is_time:
            return
        self._told, self._message, self._at = done, message, now
        try:
            from_thread.run(self._context.report_progress, done, total, message)
        except (CancelledWhileTelling, anyio.ClosedResourceError, anyio.BrokenResourceError):
            return

    def has_left(self) -> bool:
        """Return whether the client cancelled the call, or is gone."""
        try:
            from_thread.check_cancelled()
        except CancelledError:
            return True
        return False
