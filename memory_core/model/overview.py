"""Overview of the memory contents."""

from __future__ import annotations

from pydantic import Field

from .base import Value
from .graph.analytics import DailyGrowth
from .history import Event


class ProjectCounts(Value):
    """A project and its number of rows."""

    project_id: str = Field(description="Name.")
    rows: dict[str, int] = Field(description="Number of rows by kind.")
    total: int = Field(description="Total number of rows.")


class ProjectOverview(Value):
    """Counts, growth and recent events of a project."""

    project_id: str = Field(description='Project ID; "*" for all projects.')
    rows: dict[str, int] = Field(description="Number of rows by kind.")
    entity_types: dict[str, int] = Field(
        description="Number of active entities by type, descending."
    )
    relation_types: dict[str, int] = Field(description="Number of relations by type, descending.")
    growth: list[DailyGrowth] = Field(
        description="Changes per day, oldest first; days without changes are left out."
    )
    recent: list[Event] = Field(description="Recent events, newest first.")
    projects: list[ProjectCounts] = Field(description="All projects with rows.")
    newest_seq: int = Field(
        description="Sequence number of the newest change; the same number returns the same data."
    )
