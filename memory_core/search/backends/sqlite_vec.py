"""sqlite-vec backend: exact, with its vectors in a temporary file instead of memory."""

from __future__ import annotations

import numpy as np

from ...model.search.vectors import BackendKind
from ...storage.search.vector_table import VectorTable
from .protocol import Ids, Matrix


class SqliteVecBackend:
    """A vector table in a temporary SQLite file, deleted with the process."""

    kind: BackendKind = "sqlite-vec"

    def __init__(self, dimension: int, payload: bytes | None = None) -> None:
        import sqlite_vec

        extension = sqlite_vec.loadable_path()
        self._table = VectorTable(dimension, extension=extension, payload=payload)

    def __len__(self) -> int:
        return len(self._table)

    def add(self, ids: Ids, vectors: Matrix) -> None:
        self._table.add(ids.tolist(), np.ascontiguousarray(vectors, dtype="<f4"))

    def remove(self, ids: Ids) -> None:
        self._table.remove(ids.tolist())

    def search(self, vector: Matrix, limit: int, *, allowed: Ids | None) -> tuple[Ids, Matrix]:
        found, distances = self._table.nearest(vector, limit, allowed=allowed)
        # For unit vectors, the squared distance is 2 - 2 * cosine.
        return found, (1 - distances**2 / 2).astype(np.float32)

    def to_bytes(self) -> bytes:
        return self._table.to_bytes()
