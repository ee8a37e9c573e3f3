"""Run the chosen transport until the client, the parent or the user ends it."""

from __future__ import annotations

import logging
from typing import Any

from mcp.server import MCPServer

from ...memory import Memory
from ...settings import Settings
from .lifetime import end_on_signals, end_with_parent
from .stdio import serve_stdio

logger = logging.getLogger(__name__)


def run(
    server: MCPServer[Any], memory: Memory, settings: Settings, *, with_parent: int | None = None
) -> None:
    """
    Serve, then close *memory*. An HTTP server outlives its parent unless configured otherwise.

    *with_parent* is the number of the process to end with; 0 is whichever started this one.
    """
    logger.info("serving the memory at %s", memory.db.path)
    over_http = settings.run_mode != "stdio"
    end_on_signals(memory.close)
    if with_parent is not None or not over_http:
        end_with_parent(memory.close, with_parent or 0)
    try:
        if over_http:
            # What it needs of a web server, no editor waits for over stdio.
            from .http import serve_http

            serve_http(server, settings, database=memory.db.uuid)
        else:
            serve_stdio(server)
    finally:
        memory.close()
