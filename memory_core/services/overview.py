"""Counts for the first page of the dashboard."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from difflib import get_close_matches

from ..clock import format_timestamp
from ..model.graph.analytics import DailyGrowth
from ..model.overview import ProjectCounts, ProjectOverview
from ..model.scope import ALL_USERS, Scope, User
from ..rules import limits
from ..storage.database import Database
from ..storage.graph import graph_metrics, graph_view
from ..storage.history import audit_log
from .graph.analytics import days_of
from .history.timeline import Timelines


class Overview:
    """Counts, growth and the newest events."""

    def __init__(self, db: Database, timelines: Timelines) -> None:
        self._db = db
        self._timelines = timelines

    def project_counts(
        self, *, project_id: str = "default", days: int = 30, events: int = 20
    ) -> ProjectOverview:
        """Return the counts of a project ("*": all) and its recent events."""
        project_id = limits.validate_project(project_id, all_allowed=True)
        recent = self._timelines.list_events(
            project_id=project_id, user_id=ALL_USERS, order="DESC", limit=events
        )
        since = format_timestamp(self._db.clock() - timedelta(days=days))
        with self._db.read() as connection:
            known = graph_metrics.projects(connection)
            entity_types, relation_types = graph_metrics.types(connection, project_id)
            grown = graph_metrics.growth(connection, _everyone_in(project_id), since)
            newest = audit_log.newest(connection)
        return ProjectOverview(
            project_id=project_id,
            rows=_rows_of(known, project_id),
            entity_types=entity_types,
            relation_types=relation_types,
            growth=days_of(grown),
            recent=recent.events,
            projects=_projects(known),
            newest_seq=newest,
        )

    def growth_by_day(self, *, project_id: str = "default", days: int = 30) -> list[DailyGrowth]:
        """Return the growth of each recent day, oldest first; days without any are left out."""
        project_id = limits.validate_project(project_id, all_allowed=True)
        since = format_timestamp(self._db.clock() - timedelta(days=days))
        with self._db.read() as connection:
            return days_of(graph_metrics.growth(connection, _everyone_in(project_id), since))

    def list_projects(self, *, user_id: User = "") -> list[str]:
        """Return every project with records that a user may see, by name."""
        with self._db.read() as connection:
            return graph_metrics.project_names(connection, user_id)

    def has_project(self, project_id: str, *, user_id: User = "") -> bool:
        """Return whether a project has records that a user may see."""
        return project_id in self.list_projects(user_id=user_id)

    def similar_projects(self, project_id: str, *, user_id: User = "") -> list[str]:
        """Return other projects with similar names that a user may see."""
        others = [name for name in self.list_projects(user_id=user_id) if name != project_id]
        return get_close_matches(project_id, others, 3, 0.7)

    def list_types(self, *, project_id: str = "default", status: str = "active") -> dict[str, int]:
        """Return the number of entities of each type, most frequent first."""
        project_id = limits.validate_project(project_id, all_allowed=True)
        with self._db.read() as connection:
            return graph_view.type_counts(
                connection, project_id, status="" if status == "all" else status
            )


def _everyone_in(project_id: str) -> Scope:
    return Scope(project_id=project_id, user_id=ALL_USERS)


def _rows_of(known: dict[str, dict[str, int]], project_id: str) -> dict[str, int]:
    if project_id != limits.EVERY_PROJECT:
        return known.get(project_id, {})
    total: Counter[str] = Counter()
    for counts in known.values():
        total.update(counts)
    return dict(total)


def _projects(known: dict[str, dict[str, int]]) -> list[ProjectCounts]:
    return [
        ProjectCounts(project_id=name, rows=counts, total=sum(counts.values()))
        for name, counts in known.items()
    ]
