"""An in-process MCP client for the acceptance tests."""

from __future__ import annotations

import itertools
import shutil
from contextlib import ExitStack

import pytest
from anyio.from_thread import start_blocking_portal
from mcp import Client

from memory_core import open_memory
from memory_core.search.models import choose_engine
from memory_core.server.app import build_server


class ToolClient:
    """A client of the memory server, with one session for all calls of a test."""

    def __init__(self, memory, portal):
        self.server = build_server(memory, memory.settings)
        self._portal = portal
        self._session = ExitStack()
        self._client = None

    def result(self, tool, **arguments):
        """Call a tool and return its whole answer, error or not."""
        if self._client is None:
            client = self._portal.wrap_async_context_manager(Client(self.server))
            self._client = self._session.enter_context(client)
        return self._portal.call(self._client.call_tool, tool, arguments)

    def close(self):
        self._session.close()

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
def memory(tmp_path, clock, minilm, empty_file):
    count = itertools.count(1)
    opened = open_memory(
        path=shutil.copy(empty_file, tmp_path / "memory.db"),
        embedder=minilm,
        clock=clock,
        ids=lambda: f"id{next(count):05}",
    )
    yield opened
    opened.close()


@pytest.fixture
def connect():
    """Connect clients to memories until the test ends."""
    with start_blocking_portal() as portal, ExitStack() as opened:

        def connected(memory):
            client = ToolClient(memory, portal)
            opened.callback(client.close)
            return client

        yield connected


@pytest.fixture
def tool_client(memory, connect):
    return connect(memory)
