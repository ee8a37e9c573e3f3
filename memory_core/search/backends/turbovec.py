"""turbovec backend: 4 bits per number, for many vectors; its scores are estimates."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...model.search.vectors import BackendKind
from .protocol import Ids, Matrix

if TYPE_CHECKING:
    from turbovec import IdMapIndex

BITS = 4


class TurbovecBackend:
    """An IdMapIndex of turbovec, without calibration, which would make every write rebuild it."""

    kind: BackendKind = "turbovec"

    def __init__(self, dimension: int, payload: bytes | None = None) -> None:
        from turbovec import IdMapIndex

        self._index: IdMapIndex
        if payload is None:
            self._index = IdMapIndex(dimension, bit_width=BITS)
        else:
            self._index = IdMapIndex.from_bytes(payload)
            if (self._index.dim, self._index.bit_width) != (dimension, BITS):
                raise ValueError("another dimension or bit width")
            # Otherwise the first search would build the map of ids.
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
        if allowed is not None:
            allowed = np.ascontiguousarray(allowed)
        try:
            return self._search(query, limit, allowed)
        except KeyError:
            # An allowed id that is not indexed; rare, so checked only after a failure.
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
