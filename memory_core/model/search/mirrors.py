"""Mirrors of the vectors in external services."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from ..base import Value

# new: empty. building: being rebuilt. behind: updates pending. level: in sync.
MirrorState = Literal["new", "building", "behind", "level"]


class MirrorStatus(Value):
    """How far a mirror has been updated. Search does not use mirrors."""

    name: str = Field(description="The service.")
    source: Literal["pieces", "entries"] = Field(description="The kind of vectors.")
    state: MirrorState = Field(description="new, building, behind or level.")
    behind: int = Field(
        description="Number of changes (or of vectors, while new or building) not yet sent."
    )
    updated_at: datetime | None = Field(None, description="Time of the last successful write.")
    failure: str = Field("", description="Why the last attempt failed; empty if it succeeded.")
