"""Counts for the overview."""

from __future__ import annotations

from pydantic import Field

from .base import Value
from .graph.analytics import DailyGrowth
from .history import Event


class ProjectCounts(Value):
    """A project and how much it holds."""

    project_id: str = Field(description="Its name.")
    rows: dict[str, int] = Field(description="How many rows of each kind.")
    total: int = Field(description="How many rows in all.")


class ProjectOverview(Value):
    """What a project holds, how it grew and what happened last."""

    project_id: str = Field(description='The project; "*" is all of them.')
    rows: dict[str, int] = Field(description="How many rows of each kind.")
    entity_types: dict[str, int] = Field(description="Active entities by type, most first.")
    relation_types: dict[str, int] = Field(description="Relations by type, most first.")
    growth: list[DailyGrowth] = Field(
        description="Day by day, oldest first; quiet days are left out."
    )
    recent: list[Event] = Field(description="What happened last, newest first.")
    projects: list[ProjectCounts] = Field(description="Every project that holds something.")
    newest_seq: int = Field(description="Number of the newest change: the same number, the same.")
