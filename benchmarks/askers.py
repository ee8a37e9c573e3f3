"""The two ways a question is asked: the service in this process, and the tool of the server."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

from memory_core.memory import Memory
from memory_core.model.search.recipe import Recipe
from memory_core.model.search.results import Rerank, SearchResult
from memory_core.settings import Settings


class AskFunction(Protocol):
    """A way to ask."""

    def ask(
        self, query: str, project: str, limit: int, *, node_types: Sequence[str] = ()
    ) -> SearchResult: ...


@dataclass(frozen=True)
class Service:
    """Asks memory.search itself."""

    memory: Memory
    recipe: Recipe
    rerank: Rerank = "off"
    explain: bool = False

    def ask(
        self, query: str, project: str, limit: int, *, node_types: Sequence[str] = ()
    ) -> SearchResult:
        return self.memory.search.search_memory(
            query,
            project_id=project,
            limit=limit,
            node_types=node_types,
            rerank=self.rerank,
            explain=self.explain,
            recipe=self.recipe,
        )


@dataclass(frozen=True)
class Tool:
    """Asks search_memory over the protocol, by an in-memory client."""

    portal: Any
    client: Any
    rerank: Rerank = "off"
    explain: bool = False

    def ask(
        self, query: str, project: str, limit: int, *, node_types: Sequence[str] = ()
    ) -> SearchResult:
        arguments = {
            "query": query,
            "project_id": project,
            "limit": limit,
            "node_types": list(node_types),
            "rerank": self.rerank,
            "explain": self.explain,
        }
        answer = self.portal.call(self.client.call_tool, "search_memory", arguments)
        if answer.is_error:
            raise RuntimeError(answer.content[0].text)
        return SearchResult.model_validate(answer.structured_content)


@contextmanager
def through_mcp(
    memory: Memory, settings: Settings, *, rerank: Rerank = "off", explain: bool = False
) -> Iterator[Tool]:
    """Serve the memory to a client in this process and yield a function that asks it."""
    from anyio.from_thread import start_blocking_portal
    from mcp import Client

    from memory_core.server.app import build_server

    with start_blocking_portal() as portal:
        server = build_server(memory, settings)
        with portal.wrap_async_context_manager(Client(server)) as client:
            yield Tool(portal, client, rerank, explain)
