"""Candidate relations between similar entities, and background discovery."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from ..base import Value
from .librarian import Cycle, Suggestion

Origin = Literal["chosen", "setting"]


class Radar(Value):
    """Similar entities without a relation, most similar first."""

    pairs: list[Suggestion] = Field(description="The pairs, each with a proposed relation.")
    total: int = Field(description="Number of pairs found, at most 10,000.")
    created: int = Field(0, description="Number of relations created.")
    compared: int = Field(description="Number of entities compared.")
    pending: int = Field(
        0, description="Number of passages left out because they have no vector yet."
    )
    truncated: bool = Field(False, description="Whether there are more pairs.")
    batch_id: str = Field("", description="Pass to undo to remove the relations.")
    notice: str = Field("", description="What was left out, and why.")


class DiscoveryRun(Value):
    """The result of a discovery run."""

    cycle: Cycle
    found: int = Field(description="Number of pairs without a relation.")
    created: int = Field(0, description="Number of relations created.")
    suggested: int = Field(0, description="Number of new open suggestions.")
    pairs: list[Suggestion] = Field(description="The most similar pairs.")
    notice: str = Field("", description="What was left out, and why.")


class BackgroundStatus(Value):
    """State and settings of background discovery."""

    enabled: bool = Field(description="Whether background discovery is enabled.")
    interval_seconds: int = Field(description="Seconds between two runs.")
    similarity_threshold: float = Field(description="Minimum similarity of a suggested pair.")
    origins: dict[str, Origin] = Field(
        description="Source of each value: chosen with a tool, or the environment setting."
    )
    settings: dict[str, float] = Field(description="Values from the environment, or the defaults.")
    running: bool = Field(description="Whether a process currently runs it.")
    holder: str = Field("", description="The process that runs it, and who started it.")
    last: Cycle | None = Field(None, description="The last run.")
    next_at: datetime | None = Field(None, description="Time of the next run.")
    runs: int = Field(0, description="Number of runs.")
    suggestions: int = Field(0, description="Number of open suggestions.")
