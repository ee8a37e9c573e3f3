"""Protocol of vector backends."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ...model.search.vectors import BackendKind

Ids = NDArray[np.uint64]
Matrix = NDArray[np.float32]


class VectorBackend(Protocol):
    """Vectors by id. Not safe for several threads: the owner locks."""

    kind: BackendKind

    def __len__(self) -> int: ...

    def add(self, ids: Ids, vectors: Matrix) -> None:
        """Add vectors of unit length under ids that are not in it, or raise ValueError."""

    def remove(self, ids: Ids) -> None:
        """Remove those of *ids* that are in it."""

    def search(self, vector: Matrix, limit: int, *, allowed: Ids | None) -> tuple[Ids, Matrix]:
        """Return the best *limit* ids and scores; ids in *allowed* that it lacks do no harm."""

    def to_bytes(self) -> bytes: ...
