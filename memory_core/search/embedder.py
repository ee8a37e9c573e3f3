"""Embedder protocol, and a wrapper that loads a model on first use."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from ..errors import MemoryCoreError
from ..model.search.vectors import ModelIdentity
from .lazy import Lazy, failing_as

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Embedder(Protocol):
    """A text embedding model. Thread-safe."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit vector per text; empty texts are accepted."""

    def identity(self) -> ModelIdentity: ...


@runtime_checkable
class QueryEmbedder(Protocol):
    """An embedder whose queries are embedded differently from stored texts."""

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the unit vector of one query."""


class LazyEmbedder(Lazy[Embedder]):
    """
    An embedder that loads on first use, or in the background by warm().

    Check ``ready`` before embedding where waiting is not acceptable; ``state`` and ``reason``
    explain why it is not ready, or the last failure.
    """

    def __init__(
        self,
        name: str,
        load: Callable[[], Embedder],
        *,
        retry_seconds: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(name, load, retry_seconds=retry_seconds, clock=clock)
        self.name = name

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        embedder = self.get()
        return self._run(lambda: embedder.embed(texts))

    def embed_query(self, text: str) -> NDArray[np.float32]:
        embedder = self.get()
        return self._run(lambda: embed_query(embedder, text))

    def _run(self, embed: Callable[[], NDArray[np.float32]]) -> NDArray[np.float32]:
        try:
            with failing_as(self.name):
                vectors = embed()
        except MemoryCoreError as error:
            self.reason = str(error)
            raise
        self.reason = ""
        return vectors

    def identity(self) -> ModelIdentity:
        return self.get().identity()


def embed_query(embedder: Embedder, text: str) -> NDArray[np.float32]:
    """Return the vector of a query, from the model's own form for queries if it has one."""
    if isinstance(embedder, QueryEmbedder):
        return embedder.embed_query(text)
    vector: NDArray[np.float32] = embedder.embed([text])[0]
    return vector


def loaded_embedder(embedder: Embedder) -> LazyEmbedder:
    """Wrap *embedder* as one that is ready at once."""
    lazy = LazyEmbedder(embedder.identity().model, lambda: embedder)
    lazy.get()
    return lazy


def readable(text: str) -> str:
    """Return *text* without lone surrogates, which tokenizers reject."""
    return text.encode("utf-8", "replace").decode()


def unit_length(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the normalised vectors; zero vectors are unchanged."""
    import numpy as np

    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return (vectors / np.where(norms == 0, 1, norms)).astype(np.float32, copy=False)
