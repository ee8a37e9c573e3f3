"""Resources: what a client may attach to a conversation without a tool call."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial, wraps
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError

from ..errors import MemoryCoreError, NotFoundError
from ..memory import Memory
from .calls.call_context import default_user
from .calls.signature import without_memory

JSON = "application/json"


def add_to(server: MCPServer[Any], memory: Memory) -> None:
    """Offer every resource on *server*, each read from *memory*."""
    offered: dict[str, Callable[..., str]] = {
        "memory://health": health,
        "memory://ontology": ontology,
        "memory://projects": projects,
        "memory://entity/{project}/{id}": entity,
        "memory://bottles/{project}": bottles,
    }
    for uri, read in offered.items():
        server.resource(uri, mime_type=JSON)(_bind_memory(read, memory))


def health(memory: Memory) -> str:
    """How the database, full text, vectors and journal are, by a look of milliseconds."""
    return memory.health.health_report(thorough=False).model_dump_json()


def ontology(memory: Memory) -> str:
    """The types of entities and relations, and what each relation may join."""
    return memory.ontology.model_dump_json()


def projects(memory: Memory) -> str:
    """The names of the projects that hold something."""
    names = memory.overview.list_projects(user_id=default_user(memory.settings))
    return json.dumps({"projects": names}, ensure_ascii=False)


def entity(memory: Memory, project: str, id: str) -> str:
    """An entity with its observations, relations and direct neighbours."""
    return memory.exploration.hologram(id, project_id=project).model_dump_json()


def bottles(memory: Memory, project: str) -> str:
    """Unread messages of a project."""
    return memory.bottles.list_bottles(project_id=project).model_dump_json()


def _bind_memory(read: Callable[..., str], memory: Memory) -> Callable[..., str]:
    """Return *read* without its first parameter, telling its errors in the protocol's way."""
    bound = partial(read, memory)

    @wraps(read)
    def answer(**arguments: Any) -> str:
        try:
            return bound(**arguments)
        except NotFoundError as error:
            raise ResourceNotFoundError(str(error)) from error
        except MemoryCoreError as error:
            raise ResourceError(str(error)) from error

    return without_memory(answer, read)
