"""Messages in bottles: what one session leaves for a later one."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, get_args

from pydantic import Field

from ..base import Value

Priority = Literal["low", "medium", "high", "urgent"]
# Their order is their weight.
PRIORITIES: tuple[Priority, ...] = get_args(Priority)


class Bottle(Value):
    """One message."""

    id: str = Field(description="Id of the bottle, unique in the whole memory.")
    project_id: str = Field(description="The project it was left in.")
    message: str = Field(description="What it says.")
    priority: Priority = Field(description="low, medium, high or urgent.")
    recipient: str = Field("", description="For whom it is; empty for anyone.")
    author: str = Field(description="Which client left it.")
    author_session_id: str = Field("", description="The session that left it.")
    expires_at: datetime | None = Field(None, description="When it stops being shown.")
    acknowledged_at: datetime | None = Field(None, description="When it was acknowledged.")
    acknowledged_by: str = Field("", description="Who acknowledged it.")
    created_at: datetime = Field(description="When it was left.")


class BottleList(Value):
    """Bottles, most urgent first, then newest."""

    bottles: list[Bottle]
    total: int = Field(description="How many match in all.")
    expired: int = Field(description="How many are hidden because they have expired.")


class WrittenBottle(Value):
    """A bottle after a write."""

    bottle: Bottle
    already_acknowledged: bool = Field(
        False, description="Whether somebody had acknowledged it before."
    )
