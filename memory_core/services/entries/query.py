"""Semantic search for entries, and reading their longer text."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...clock import format_timestamp
from ...errors import (
    DimensionMismatchError,
    EmbeddingError,
    IndexUnavailableError,
    StorageError,
    ValidationError,
)
from ...model.facts.entries import ContextPage, Entry, EntryHit, EntryHits, EntryOrder
from ...model.scope import Scope
from ...rules import limits
from ...rules.facts import merged_vectors as rules
from ...rules.text.normalization import clean_text
from ...rules.text.query_terms import query_terms, query_variants
from ...search.embedder import LazyEmbedder
from ...search.embedding_worker import EmbeddingWorker
from ...search.index import VectorIndex
from ...search.query_cache import CachedQueries
from ...storage.database import Connection, Database
from ...storage.entries import entries as rows
from ...storage.entries import groups, merged_vectors
from ...storage.search import full_text
from ...storage.search.search_filter import Allowed, Filter
from ...telemetry import Telemetry, Trace
from ..scopes import validate_scope
from .entries import KIND

MOST = 100
MOST_CHUNKS = 50

# Characters per page of context, to bound the response; at least one chunk is returned.
_BUDGET = 24_000
# Characters of a query that are embedded; models truncate longer ones.
_EMBEDDED = 2_000
# Passages embedded by a query; more are left to the background worker, as in search.
_FEW = 64
_PIECE_BITS = np.uint64(24)

Found = list[tuple[int, float, float]]


class EntryQuery:
    """Search by merged vectors: one dot product per entry yields both scores."""

    def __init__(
        self,
        db: Database,
        embedder: LazyEmbedder,
        *,
        queries: CachedQueries,
        index: VectorIndex,
        follower: EmbeddingWorker,
        telemetry: Telemetry,
    ) -> None:
        self._db = db
        self._embedder = embedder
        self._queries = queries
        self._index = index
        self._follower = follower
        self._telemetry = telemetry
        self._allowed = Allowed()

    def query_entries(
        self,
        query: str,
        *,
        top_k: int = 3,
        score_threshold: float = 0.15,
        scope: Scope | None = None,
    ) -> EntryHits:
        """Return the entries nearest to *query*; raise ValidationError if the query is invalid."""
        scope = validate_scope(scope, all_projects=True, all_users=True)
        asked = clean_text(query).strip()
        if not asked:
            raise ValidationError("The query must not be blank. Give search terms or a question.")
        limits.validate_range("top_k", top_k, least=1, most=MOST)
        limits.validate_share("score_threshold", score_threshold)
        with self._telemetry.trace(
            "memory_query", project_id=scope.project_id, query=asked
        ) as trace:
            answer = self._answer(asked, top_k, score_threshold, scope=scope, trace=trace)
            trace.note(hits=len(answer.hits))
        self._telemetry.count_retrieved((KIND, hit.source_id) for hit in answer.hits)
        return answer

    def entry_context(
        self,
        id: str,
        *,
        offset: int = 0,
        limit: int = 1,
        order: EntryOrder = "oldest",
        scope: Scope | None = None,
    ) -> ContextPage:
        """
        Return a page of an entry's chunks, from the first chunk forwards or the last backwards.
        """
        if offset < 0:
            raise ValidationError(f"offset must be 0 or more, not {offset}.")
        limits.validate_range("limit", limit, least=1, most=MOST_CHUNKS)
        if order not in ("oldest", "newest"):
            raise ValidationError(f"order must be 'oldest' or 'newest', not {order!r}.")
        with self._db.read() as connection:
            entry = rows.get(
                connection, validate_scope(scope, all_users=True), id, now=self._db.clock()
            )
            newest_first = order == "newest"
            chunks = rows.chunks(
                connection, id, offset=offset, limit=limit, newest_first=newest_first
            )
        lengths = np.cumsum([len(chunk.text) for chunk in chunks])
        shown = chunks[: max(int(np.searchsorted(lengths, _BUDGET, "right")), 1)]
        after = offset + len(shown)
        return ContextPage(
            timeline_id=id,
            chunks=shown,
            total_chunks=entry.total_chunks,
            next_offset=after if after < entry.total_chunks else -1,
        )

    def _answer(
        self, asked: str, top_k: int, threshold: float, *, scope: Scope, trace: Trace
    ) -> EntryHits:
        vector, notice = self._meaning(asked, trace)
        with self._db.read() as connection:
            with trace.stage("filter"):
                now = format_timestamp(self._db.clock())
                wanted = Filter(kinds=(KIND,), own_only=True, **scope.model_dump())
                allowed = self._allowed.ids(connection, wanted, now=now)
            found: Found = []
            if vector is not None:
                with trace.stage("vector"):
                    found, problem = self._by_meaning(connection, vector, allowed, top_k=top_k)
                notice = notice or problem
            if notice:
                found = _by_words(connection, asked, allowed, top_k=top_k)
            else:
                found = [each for each in found if each[1] >= threshold]
            pending = merged_vectors.standing(connection).unembedded
            hits = _build_hits(connection, found)
        if pending and not notice:
            notice = f"Entries without a vector yet: {pending}; retry in a moment."
        return EntryHits(hits=hits, notice=notice, pending=pending)

    def _meaning(self, asked: str, trace: Trace) -> tuple[NDArray[np.float32] | None, str]:
        """Return the query's vector, or the reason why there is none; never waits for the model."""
        if not self._embedder.ready:
            return None, _by_text_alone(self._embedder.warm_if_due())
        try:
            with trace.stage("embed"):
                vector, cached = self._queries.vector(asked[:_EMBEDDED])
            trace.note(cached=cached)
            waiting = self._follower.pending()
            if 0 < waiting <= _FEW:
                with trace.stage("catch_up"):
                    self._follower.catch_up(limit=_FEW, wait=False)
            elif waiting:
                self._follower.nudge()
        except StorageError:
            # Another process writes for long: an answer must not wait for its lock.
            self._follower.nudge()
        except (DimensionMismatchError, EmbeddingError) as error:
            return None, _by_text_alone(str(error))
        return vector, ""

    def _by_meaning(
        self,
        connection: Connection,
        vector: NDArray[np.float32],
        allowed: NDArray[np.uint64],
        *,
        top_k: int,
    ) -> tuple[Found, str]:
        now = merged_vectors.standing(connection)
        if not len(allowed) or not now.indexed:
            return [], ""
        try:
            searchables = np.unique(allowed >> _PIECE_BITS)
            hits = self._index.search(connection, vector, limit=top_k, allowed=searchables)
        except (DimensionMismatchError, IndexUnavailableError) as error:
            return [], _by_text_alone(str(error))
        norms = merged_vectors.norms(connection, now.model, [id for id, _ in hits])
        return [
            (id, *rules.merged_scores(cosine, norms[id])) for id, cosine in hits if id in norms
        ], ""


def _by_words(
    connection: Connection, asked: str, allowed: NDArray[np.uint64], *, top_k: int
) -> Found:
    """Return entries that match the query's words, without scores: there is no cosine."""
    hits = full_text.search(
        connection,
        [*query_terms(asked), *query_variants(asked)],
        weights=(1.0, 0.0, 0.0),
        limit=top_k,
        allowed=allowed,
    )
    return [(id, 0.0, 0.0) for id in dict.fromkeys(piece >> 24 for piece, _ in hits)]


def _build_hits(connection: Connection, found: Found) -> list[EntryHit]:
    known = rows.by_searchables(connection, [id for id, _, _ in found])
    in_groups = groups.of_entries(connection, [entry.id for entry in known.values()])
    return [
        _hit(known[id], score, score_merged, in_groups.get(known[id].id, []))
        for id, score, score_merged in found
        if id in known
    ]


def _hit(entry: Entry, score: float, score_merged: float, group_ids: list[str]) -> EntryHit:
    assert entry.created_at is not None
    return EntryHit(
        source_id=entry.id,
        score=round(score, 6),
        score_merged=round(score_merged, 6),
        summary=entry.summary,
        tags=entry.tags,
        category=entry.category,
        create_timestamp=entry.created_at,
        is_time_sensitive=entry.is_time_sensitive,
        group_ids=group_ids,
        has_context=entry.has_context,
        total_chunks=entry.total_chunks,
    )


def _by_text_alone(reason: str) -> str:
    return f"Answered from full text alone, without scores. {reason}"
