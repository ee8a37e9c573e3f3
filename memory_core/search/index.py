"""
The vector index of one process, which follows the vector log.

1. The index is a cache of a transaction's view: it is updated inside the caller's read block, and
   never contains uncommitted data. 2. It stores its own position in the log. If store, model, floor
   or count do not match the database, it is rebuilt. 3. Another thread with a newer transaction may
   have updated it beyond the caller's view. Then each hit is checked in the caller's database. 4.
   After a failed update the index is discarded. 5. Scores of a backend may be estimates: candidates
   are rescored with the stored vectors.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..errors import DimensionMismatchError, IndexUnavailableError
from ..model.search.vectors import BackendKind, IndexStatus, ModelIdentity
from ..storage.search import embeddings
from ..storage.search.embeddings import Connection
from ..storage.search.vector_log import PIECES, Standing, VectorLog
from . import snapshot
from .backends.factory import best_kind, make_backend
from .backends.protocol import Ids, VectorBackend

logger = logging.getLogger(__name__)

# Candidates of turbovec that are rescored: the best ten are among its first 60
# (measured up to 1,000,000 vectors).
_LEAST_RESCORED = 60
_RESCORED_A_HIT = 2
# A pool that is blended with full text is large already, and its tail is irrelevant:
# above this size, only as many candidates as the pool needs are rescored.
_WIDE = 50

_LEAST_CANDIDATES = 100
_CANDIDATES_A_HIT = 4

# Further digits of a cosine are float32 noise, which would break ties.
_DIGITS = 6

# A snapshot is replaced when it is behind by this many changes and this share of all.
_WORTH = 1000
_WORTH_SHARE = 0.05


@dataclass
class _Held:
    backend: VectorBackend
    uuid: str
    model: str
    dimension: int
    position: int
    unsaved: int
    # At the position; saved with a snapshot to distinguish histories of a store.
    change: str | None


class VectorIndex:
    """Finds passages near a vector. Thread-safe."""

    def __init__(
        self,
        identity: Callable[[], ModelIdentity],
        path: Path | None = None,
        *,
        oversample: int = 5,
        candidates: int = 200,
        exact_below: int = 3000,
        backend: BackendKind = "turbovec",
        source: VectorLog = PIECES,
    ) -> None:
        """*path* is where the snapshot is stored, if anywhere; nothing is read yet."""
        self._source = source
        self._identity = identity
        self._path = path
        self._oversample = oversample
        self._candidates = candidates
        self._exact_below = exact_below
        self._backend = backend
        self._lock = threading.Lock()
        self._held: _Held | None = None
        self._pending = 0
        self._rebuilds = 0
        self._waiting: tuple[Standing | None, Ids] = (None, np.empty(0, dtype=np.uint64))

    def follow(self, connection: Connection) -> None:
        """
        Update the index to the caller's read block.

        Raise DimensionMismatchError if the stored vectors are not of the embedder's model, and
        IndexUnavailableError inside a write block.
        """
        identity = self._identity()
        with self._lock, _backend_failing():
            self._follow(connection, identity)

    def search(
        self,
        connection: Connection,
        vector: NDArray[np.float32],
        *,
        limit: int,
        allowed: Ids | None = None,
    ) -> list[tuple[int, float]]:
        """Return up to *limit* passages and their cosines, of *allowed* if given, best first."""
        identity = self._identity()
        with self._lock, _backend_failing():
            held, now = self._follow(connection, identity)
            if vector.shape != (now.dimension,):
                raise DimensionMismatchError(
                    f"The query's vector has {vector.size} numbers; those of {now.model} have "
                    f"{now.dimension}. Embed it with {now.model}."
                )
            if allowed is not None and now.unembedded:
                allowed = _without(allowed, self._waiting_at(connection, now))
            ids, scores = held.backend.search(vector, self._width(limit), allowed=allowed)
            exact = held.backend.kind == "exact" and held.position == now.position
        if not exact:
            asked = ids[: max(_LEAST_RESCORED, _RESCORED_A_HIT * min(limit, _WIDE), limit)]
            vectors = self._source.vectors_of(connection, now.model, asked)
            ids, scores = vectors.ids, _cosines(vectors.matrix, vector)
        return _rank(ids, scores)[:limit]

    def save_if_worth(self) -> bool:
        """Save a snapshot if the last one is far behind; too slow for a request."""
        with self._lock:
            held = self._held
            if held is None or self._path is None or not self._is_worth_saving(held):
                return False
            label = snapshot.Label(
                uuid=held.uuid,
                model=held.model,
                dimension=held.dimension,
                kind=held.backend.kind,
                position=held.position,
                count=len(held.backend),
                change=held.change,
            )
            payload = held.backend.to_bytes()
            held.unsaved = 0
        return snapshot.save(self._path, label, payload)

    def status(self) -> IndexStatus:
        with self._lock:
            held = self._held
            return IndexStatus(
                kind=held.backend.kind if held else "none",
                model=held.model if held else "",
                vectors=len(held.backend) if held else 0,
                position=held.position if held else 0,
                pending=self._pending,
                rebuilds=self._rebuilds,
            )

    def _width(self, limit: int) -> int:
        wanted = min(limit, _WIDE)
        return max(
            self._candidates,
            _LEAST_CANDIDATES,
            _CANDIDATES_A_HIT * wanted,
            self._oversample * wanted,
            2 * limit,
        )

    def _waiting_at(self, connection: Connection, now: Standing) -> Ids:
        """
        Return the ids without a vector; an outdated list is harmless, as rescoring skips them.
        """
        if self._waiting[0] != now:
            self._waiting = (now, self._source.unembedded_ids(connection))
        return self._waiting[1]

    def _is_worth_saving(self, held: _Held) -> bool:
        count = len(held.backend)
        return count >= self._exact_below and held.unsaved >= max(_WORTH, _WORTH_SHARE * count)

    def _follow(self, connection: Connection, identity: ModelIdentity) -> tuple[_Held, Standing]:
        if embeddings.is_writing(connection):
            raise IndexUnavailableError(
                "The vector index follows only what is committed. Search it in a read block."
            )
        now = self._source.standing(connection)
        if not now.model:
            # Nothing is embedded yet: an empty index, not a mismatch.
            now = replace(now, model=identity.model, dimension=identity.dimension)
        embeddings.require_same(now, identity)
        # Detached during the update, so that an exception discards it.
        held, self._held = self._held, None
        if held is None or not _is_of(held, now):
            held = self._load_index(connection, now)
        if held is not None:
            held = self._caught_up(connection, held, now)
        self._held = held or self._rebuilt(connection, now)
        self._pending = now.unembedded
        return self._held, now

    def _load_index(self, connection: Connection, now: Standing) -> _Held | None:
        if self._path is None or now.indexed < self._exact_below:
            return None
        found = snapshot.load(self._path, uuid=now.uuid, model=now.model, dimension=now.dimension)
        if found is None:
            return None
        label, backend = found
        if label.position > now.position:
            logger.warning("The vector index snapshot is ahead of the database; rebuilding.")
            return None
        if not embeddings.knows(connection, label.change):
            # The file was replaced by an old copy, or the disk lost the end of the log.
            logger.warning("Vector index snapshot does not match the change log; rebuilding.")
            return None
        return _Held(backend, now.uuid, now.model, now.dimension, label.position, 0, label.change)

    def _caught_up(self, connection: Connection, held: _Held, now: Standing) -> _Held | None:
        """Apply the log; return None if the index must be rebuilt."""
        if held.position > now.position:
            return held
        if held.position < now.floor:
            return None
        try:
            if held.position < now.position:
                _apply(connection, held, now, self._source)
        except (LookupError, RuntimeError, TypeError, ValueError) as error:
            logger.warning("The vector index could not apply the log; rebuilding: %s", error)
            return None
        if len(held.backend) != now.indexed:
            logger.warning(
                "The vector index has %d of %d vectors; rebuilding.",
                len(held.backend),
                now.indexed,
            )
            return None
        return held if self._is_of_fitting_kind(held) else None

    def _is_of_fitting_kind(self, held: _Held) -> bool:
        # Hysteresis: near the limit, the backends do not alternate.
        count = len(held.backend) * (1 if held.backend.kind == "exact" else 2)
        return self._best_kind(count, held.dimension) == held.backend.kind

    def _best_kind(self, count: int, dimension: int) -> BackendKind:
        return best_kind(count, dimension, self._exact_below, self._backend)

    def _rebuilt(self, connection: Connection, now: Standing) -> _Held:
        kind = self._best_kind(now.indexed, now.dimension)
        backend = make_backend(kind, now.dimension)
        for block in self._source.all_vectors(connection, now.model):
            backend.add(block.ids, _unit(block.matrix))
        self._rebuilds += 1
        if len(backend) != now.indexed:
            # A counter is wrong, not the index; the health check repairs it.
            logger.warning(
                "The index has %d vectors, the counter says %d.", len(backend), now.indexed
            )
        return _Held(
            *(backend, now.uuid, now.model, now.dimension, now.position, len(backend), now.change)
        )


@contextmanager
def _backend_failing() -> Iterator[None]:
    try:
        yield
    except RuntimeError as error:
        raise IndexUnavailableError(f"The vector index failed: {error}. Try again.") from error


def _is_of(held: _Held, now: Standing) -> bool:
    return (held.uuid, held.model, held.dimension) == (now.uuid, now.model, now.dimension)


def _without(allowed: Ids, waiting: Ids) -> Ids:
    """Return those of *allowed* that are not in the sorted *waiting*."""
    if not len(waiting):
        return allowed
    nearest = np.minimum(np.searchsorted(waiting, allowed), len(waiting) - 1)
    left: Ids = allowed[waiting[nearest] != allowed]
    return left


def _apply(connection: Connection, held: _Held, now: Standing, source: VectorLog) -> None:
    for block in source.log_since(connection, now.model, seq=held.position):
        held.backend.remove(block.gone)
        held.backend.remove(block.ids)
        held.backend.add(block.ids, _unit(block.matrix))
        held.unsaved += len(block.gone) + len(block.ids)
    held.position, held.change = now.position, now.change


def _unit(matrix: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the rows normalised again, after rounding to float16."""
    norms = np.linalg.norm(matrix, axis=1, keepdims=True)
    return (matrix / np.where(norms == 0, 1, norms)).astype(np.float32)


def _cosines(matrix: NDArray[np.float32], vector: NDArray[np.float32]) -> NDArray[np.float32]:
    if not len(matrix):
        return np.empty(0, dtype=np.float32)
    return (_unit(matrix) @ vector).astype(np.float32)


def _rank(ids: Ids, scores: NDArray[np.float32]) -> list[tuple[int, float]]:
    pairs = zip(ids.tolist(), np.round(scores.astype(np.float64), _DIGITS).tolist(), strict=True)
    return sorted(pairs, key=lambda pair: (-pair[1], pair[0]))
