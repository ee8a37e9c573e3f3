"""Tools: message bottles."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from ...memory import Memory
from ...model.graph.bottles import BottleList, Priority, WrittenBottle
from ...rules.timestamps import parse_moment
from ..calls import parameters as p
from ..calls.registry import tool


@tool(title="Create bottle")
def create_bottle(
    memory: Memory,
    message: Annotated[str, Field(description="The message: what the reader should know or do.")],
    priority: Annotated[Priority, Field(description="low, medium, high or urgent.")] = "medium",
    expires_at: Annotated[str, Field(description="Expiry (ISO 8601; a date means its end).")] = "",
    author_session_id: Annotated[str, Field(description="The session that creates it.")] = "",
    recipient: Annotated[str, Field(description="Recipient; empty for anyone.")] = "",
    project_id: p.ProjectId = "default",
) -> WrittenBottle:
    """Create a message for a later session of this or another assistant."""
    return memory.bottles.create_bottle(
        message,
        project_id=project_id,
        priority=priority,
        expires_at=parse_moment("expires_at", expires_at, at_end=True),
        author_session_id=author_session_id,
        recipient=recipient,
    )


@tool(title="Read bottles", reads=True)
def get_bottles(
    memory: Memory,
    include_acknowledged: Annotated[
        bool, Field(description="Also return messages already read.")
    ] = False,
    recipient: Annotated[
        str, Field(description="Messages for this recipient and for anyone.")
    ] = "",
    limit: p.Limit = 20,
    project_id: p.AnyProjectId = "default",
) -> BottleList:
    """Return unread messages from earlier sessions, most urgent first, then newest."""
    return memory.bottles.list_bottles(
        project_id=project_id,
        include_acknowledged=include_acknowledged,
        recipient=recipient,
        limit=limit,
    )


@tool(title="Acknowledge a bottle", idempotent=True)
def acknowledge_bottle(
    memory: Memory,
    id: Annotated[str, Field(description="Id of the bottle.")],
    acknowledged_by: Annotated[str, Field(description="Reader; empty: this client.")] = "",
    project_id: p.ProjectId = "default",
) -> WrittenBottle:
    """Mark a message as read. It is no longer returned by get_bottles."""
    return memory.bottles.acknowledge_bottles(
        id, project_id=project_id, acknowledged_by=acknowledged_by
    )
