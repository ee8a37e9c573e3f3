"""Exact vector backend: compares the query with every vector. Reference for the other backends."""

from __future__ import annotations

import numpy as np

from ...model.search.vectors import BackendKind
from .protocol import Ids, Matrix


class ExactBackend:
    """A matrix with spare capacity; the last row replaces a removed one."""

    kind: BackendKind = "exact"

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
            # An empty matrix may have no columns.
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


def _taken_apart(payload: bytes, dimension: int) -> tuple[Ids, Matrix]:
    count, rest = divmod(len(payload), 8 + 4 * dimension)
    if rest:
        raise ValueError("not a whole number of vectors")
    ids = np.frombuffer(payload, dtype="<u8", count=count).astype(np.uint64)
    numbers = np.frombuffer(payload, dtype="<f4", offset=8 * count)
    return ids, numbers.astype(np.float32).reshape(count, dimension)
