"""Putting the families together that find what was remembered."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from .writing import Writing

if TYPE_CHECKING:
    from ..search.index import VectorIndex
    from ..search.query_cache import CachedQueries
    from ..search.reranker import Reranker
    from ..services.graph.exploration import Exploration
    from ..services.search.knowledge_search import KnowledgeSearch
    from ..services.search.saved_searches import SavedSearches
    from ..services.search.search import Search
    from ..storage.search.vector_log import VectorLog


class Finding(Writing):
    """Search and the ways through the graph."""

    @cached_property
    def exploration(self) -> Exploration:
        from ..services.graph.exploration import Exploration

        return Exploration(self.db, self.ontology, token_budget=self.settings.result_token_budget)

    @cached_property
    def index(self) -> VectorIndex:
        from ..storage.search.vector_log import PIECES

        return self._index("", PIECES)

    @cached_property
    def queries(self) -> CachedQueries:
        from ..search.query_cache import CachedQueries

        return CachedQueries(self.embedder, size=self.settings.embedding_cache_size)

    @cached_property
    def search(self) -> Search:
        from ..services.search.search import Search

        return Search(
            self.db,
            self.embedder,
            self.ontology,
            queries=self.queries,
            index=self.index,
            follower=self.follower,
            telemetry=self.telemetry,
            recipe=self.settings.ranking(),
            reranker=self._reranker() if self.settings.reranker_enabled else None,
            rerank_multiplier=self.settings.rerank_candidate_multiplier,
            user_entity=self.settings.memory_user_entity,
        )

    @cached_property
    def knowledge_search(self) -> KnowledgeSearch:
        from ..services.search.knowledge_search import KnowledgeSearch

        return KnowledgeSearch(self.db, self.search)

    @cached_property
    def saved_searches(self) -> SavedSearches:
        from ..services.search.saved_searches import SavedSearches

        return SavedSearches(self.db)

    def _reranker(self) -> Reranker:
        from ..search.reranker import CrossEncoderReranker

        return CrossEncoderReranker(
            self.settings.reranker_model, allow_download=self.settings.allow_model_download
        )

    def _index(self, of: str, source: VectorLog) -> VectorIndex:
        from ..search.index import VectorIndex
        from ..search.snapshot import snapshot_of

        return VectorIndex(
            self.embedder.identity,
            snapshot_of(self.db.path, of=of),
            oversample=self.settings.vector_oversample,
            candidates=self.settings.vector_candidates,
            exact_below=self.settings.vector_exact_below,
            backend=self.settings.vector_backend,
            source=source,
        )
