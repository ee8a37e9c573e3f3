"""Stand-in tools: one per kind of argument and one per kind of failure."""

from __future__ import annotations

import sys
from typing import Annotated, Any, Literal

from mcp.server import MCPServer
from pydantic import BaseModel, Field

from memory_core import Memory, NotFoundError
from memory_core.context import current_actor
from memory_core.server.calls.registry import Tool, listing, serve


class Echo(BaseModel):
    """What arrived."""

    text: str = Field("", description="The text.")
    count: int = Field(0, description="The number.")
    share: float = Field(0.0, description="The fraction.")
    loud: bool = Field(False, description="The flag.")
    words: list[str] = Field(default_factory=list, description="The list.")
    rows: list[dict[str, Any]] = Field(default_factory=list, description="The list of objects.")
    properties: dict[str, Any] = Field(default_factory=dict, description="The object.")
    actor: str = Field("", description="Who asked.")


def echo(
    memory: Memory,
    text: Annotated[str, Field(max_length=200_000, description="Any text.")],
    count: Annotated[int, Field(ge=0, le=9, description="A small number.")] = 0,
    share: Annotated[float, Field(description="Any fraction.")] = 0.0,
    loud: Annotated[bool, Field(description="A flag.")] = False,
    words: Annotated[list[str], Field(description="Some words.")] = [],  # noqa: B006
    rows: Annotated[list[dict[str, Any]], Field(description="Some objects.")] = [],  # noqa: B006
    properties: Annotated[dict[str, Any], Field(description="An object.")] = {},  # noqa: B006
    kind: Annotated[Literal["plain", "null"], Field(description="A choice.")] = "plain",
) -> Echo:
    """Give back what was given."""
    return Echo(
        text=text,
        count=count,
        share=share,
        loud=loud,
        words=words,
        rows=rows,
        properties=properties,
        actor=current_actor(),
    )


def refuse(memory: Memory) -> Echo:
    """Always name what is missing."""
    raise NotFoundError("entity", "ghost", "list_entities shows what there is.")


def crash(memory: Memory) -> Echo:
    """Always fail with a bug."""
    raise RuntimeError("secret detail")


def shout(memory: Memory) -> Echo:
    """Print to stdout, which belongs to the protocol."""
    sys.stdout.write("stray\n")
    sys.stdout.flush()
    return Echo(text="printed")


STAND_INS = [
    Tool(echo, "Echo", reads=True, destroys=False, idempotent=True),
    Tool(refuse, "Refuse", reads=True, destroys=False, idempotent=True),
    Tool(crash, "Crash", reads=False, destroys=True, idempotent=False),
    Tool(shout, "Shout", reads=False, destroys=False, idempotent=False),
]


def stand_in_server(memory: Memory, *, budget: int = 8000) -> MCPServer[Any]:
    tools = [
        serve(listing(tool), lambda run=tool.run: run, memory, budget=budget) for tool in STAND_INS
    ]
    return MCPServer("stand-ins", tools=tools)
