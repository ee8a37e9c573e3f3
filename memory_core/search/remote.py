"""
Embedding model behind an HTTP API.

Texts are sent in batches of the provider's size, a few in parallel; vectors are returned in the
order of the texts, normalised. After a failure no request is sent for a while, so that searches
fall back to full text at once.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from ..errors import DimensionMismatchError, EmbeddingError
from ..model.search.vectors import ModelIdentity
from .embedder import readable, unit_length
from .endpoint import Endpoint
from .providers import Malformed, Provider

# Parallel batches, limited so that a long text does not exceed the provider's rate limit.
_AT_ONCE = 4

# Seconds after a failure in which no request is sent.
PAUSE = 20.0

# Placeholder for blank texts, which providers reject.
_BLANK = "-"


class RemoteEmbedder:
    """A provider's model. Thread-safe."""

    def __init__(
        self,
        provider: Provider,
        *,
        model: str,
        fingerprint: str,
        endpoint: Endpoint,
        quick: Endpoint,
        dimension: int = 0,
        asked: int = 0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """
        Request *asked* dimensions, if not 0; if *dimension* is 0, embed a word to determine it.

        A single text is sent to *quick*, which has a shorter timeout: it is probably a query.
        """
        self._provider = provider
        self._model = model
        self._endpoint = endpoint
        self._quick = quick
        self._asked = asked
        self._clock = clock
        self._dimension = dimension
        self._failed_at, self._failure = 0.0, ""
        self._named = f"{provider.name}/{model}"
        if not dimension:
            self._dimension = self._batch([_BLANK]).shape[1]
        self._identity = ModelIdentity(
            model=f"{fingerprint}/{self._dimension}",
            dimension=self._dimension,
            max_tokens=provider.max_tokens,
        )

    def identity(self) -> ModelIdentity:
        return self._identity

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """
        Raise EmbeddingError on failure, and DimensionMismatchError for vectors of another length.
        """
        if not texts:
            return np.zeros((0, self._dimension), dtype=np.float32)
        self._require_trust()
        size = self._provider.batch
        batches = [texts[start : start + size] for start in range(0, len(texts), size)]
        try:
            if len(batches) == 1:
                return self._batch(batches[0])
            with ThreadPoolExecutor(min(_AT_ONCE, len(batches))) as pool:
                return np.concatenate(list(pool.map(self._batch, batches)))
        except EmbeddingError as error:
            self._failed_at, self._failure = self._clock(), str(error)
            raise

    def _require_trust(self) -> None:
        if self._failure and self._clock() - self._failed_at < PAUSE:
            raise EmbeddingError(self._failure)
        self._failure = ""

    def _batch(self, texts: Sequence[str]) -> NDArray[np.float32]:
        sent = [self._sendable(text) for text in texts]
        endpoint = self._endpoint if len(sent) > 1 else self._quick
        answer = endpoint.post(
            self._provider.path(self._model), self._provider.body(self._model, sent, self._asked)
        )
        try:
            rows = self._provider.rows(answer)
        except Malformed as error:
            raise EmbeddingError(f"{self._named} {error}.") from error
        if len(rows) != len(sent):
            raise EmbeddingError(
                f"{self._named} answered with {len(rows)} vectors for {len(sent)} texts."
            )
        wrong = next((len(row) for row in rows if self._dimension not in (0, len(row))), None)
        if wrong is not None:
            raise DimensionMismatchError(
                f"{self._named} answered with a vector of {wrong} numbers, not {self._dimension}. "
                "Nothing was stored. Set EMBEDDING_DIMENSIONS to what it gives, or to 0, restart "
                "and reindex (the tool optimize_memory with reindex=true)."
            )
        return self._matrix(rows)

    def _matrix(self, rows: Sequence[Sequence[object]]) -> NDArray[np.float32]:
        try:
            matrix = np.asarray(rows, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise EmbeddingError(
                f"{self._named} answered with vectors that contain non-numbers."
            ) from error
        lengths = np.linalg.norm(matrix, axis=-1)
        if matrix.ndim != 2 or not (np.isfinite(lengths).all() and lengths.all()):
            raise EmbeddingError(f"{self._named} answered with a zero vector.")
        return unit_length((matrix / lengths[:, None]).astype(np.float32))

    def _sendable(self, text: str) -> str:
        # Nearly every character is at most one token, so the model would truncate the rest anyway.
        whole = readable(text)[: self._provider.max_tokens]
        return whole if whole.strip() else _BLANK
