"""Putting the families together that keep a memory in order, and count it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from ..storage.database import Database
from .discovering import Discovering

if TYPE_CHECKING:
    from ..services.demonstration import Demonstration
    from ..services.graph.analytics import Analytics
    from ..services.graph.graph_view import Atlas
    from ..services.import_export.bundles import Bundles
    from ..services.import_export.interchange import Interchange, Writers
    from ..services.maintenance.bulk_edit import Curation
    from ..services.maintenance.health import Health
    from ..services.maintenance.lifecycle import Lifecycle
    from ..services.overview import Overview
    from ..services.statistics import Statistics


class Keeping(Discovering):
    """Curation, upkeep, health and figures."""

    @cached_property
    def curation(self) -> Curation:
        from ..services.maintenance.bulk_edit import Curation

        return Curation(self.db, self.graph, self.observations, self.lifecycle)

    @cached_property
    def lifecycle(self) -> Lifecycle:
        from ..services.maintenance.lifecycle import Lifecycle

        return Lifecycle(self.db, self.upkeep)

    @cached_property
    def interchange(self) -> Interchange:
        from ..services.import_export.interchange import Interchange

        return Interchange(
            self.db,
            self._ids,
            self._writers,
            roots=self.settings.allowed_roots(),
            bundles=self.bundles,
            over=self._interchange_over,
        )

    def _interchange_over(self, db: Database) -> Interchange:
        """Return what takes files into another memory file, with nothing that follows it."""
        from ..services.graph.graph import Graph
        from ..services.graph.observations import Observations
        from ..services.graph.relations import Relations
        from ..services.import_export.bundles import Bundles
        from ..services.import_export.interchange import FOLDER, Interchange, Writers

        roots = (self.db.path.parent, *self.settings.allowed_roots())
        observations = Observations(db, self._ids)
        graph = Graph(db, self._ids, self.ontology, observations)
        writers = Writers(graph, observations, Relations(db, self._ids, self.ontology))
        bundles = Bundles(
            db,
            self._ids,
            writers,
            self._knowledge_of(db),
            roots=roots,
            max_bytes=self.settings.knowledge_max_bytes,
            folder=self.db.path.parent / FOLDER,
        )
        return Interchange(db, self._ids, writers, roots=roots, bundles=bundles)

    @cached_property
    def bundles(self) -> Bundles:
        from ..services.import_export.bundles import Bundles
        from ..services.import_export.interchange import FOLDER

        return Bundles(
            self.db,
            self._ids,
            self._writers,
            self.knowledge,
            roots=self.settings.allowed_roots(),
            max_bytes=self.settings.knowledge_max_bytes,
            folder=self.db.path.parent / FOLDER,
        )

    @property
    def _writers(self) -> Writers:
        from ..services.import_export.interchange import Writers

        return Writers(self.graph, self.observations, self.relations)

    @cached_property
    def health(self) -> Health:
        from ..services.maintenance.health import Health

        return Health(
            self.db,
            self.upkeep,
            index=self.index.status,
            model=lambda: (self.embedder.state, self.embedder.reason),
            mirrors=self.mirror.status if self.mirror else list,
        )

    @cached_property
    def statistics(self) -> Statistics:
        from ..services.statistics import Statistics

        return Statistics(self.db, self.telemetry)

    @cached_property
    def analytics(self) -> Analytics:
        from ..services.graph.analytics import Analytics

        return Analytics(self.db)

    @cached_property
    def overview(self) -> Overview:
        from ..services.overview import Overview

        return Overview(self.db, self.timelines)

    @cached_property
    def atlas(self) -> Atlas:
        from ..services.graph.graph_view import Atlas

        return Atlas(self.db)

    @cached_property
    def demonstration(self) -> Demonstration:
        from ..services.demonstration import Demonstration

        return Demonstration(
            self._ids,
            graph=self.graph,
            observations=self.observations,
            relations=self.relations,
            knowledge=self.knowledge,
            lifecycle=self.lifecycle,
            bottles=self.bottles,
            entries=self.entries,
            conversation=self.conversation,
            extraction=self.extraction,
        )
