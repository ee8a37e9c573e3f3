"""Sessions: stretches of work, in a chain, with what was found out in them."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from ..base import Properties, Value


class Session(Value):
    """A stretch of work."""

    id: str = Field(description="Id of the session; observations name it as session_id.")
    name: str = Field(description="What it is about.")
    status: Literal["active", "closed"] = Field(description="active until it is ended.")
    started_at: datetime = Field(description="When it began.")
    ended_at: datetime | None = Field(None, description="When it ended.")
    summary: str = Field("", description="What came of it.")
    previous: str = Field("", description="Id of the session before it in this project.")
    breakthroughs: list[str] = Field(default_factory=list, description="What was found out in it.")
    properties: Properties = Field(default_factory=dict, description="What the client added.")


class WrittenSession(Value):
    """A session after a write."""

    session: Session
    already_exists: bool = Field(False, description="Whether it was under way before.")
    previous_summary: str = Field("", description="What came of the session before it.")
    kept_messages: int = Field(0, description="How many messages were kept as observations of it.")
    facts: int = Field(0, description="How many facts were drawn from the messages.")
    job_id: str = Field("", description="The job that keeps the messages, if there is one.")
    notice: str = Field("", description="What to know of it or of its messages.")


class WrittenBreakthrough(Value):
    """A breakthrough after a write."""

    id: str = Field(description="Id of the breakthrough, which is an entity.")
    session_id: str = Field(description="The session it was made in.")
    title: str = Field(description="What was found out, in a few words.")
    already_exists: bool = Field(False, description="Whether it was recorded before.")
