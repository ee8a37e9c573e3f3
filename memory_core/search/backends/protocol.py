"""Protocol of vector backends."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ...model.search.vectors import BackendKind

Ids = NDArray[np.uint64]
Matrix = NDArray[np.float32]


class VectorBackend(Protocol):
    """Vectors by id. Not thread-safe: the owner locks."""

    kind: BackendKind

    def __len__(self) -> int: ...

    def add(self, ids: Ids, vectors: Matrix) -> None:
        """Add unit vectors under new ids; raise ValueError for an existing id."""

    def remove(self, ids: Ids) -> None:
        """Remove *ids*; unknown ones are ignored."""

    def search(self, vector: Matrix, limit: int, *, allowed: Ids | None) -> tuple[Ids, Matrix]:
        """Return the best *limit* ids and scores; unknown ids in *allowed* are ignored."""

    def to_bytes(self) -> bytes: ...
