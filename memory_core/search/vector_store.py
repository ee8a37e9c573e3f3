"""
The ways to hold vectors in memory, behind one protocol.

Exact: a matrix, every row compared; nothing to get wrong, and the quickest for
a few thousand. Turbovec: 4 bits a number, for more; its scores are estimates.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from turbovec import IdMapIndex

Ids = NDArray[np.uint64]
Matrix = NDArray[np.float32]
Kind = Literal["exact", "turbovec"]

BITS = 4


class VectorStore(Protocol):
    """Vectors by id. Not safe for several threads: the owner locks."""

    kind: Kind

    def __len__(self) -> int: ...

    def add(self, ids: Ids, vectors: Matrix) -> None:
        """Add vectors of unit length under ids that are not in it."""

    def remove(self, ids: Ids) -> None:
        """Remove those of *ids* that are in it."""

    def search(self, vector: Matrix, limit: int, *, allowed: Ids | None) -> tuple[Ids, Matrix]:
        """Return the best *limit* ids and scores; ids in *allowed* that it lacks do no harm."""

    def to_bytes(self) -> bytes: ...


def make_store(kind: Kind, dimension: int, payload: bytes | None = None) -> VectorStore:
    """Return an empty store, or the one that was written as *payload*."""
    if kind == "turbovec":
        return TurbovecStore(dimension, payload)
    return ExactStore(dimension, payload)


def best_kind(count: int, dimension: int, exact_below: int) -> Kind:
    # Turbovec has no wheel for some platforms, and takes multiples of 8 only.
    usable = dimension % 8 == 0 and find_spec("turbovec") is not None
    return "turbovec" if usable and count >= exact_below else "exact"


class ExactStore:
    """Rows of a matrix with room to grow; a removed row is filled with the last."""

    kind: Kind = "exact"

    def __init__(self, dimension: int, payload: bytes | None = None) -> None:
        self._dimension = dimension
        self._ids = np.empty(0, dtype=np.uint64)
        self._matrix = np.empty((0, dimension), dtype=np.float32)
        self._row_of: dict[int, int] = {}
        if payload is not None:
            self.add(*_taken_apart(payload, dimension))

    def __len__(self) -> int:
        return len(self._row_of)

    def add(self, ids: Ids, vectors: Matrix) -> None:
        if not len(ids):
            # A matrix of no rows may have no columns either.
            return
        before, after = len(self), len(self) + len(ids)
        self._make_room(after)
        self._ids[before:after] = ids
        self._matrix[before:after] = vectors
        self._row_of.update(zip(ids.tolist(), range(before, after), strict=True))
        if len(self) != after:
            raise ValueError("an id was added twice")

    def remove(self, ids: Ids) -> None:
        for id in ids.tolist():
            row = self._row_of.pop(id, None)
            last = len(self)
            if row is not None and row != last:
                self._ids[row] = self._ids[last]
                self._matrix[row] = self._matrix[last]
                self._row_of[int(self._ids[row])] = row

    def search(self, vector: Matrix, limit: int, *, allowed: Ids | None) -> tuple[Ids, Matrix]:
        ids, matrix = self._ids[: len(self)], self._matrix[: len(self)]
        if allowed is not None:
            rows = np.flatnonzero(np.isin(ids, allowed))
            ids, matrix = ids[rows], matrix[rows]
        scores = matrix @ vector
        best = np.lexsort((ids, -scores))[:limit]
        return ids[best], scores[best]

    def to_bytes(self) -> bytes:
        ids, matrix = self._ids[: len(self)], self._matrix[: len(self)]
        return ids.astype("<u8").tobytes() + matrix.astype("<f4").tobytes()

    def _make_room(self, rows: int) -> None:
        if rows > len(self._ids):
            room = max(rows, 2 * len(self._ids), 256)
            ids, matrix = self._ids, self._matrix
            self._ids = np.empty(room, dtype=np.uint64)
            self._matrix = np.empty((room, self._dimension), dtype=np.float32)
            self._ids[: len(ids)] = ids
            self._matrix[: len(matrix)] = matrix


class TurbovecStore:
    """turbovec's IdMapIndex, never calibrated: that makes each write cost a rebuild."""

    kind: Kind = "turbovec"

    def __init__(self, dimension: int, payload: bytes | None = None) -> None:
        from turbovec import IdMapIndex

        self._index: IdMapIndex
        if payload is None:
            self._index = IdMapIndex(dimension, bit_width=BITS)
        else:
            self._index = IdMapIndex.from_bytes(payload)
            if (self._index.dim, self._index.bit_width) != (dimension, BITS):
                raise ValueError("another dimension or bit width")
            # Or the first search would pay for the map of ids.
            self._index.prepare()

    def __len__(self) -> int:
        return len(self._index)

    def add(self, ids: Ids, vectors: Matrix) -> None:
        if len(ids):
            self._index.add_with_ids(np.ascontiguousarray(vectors), ids, chunk_size=0)

    def remove(self, ids: Ids) -> None:
        for id in ids.tolist():
            self._index.remove(id)

    def search(self, vector: Matrix, limit: int, *, allowed: Ids | None) -> tuple[Ids, Matrix]:
        query = np.ascontiguousarray(vector[None, :])
        try:
            return self._search(query, limit, allowed)
        except KeyError:
            # An id that is allowed but not indexed; rare, so looked for only now.
            assert allowed is not None
            contains = self._index.contains
            known = [id for id in allowed.tolist() if contains(id)]
            return self._search(query, limit, np.array(known, dtype=np.uint64))

    def _search(self, query: Matrix, limit: int, allowed: Ids | None) -> tuple[Ids, Matrix]:
        if not len(self) or (allowed is not None and not len(allowed)):
            return np.empty(0, dtype=np.uint64), np.empty(0, dtype=np.float32)
        scores, ids = self._index.search(query, limit, allowlist=allowed)
        return ids[0], scores[0]

    def to_bytes(self) -> bytes:
        return bytes(self._index.to_bytes())


def _taken_apart(payload: bytes, dimension: int) -> tuple[Ids, Matrix]:
    count, rest = divmod(len(payload), 8 + 4 * dimension)
    if rest:
        raise ValueError("not a whole number of vectors")
    ids = np.frombuffer(payload, dtype="<u8", count=count).astype(np.uint64)
    numbers = np.frombuffer(payload, dtype="<f4", offset=8 * count)
    return ids, numbers.astype(np.float32).reshape(count, dimension)
