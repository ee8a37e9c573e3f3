"""Sessions, linked to their predecessors, and their breakthroughs."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from ..base import Properties, Value


class Session(Value):
    """A period of work."""

    id: str = Field(description="Session ID; observations refer to it as session_id.")
    name: str = Field(description="Topic.")
    status: Literal["active", "closed"] = Field(description="active until it is ended.")
    started_at: datetime = Field(description="Start time.")
    ended_at: datetime | None = Field(None, description="End time.")
    summary: str = Field("", description="Summary of the results.")
    previous: str = Field("", description="ID of the previous session in this project.")
    breakthroughs: list[str] = Field(
        default_factory=list, description="Titles of its breakthroughs."
    )
    properties: Properties = Field(
        default_factory=dict, description="Properties given by the client."
    )


class WrittenSession(Value):
    """A session after a write."""

    session: Session
    already_exists: bool = Field(False, description="Whether it was already active.")
    previous_summary: str = Field("", description="Summary of the previous session.")
    kept_messages: int = Field(0, description="Number of messages stored as its observations.")
    facts: int = Field(0, description="Number of facts extracted from the messages.")
    job_id: str = Field("", description="ID of the job that keeps the messages, if any.")
    notice: str = Field("", description="Notes on the session or its messages.")


class WrittenBreakthrough(Value):
    """A breakthrough after a write."""

    id: str = Field(description="ID of the breakthrough, which is an entity.")
    session_id: str = Field(description="ID of its session.")
    title: str = Field(description="The insight in a few words.")
    already_exists: bool = Field(False, description="Whether it was already recorded.")
