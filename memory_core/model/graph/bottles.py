"""Message bottles: messages that one session leaves for a later one."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, get_args

from pydantic import Field

from ..base import Value

Priority = Literal["low", "medium", "high", "urgent"]
# In ascending order of urgency.
PRIORITIES: tuple[Priority, ...] = get_args(Priority)


class Bottle(Value):
    id: str = Field(description="Unique bottle ID.")
    project_id: str = Field(description="Project ID.")
    message: str = Field(description="Text.")
    priority: Priority = Field(description="low, medium, high or urgent.")
    recipient: str = Field("", description="Recipient; empty for anyone.")
    author: str = Field(description="The client that left it.")
    author_session_id: str = Field("", description="ID of the session that left it.")
    expires_at: datetime | None = Field(None, description="Expiry time.")
    acknowledged_at: datetime | None = Field(None, description="Time it was acknowledged.")
    acknowledged_by: str = Field("", description="Who acknowledged it.")
    created_at: datetime = Field(description="Creation time.")


class BottleList(Value):
    """Bottles, most urgent first, then newest."""

    bottles: list[Bottle]
    total: int = Field(description="Total number of matches.")
    expired: int = Field(description="Number of expired bottles not shown.")
    notice: str = Field("", description="Unread bottles in other projects.")


class WrittenBottle(Value):
    """A bottle after a write."""

    bottle: Bottle
    already_acknowledged: bool = Field(False, description="Whether it was already acknowledged.")
