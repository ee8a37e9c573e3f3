"""Cache of query embeddings."""

from __future__ import annotations

import threading
from collections import OrderedDict

import numpy as np
from numpy.typing import NDArray

from .embedder import Embedder, embed_query


class CachedQueries:
    """LRU cache of the vectors of *size* queries of up to *longest* characters."""

    def __init__(self, embedder: Embedder, *, size: int = 512, longest: int = 4096) -> None:
        self._embedder = embedder
        self._size = size
        self._longest = longest
        self._vectors: OrderedDict[str, NDArray[np.float32]] = OrderedDict()
        self._lock = threading.Lock()
        self.hits = 0
        self.misses = 0

    def __len__(self) -> int:
        return len(self._vectors)

    def vector(self, text: str) -> tuple[NDArray[np.float32], bool]:
        """Return the read-only vector of *text*, and whether it was cached."""
        kept = self._find_cached(text)
        if kept is not None:
            return kept, True
        # Outside the lock: two threads may embed the same text, which is harmless.
        vector = embed_query(self._embedder, text)
        vector.flags.writeable = False
        self._remember(text, vector)
        return vector, False

    def _find_cached(self, text: str) -> NDArray[np.float32] | None:
        with self._lock:
            vector = self._vectors.get(text)
            if vector is None:
                self.misses += 1
                return None
            self.hits += 1
            self._vectors.move_to_end(text)
            return vector

    def _remember(self, text: str, vector: NDArray[np.float32]) -> None:
        if len(text) >= self._longest:
            return
        with self._lock:
            self._vectors[text] = vector
            self._vectors.move_to_end(text)
            while len(self._vectors) > self._size:
                self._vectors.popitem(last=False)
