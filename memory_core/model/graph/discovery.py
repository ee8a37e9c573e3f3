"""Similar entities that nobody has related yet, and looking for them in the background."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from ..base import Value
from .librarian import Cycle, Suggestion

Origin = Literal["chosen", "setting"]


class Radar(Value):
    """Similar entities without a relation, most alike first."""

    pairs: list[Suggestion] = Field(description="The pairs, with a relation for each.")
    total: int = Field(description="How many pairs were found; counting ends at 10,000.")
    created: int = Field(0, description="How many relations were made.")
    compared: int = Field(description="How many entities were compared.")
    pending: int = Field(0, description="Pieces without a vector yet, which were left out.")
    truncated: bool = Field(False, description="Whether there are more pairs than shown.")
    batch_id: str = Field("", description="Give it to undo to remove the relations again.")
    notice: str = Field("", description="What was left out, and why.")


class DiscoveryRun(Value):
    """What a search for relations found and wrote."""

    cycle: Cycle
    found: int = Field(description="How many pairs without a relation were found.")
    created: int = Field(0, description="How many relations were made.")
    suggested: int = Field(0, description="How many new suggestions wait for a decision.")
    pairs: list[Suggestion] = Field(description="The most alike of them.")
    notice: str = Field("", description="What was left out, and why.")


class BackgroundStatus(Value):
    """Discovery in the background: what is set, whether it runs, and where."""

    enabled: bool = Field(description="Whether it is switched on.")
    interval_seconds: int = Field(description="Seconds between two runs.")
    similarity_threshold: float = Field(description="Likeness from which a pair is suggested.")
    origins: dict[str, Origin] = Field(
        description="For each value: chosen through a tool, or the setting of the environment."
    )
    settings: dict[str, float] = Field(description="What the environment or its defaults say.")
    running: bool = Field(description="Whether a process now does it.")
    holder: str = Field("", description="Which process does, and who started it.")
    last: Cycle | None = Field(None, description="The last run.")
    next_at: datetime | None = Field(None, description="When the next one is due.")
    runs: int = Field(0, description="How many runs there were.")
    suggestions: int = Field(0, description="How many suggestions wait for a decision.")
