"""
Nearest stored facts of a new one, within its scope and in bounded time.

A write never waits longer for a model than its limit. After a timeout the embedding continues in a
separate thread; the caller gets no result, and the fact is compared later.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from ...context import track_progress
from ...errors import DimensionMismatchError, IndexUnavailableError, MemoryCoreError
from ...model.facts.facts import Fact
from ...model.scope import Scope
from ...search.embedder import LazyEmbedder
from ...search.embedding_worker import EmbeddingWorker
from ...search.index import VectorIndex
from ...storage.database import Database
from ...storage.entries import facts as rows
from ...storage.search import embeddings, full_text
from ...threads import ThreadGroup

logger = logging.getLogger(__name__)

Vector = NDArray[np.float32]

# Passages embedded along the way; more are left to the background worker.
_FEW = 64

# A fact with several passages is returned once per passage.
_PIECES_A_FACT = 3
_PIECE_BITS = 24


@dataclass(frozen=True)
class Near:
    """A stored fact and its cosine with the new one."""

    fact: Fact
    similarity: float


class NearestFacts:
    """Embeds new facts and finds similar stored ones."""

    def __init__(
        self,
        db: Database,
        embedder: LazyEmbedder,
        *,
        index: VectorIndex,
        follower: EmbeddingWorker,
    ) -> None:
        self._db = db
        self._embedder = embedder
        self._index = index
        self._follower = follower
        self._threads = ThreadGroup()

    def stop(self, timeout: float) -> bool:
        """Stop embedding after the current step; return whether it has ended."""
        return self._threads.stop(timeout)

    def vectors(self, texts: Sequence[str], *, wait_seconds: float) -> list[Vector] | None:
        """
        Return a vector per text, or None if they are not ready within that time.

        A small number of other pending passages is embedded as well.
        """
        made: list[Vector] = []

        def make() -> None:
            stopping = self._threads.stopping.is_set
            try:
                with track_progress(cancelled=stopping):
                    if self._follower.pending():
                        self._follower.catch_up(limit=_FEW)
                    if texts and not stopping():
                        made.extend(self._embedder.embed(texts))
            except MemoryCoreError:
                # Unavailable, or closed meanwhile: health and the next search report it.
                made.clear()

        thread = self._threads.start(make, name="comparing facts")
        if thread is None:
            return None
        thread.join(wait_seconds)
        return list(made) if not thread.is_alive() and len(made) == len(texts) else None

    def keep(self, made: Mapping[str, Vector]) -> None:
        """Store the vectors that stored texts were compared by, to avoid embedding them again."""
        try:
            identity = self._embedder.identity()
            with self._db.note() as connection:
                items = [(full_text.digest(text), vector) for text, vector in made.items()]
                embeddings.store_vectors(connection, identity, items=items)
        except MemoryCoreError as error:
            # The first vectors of a database, or of another model: the embedding worker
            # handles those. The stored texts stay in any case.
            logger.info("Vectors of new facts are left to the background: %s", error.code)

    def near(
        self,
        vector: Vector,
        scope: Scope,
        *,
        most: int,
        now: datetime,
        but: Sequence[str] = (),
    ) -> list[Near] | None:
        """
        Return the facts of exactly that scope, most similar first, without a threshold.

        None if a fact of the scope has no comparable vector yet.
        """
        with self._db.read() as connection:
            pieces = rows.comparable(connection, scope, now=now, but=but)
            if not len(pieces):
                return []
            if rows.count_unembedded(connection, pieces):
                return None
            try:
                found = self._index.search(
                    connection, vector, limit=most * _PIECES_A_FACT, allowed=pieces
                )
            except (DimensionMismatchError, IndexUnavailableError):
                return None
            best: dict[int, float] = {}
            for piece, cosine in found:
                best.setdefault(piece >> _PIECE_BITS, cosine)
            known = rows.by_searchables(connection, list(best))
        return [Near(known[id], cosine) for id, cosine in best.items() if id in known][:most]
