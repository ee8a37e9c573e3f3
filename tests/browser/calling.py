"""MCP tool calls over HTTP during browser tests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from support import PATIENCE

from tests.browser.running import free_port, start, wait_for


@contextmanager
def served(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield where the dashboard over *folder* is and where its MCP; no log may tell of a fault."""
    port, mcp_port = free_port(), free_port()
    with (folder / "log").open("wb") as log:
        process = start(folder, port, log=log, mcp_port=mcp_port)
        try:
            wait_for(f"http://127.0.0.1:{port}/_stcore/health", process)
            wait_for(f"http://127.0.0.1:{mcp_port}/health", process)
            yield f"http://127.0.0.1:{port}", f"http://127.0.0.1:{mcp_port}/mcp"
        finally:
            process.terminate()
            process.wait(PATIENCE)
    for path in (folder / "log", *folder.rglob("*.log")):
        assert "Traceback" not in path.read_text(encoding="utf-8", errors="replace"), path


def called(address: str, tool: str, **arguments: Any) -> Any:
    """Call a tool as an assistant would, over HTTP."""
    return calls(address, (tool, arguments))[0]


def calls(address: str, *wanted: tuple[str, Mapping[str, Any]]) -> list[Any]:
    """Call tools one after the other, as one client."""

    async def ask() -> list[Any]:
        async with Client(streamable_http_client(address)) as client:
            results = [await client.call_tool(tool, dict(given)) for tool, given in wanted]
        assert [] == [each.content for each in results if each.is_error]
        return [each.structured_content for each in results]

    # The browser's driver has its event loop in this thread.
    with ThreadPoolExecutor(1) as another:
        return another.submit(anyio.run, ask).result()
