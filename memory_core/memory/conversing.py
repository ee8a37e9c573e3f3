"""Putting the families together that remember conversations and sessions."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from .entries import EntriesAndGroups

if TYPE_CHECKING:
    from ..extract.protocols import Extractor
    from ..services.facts.conversation import Conversation
    from ..services.facts.extraction import Extraction
    from ..services.facts.maintenance import FactUpkeep
    from ..services.facts.review import FactReview
    from ..services.facts.writing import FactWriter
    from ..services.sessions import Sessions


class Conversing(EntriesAndGroups):
    """Facts about people, the conversations they are drawn from, and sessions."""

    @cached_property
    def extractor(self) -> Extractor | None:
        """What finds facts in a conversation, if LLM_PROVIDER names anything."""
        from ..extract.factory import choose_extractor

        return choose_extractor(self.settings)

    @cached_property
    def fact_writer(self) -> FactWriter:
        from ..services.facts.nearest import NearestFacts
        from ..services.facts.writing import FactWriter

        nearest = NearestFacts(self.db, self.embedder, index=self.index, follower=self.follower)
        return FactWriter(self.db, self._ids, nearest, self.settings.conversation_defaults())

    @cached_property
    def extraction(self) -> Extraction:
        from ..services.facts.extraction import Extraction

        return Extraction(
            self.db,
            self._ids,
            self.fact_writer,
            self.settings.conversation_defaults(),
            configured=lambda: self.extractor,
        )

    @cached_property
    def conversation(self) -> Conversation:
        from ..services.facts.conversation import Conversation

        return Conversation(
            self.db,
            self._ids,
            writer=self.fact_writer,
            extraction=self.extraction,
            search=self.search,
            upkeep=self.upkeep,
        )

    @cached_property
    def fact_upkeep(self) -> FactUpkeep:
        from ..services.facts.maintenance import FactUpkeep

        return FactUpkeep(self.db, self._ids, writer=self.fact_writer, extraction=self.extraction)

    @cached_property
    def fact_review(self) -> FactReview:
        from ..services.facts.review import FactReview

        return FactReview(self.db)

    @cached_property
    def sessions(self) -> Sessions:
        from ..services.sessions import Sessions

        return Sessions(self.db, self._ids, self.observations, self.extraction)
