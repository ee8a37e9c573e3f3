"""Messages from one session to a later one."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from ...memory import Memory
from ...model.graph.bottles import BottleList, Priority, WrittenBottle
from ...rules.timestamps import moment
from ..calls import parameters as p
from ..calls.registry import tool


@tool(title="Leave a bottle")
def create_bottle(
    memory: Memory,
    message: Annotated[str, Field(description="What the finder should know or do.")],
    priority: Annotated[Priority, Field(description="low, medium, high or urgent.")] = "medium",
    expires_at: Annotated[
        str, Field(description="Until when it is shown (ISO 8601; a date means its end).")
    ] = "",
    author_session_id: Annotated[str, Field(description="The session that leaves it.")] = "",
    recipient: Annotated[str, Field(description="For whom it is; empty for anyone.")] = "",
    project_id: p.ProjectId = "default",
) -> WrittenBottle:
    """Leave a message for a later session of this or another assistant."""
    return memory.bottles.create(
        message,
        project_id=project_id,
        priority=priority,
        expires_at=moment("expires_at", expires_at, at_end=True),
        author_session_id=author_session_id,
        recipient=recipient,
    )


@tool(title="Read bottles", reads=True)
def get_bottles(
    memory: Memory,
    include_acknowledged: Annotated[bool, Field(description="Whether read ones show too.")] = False,
    recipient: Annotated[str, Field(description="Those for this one and those for anyone.")] = "",
    limit: p.Limit = 20,
    project_id: p.AnyProjectId = "default",
) -> BottleList:
    """Return the messages left for you, most urgent first, then newest."""
    return memory.bottles.shown(
        project_id=project_id,
        include_acknowledged=include_acknowledged,
        recipient=recipient,
        limit=limit,
    )


@tool(title="Acknowledge a bottle", idempotent=True)
def acknowledge_bottle(
    memory: Memory,
    id: Annotated[str, Field(description="Id of the bottle.")],
    acknowledged_by: Annotated[str, Field(description="Who read it; empty: this client.")] = "",
    project_id: p.ProjectId = "default",
) -> WrittenBottle:
    """Mark a message as read, so that it is shown no more."""
    return memory.bottles.acknowledge(id, project_id=project_id, acknowledged_by=acknowledged_by)
