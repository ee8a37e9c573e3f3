"""An in-process MCP client for the acceptance tests."""

from __future__ import annotations

import itertools

import anyio
import pytest
from mcp import Client

from memory_core import open_memory
from memory_core.search.models import choose_engine
from memory_core.server.app import build_server


class ToolClient:
    """A client of the memory server; each call opens a session of its own."""

    def __init__(self, memory):
        self.server = build_server(memory, memory.settings)

    def result(self, tool, **arguments):
        """Call a tool and return its whole answer, error or not."""

        async def call():
            async with Client(self.server) as client:
                return await client.call_tool(tool, arguments)

        return anyio.run(call)

    def __call__(self, tool, **arguments):
        """Call a tool that must succeed; return its structured content."""
        result = self.result(tool, **arguments)
        assert not result.is_error, result.content[0].text
        return result.structured_content

    def refusal(self, tool, **arguments):
        """Call a tool that must refuse; return what it says."""
        result = self.result(tool, **arguments)
        assert result.is_error, result.structured_content
        return result.content[0].text

    def texts(self, query, **arguments):
        """Return what a search finds, best first."""
        found = self("search_memory", query=query, **arguments)
        return [hit["passages"][0]["text"] for hit in found["hits"]]


@pytest.fixture(scope="session")
def minilm():
    """The model that is shipped, loaded once."""
    embedder = choose_engine("all-MiniLM-L6-v2")
    embedder.get()
    return embedder


@pytest.fixture
def memory(tmp_path, clock, minilm):
    count = itertools.count(1)
    opened = open_memory(
        path=tmp_path / "memory.db",
        embedder=minilm,
        clock=clock,
        ids=lambda: f"id{next(count):05}",
    )
    yield opened
    opened.close()


@pytest.fixture
def tool_client(memory):
    return ToolClient(memory)
