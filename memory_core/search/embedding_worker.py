"""Embed pending texts without holding a transaction.

A piece gets the vector of its text, an entry the merged vector of its six texts
(rules/facts/merged_vectors.py). Texts of one batch are embedded together, each once.

Several processes may embed at once without harm: the first to store a vector
wins. The background thread takes a lease, so that usually only one does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..context import is_cancelled, report_progress
from ..model.search.vectors import ModelIdentity
from ..rules.facts import merged_vectors
from ..storage.database import Database
from ..storage.entries import merged_vectors as merged_rows
from ..storage.entries.merged_vectors import Made, Unmerged
from ..storage.search import embeddings, full_text
from ..storage.search.embeddings import Unembedded
from .embedder import Embedder
from .leased_thread import LeasedThread

LEASE = "embedding"

# A batch takes about a second; a crash loses one at most.
BATCH = 256

# A summary and five tags.
_TEXTS_AN_ENTRY = 6

# Longer than the slowest batch on a busy machine.
_LEASE_SECONDS = 120.0

# How often to check for writes of other processes, and how soon to retry while
# one of them holds the lease.
_LOOK_SECONDS = 30.0
_RETRY_SECONDS = 2.0


@dataclass(frozen=True)
class _Batch:
    pieces: list[Unembedded]
    entries: list[Unmerged]

    def __len__(self) -> int:
        return len(self.pieces) + len(self.entries)

    def texts(self) -> list[str]:
        """Return every text to be embedded, each once."""
        ours = [item.text for item in self.pieces]
        theirs = [text for item in self.entries for text in item.texts]
        return list(dict.fromkeys([*ours, *theirs]))


class EmbeddingWorker(LeasedThread):
    """Embeds pending pieces and entries: at once by catch_up(), or later by its thread."""

    def __init__(
        self, db: Database, embedder: Embedder, *, look_seconds: float = _LOOK_SECONDS
    ) -> None:
        super().__init__(
            db,
            name=LEASE,
            lease=LEASE,
            lease_seconds=_LEASE_SECONDS,
            look_seconds=look_seconds,
        )
        # Called on the thread each time nothing is left to embed.
        self.when_level: list[Callable[[], object]] = []
        self._embedder = embedder

    def pending(self) -> int:
        """Return how many pieces and entries have no vector yet."""
        with self._db.read() as connection:
            pieces = embeddings.standing(connection).unembedded
            return pieces + merged_rows.standing(connection).unembedded

    def catch_up(self, limit: int | None = None, *, wait: bool = True) -> int:
        """
        Embed up to *limit* pending pieces and entries, or all; return how many.

        Without *wait*, raise StorageError if another process holds the write lock for long.

        Raise EmbeddingError if the model cannot be used, and DimensionMismatchError
        if the store's vectors are of another one. Without a limit, progress is reported.
        """
        done = 0
        if limit is None:
            self.reindex_full_text()
        waiting = self.pending() if limit is None else 0
        before = _Batch([], [])
        while limit is None or done < limit:
            batch = self._take_batch(BATCH if limit is None else min(BATCH, limit - done))
            # The same batch again: another process or a damaged row blocks it.
            if not batch or batch == before:
                break
            self._embed(batch, wait=wait)
            done += len(batch)
            before = batch
            if waiting:
                # Includes what other threads and processes embed meanwhile.
                report_progress(max(waiting - self.pending(), 0), waiting, "making vectors")
            if is_cancelled():
                # Stored vectors stay; the rest remains pending.
                break
        return done

    def reindex_full_text(self) -> None:
        """Index rows that follow older text rules, a short transaction at a time."""
        with self._db.read() as connection:
            more = full_text.needs_reindex(connection)
        while more and not (self._stopping.is_set() or is_cancelled()):
            with self._db.note() as connection:
                more = full_text.reindex_batch(connection)

    def _take_batch(self, limit: int) -> _Batch:
        with self._db.read() as connection:
            pieces = embeddings.take_unembedded(connection, limit)
            room = limit - len(pieces)
            entries = max(room // _TEXTS_AN_ENTRY, 1) if room else 0
            return _Batch(pieces, merged_rows.take_unmerged(connection, entries))

    def _embed(self, batch: _Batch, *, wait: bool) -> None:
        identity = self._embedder.identity()
        self._adopt(identity, wait=wait)
        texts = batch.texts()
        vectors = dict(zip(texts, self._embedder.embed(texts), strict=True))
        # Digests of pieces are of their texts: equal ones are stored once.
        pieces = {item.digest: vectors[item.text] for item in batch.pieces}
        made = list(_vectors_made(batch.entries, vectors))
        with self._db.note(wait=wait) as connection:
            embeddings.store_vectors(connection, identity, items=pieces.items())
            merged_rows.store(connection, identity, made)

    def _adopt(self, identity: ModelIdentity, *, wait: bool) -> None:
        with self._db.read() as connection:
            now = embeddings.standing(connection)
        if (now.model, now.dimension) != (identity.model, identity.dimension):
            with self._db.note(wait=wait) as connection:
                embeddings.use_model(connection, identity)

    def step(self) -> float:
        self.reindex_full_text()
        if not self._drain():
            return min(_RETRY_SECONDS, self._look_seconds)
        for follow in self.when_level:
            follow()
        return self._look_seconds

    def _drain(self) -> bool:
        """Embed all pending texts; return False while another process does."""
        if not self.pending():
            return True
        if not self.lease.take():
            return False
        try:
            while not self._stopping.is_set() and self.catch_up(BATCH):
                if not self.lease.renew_if_due():
                    return False
        finally:
            self.lease.release()
        return True


def _vectors_made(
    entries: list[Unmerged], vectors: dict[str, NDArray[np.float32]]
) -> Iterator[Made]:
    """Yield what is to be stored for each different summary with its tags."""
    for item in {item.digest: item for item in entries}.values():
        stacked = np.stack([vectors[text] for text in item.texts]).astype(np.float64)
        vector, norm = merged_vectors.merge_vectors(stacked)
        yield Made(item.digest, vector, norm, vectors[item.summary])
