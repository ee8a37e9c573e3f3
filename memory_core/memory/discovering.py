"""Putting the families together that put two and two together."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from .past import Past

if TYPE_CHECKING:
    from ..librarian.librarian import Librarian
    from ..services.discovery.discovery import Discovery
    from ..services.discovery.suggestions import Suggestions
    from ..services.job_runs import Shifts


class Discovering(Past):
    """Suggestions, discovery and the librarian."""

    @cached_property
    def shifts(self) -> Shifts:
        from ..services.job_runs import Shifts

        return Shifts(self.db, self._ids)

    @cached_property
    def suggestions(self) -> Suggestions:
        from ..services.discovery.suggestions import Suggestions

        return Suggestions(self.db, self._ids, self.ontology, self.graph)

    @cached_property
    def discovery(self) -> Discovery:
        from ..services.discovery.background import Background, BackgroundDiscovery
        from ..services.discovery.discovery import Discovery

        background = BackgroundDiscovery(
            self.db,
            Background(
                enabled=self.settings.background_discovery,
                interval_seconds=self.settings.bg_discovery_interval,
                similarity_threshold=self.settings.bg_discovery_threshold,
            ),
        )
        background.on_change.append(lambda: self.librarian.background_changed())
        return Discovery(
            self.db,
            self._ids,
            self.ontology,
            shifts=self.shifts,
            suggestions=self.suggestions,
            background=background,
            follower=self.follower,
        )

    @cached_property
    def librarian(self) -> Librarian:
        from ..librarian.context import Desk
        from ..librarian.librarian import Librarian
        from ..librarian.scheduled_jobs import backup_chore, entry_chores, fact_chores

        return Librarian(
            Desk(
                self.db,
                self._ids,
                self.ontology,
                shifts=self.shifts,
                suggestions=self.suggestions,
                discovery=self.discovery,
            ),
            chores=(
                *entry_chores(self.entry_upkeep, self.groups),
                *fact_chores(self.fact_upkeep),
                backup_chore(self.upkeep),
            ),
            upkeep_seconds=lambda: self.entry_settings.number("daemon_interval"),
        )
