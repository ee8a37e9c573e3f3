"""An embedding model behind an HTTP API.

Texts go in batches of the provider's size, a few at a time; vectors come back in
the order of the texts and normalised. After a failure nothing is sent for a
while: who searches meanwhile is answered from full text, at once.
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

# Batches under way at once, so that a long text does not bring a limit on the rate.
_AT_ONCE = 4

# Seconds after a failure in which no request is sent.
PAUSE = 20.0

# What stands for a text without a word: providers refuse to embed nothing.
_BLANK = "-"


class RemoteEmbedder:
    """A provider's model; safe to use from several threads."""

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
        Ask for *asked* numbers, if any; *dimension* 0 is found out by embedding a word.

        A single text goes to *quick*, which has a shorter timeout: it is probably a query.
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
        Raise EmbeddingError, or DimensionMismatchError if vectors of another length come back.
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
                f"{self._named} answered with vectors that hold more than numbers."
            ) from error
        lengths = np.linalg.norm(matrix, axis=-1)
        if matrix.ndim != 2 or not (np.isfinite(lengths).all() and lengths.all()):
            raise EmbeddingError(f"{self._named} answered with a vector that has no direction.")
        return unit_length((matrix / lengths[:, None]).astype(np.float32))

    def _sendable(self, text: str) -> str:
        # A character takes a token at most, but for the rarest: what is cut is not seen anyway.
        whole = readable(text)[: self._provider.max_tokens]
        return whole if whole.strip() else _BLANK
