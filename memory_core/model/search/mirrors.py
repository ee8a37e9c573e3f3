"""Copies of the vectors that are kept elsewhere."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from ..base import Value

# new: nothing is there yet. building: it is being made anew.
MirrorState = Literal["new", "building", "behind", "level"]


class MirrorStatus(Value):
    """How far a copy of the vectors has followed; searches never use it."""

    name: str = Field(description="Which service keeps it.")
    source: Literal["pieces", "entries"] = Field(description="Vectors of what.")
    state: MirrorState = Field(description="new, building, behind or level.")
    behind: int = Field(description="Changes, or while it is new or building vectors, to come.")
    updated_at: datetime | None = Field(None, description="When it last took something.")
    failure: str = Field("", description="Why the last attempt failed; empty if it did not.")
