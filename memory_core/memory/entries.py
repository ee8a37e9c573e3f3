"""Putting the family of entries and their groups together."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from .finding import Finding

if TYPE_CHECKING:
    from ..search.index import VectorIndex
    from ..services.entries.entries import Entries
    from ..services.entries.groups import Groups
    from ..services.entries.maintenance import EntryUpkeep
    from ..services.entries.query import EntryQuery
    from ..services.entries.settings import EntrySettings
    from ..services.entries.status import EntryStatus


class EntriesAndGroups(Finding):
    """Entries, their settings, their upkeep and their groups."""

    @cached_property
    def entry_settings(self) -> EntrySettings:
        from ..services.entries.settings import EntrySettings

        return EntrySettings(self.db, self.settings.entry_defaults())

    @cached_property
    def entries(self) -> Entries:
        from ..services.entries.entries import Entries

        return Entries(self.db, self._ids, self.entry_settings)

    @cached_property
    def entry_index(self) -> VectorIndex:
        from ..storage.search.vector_log import ENTRIES

        return self._index("entries", ENTRIES)

    @cached_property
    def entry_query(self) -> EntryQuery:
        from ..services.entries.query import EntryQuery

        return EntryQuery(
            self.db,
            self.embedder,
            queries=self.queries,
            index=self.entry_index,
            follower=self.follower,
            telemetry=self.telemetry,
        )

    @cached_property
    def entry_status(self) -> EntryStatus:
        from ..services.entries.status import EntryStatus

        return EntryStatus(self.db, self.entry_settings, self.embedder)

    @cached_property
    def entry_upkeep(self) -> EntryUpkeep:
        from ..services.entries.maintenance import EntryUpkeep

        return EntryUpkeep(
            self.db,
            self._ids,
            self.entry_settings,
            embedder=self.embedder,
            follower=self.follower,
        )

    @cached_property
    def groups(self) -> Groups:
        from ..services.entries.groups import Groups

        return Groups(
            self.db,
            self._ids,
            self.entry_settings,
            embedder=self.embedder,
            follower=self.follower,
        )
