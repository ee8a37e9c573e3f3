"""Putting the families together that write what is to be remembered."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from ..storage.database import Database
from .foundation import Foundation

if TYPE_CHECKING:
    from ..services.bottles import Bottles
    from ..services.documents.knowledge import Knowledge
    from ..services.documents.prose import Prose
    from ..services.graph.graph import Graph
    from ..services.graph.observations import Observations
    from ..services.graph.relations import Relations


class Writing(Foundation):
    """The graph, documents and bottles."""

    @cached_property
    def observations(self) -> Observations:
        from ..services.graph.observations import Observations

        return Observations(self.db, self._ids)

    @cached_property
    def graph(self) -> Graph:
        from ..services.graph.graph import Graph

        return Graph(self.db, self._ids, self.ontology, self.observations)

    @cached_property
    def relations(self) -> Relations:
        from ..services.graph.relations import Relations

        return Relations(self.db, self._ids, self.ontology)

    @cached_property
    def knowledge(self) -> Knowledge:
        return self._knowledge_of(self.db)

    def _knowledge_of(self, db: Database) -> Knowledge:
        from ..services.documents.knowledge import Knowledge

        return Knowledge(
            db,
            self._ids,
            roots=self.settings.allowed_roots(),
            chunk_size=self.settings.knowledge_chunk_size,
            max_bytes=self.settings.knowledge_max_bytes,
        )

    @cached_property
    def prose(self) -> Prose:
        from ..services.documents.prose import Prose

        return Prose(
            self.db,
            knowledge=self.knowledge,
            graph=self.graph,
            observations=self.observations,
            relations=self.relations,
            user_entity=self.settings.memory_user_entity,
        )

    @cached_property
    def bottles(self) -> Bottles:
        from ..services.bottles import Bottles

        return Bottles(self.db, self._ids)
