"""Test doubles for time and models: a manual clock, word-hash vectors."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from memory_core.model.search.vectors import ModelIdentity

# Seconds to wait for what is bound to come. Longer than anything takes on the slowest and
# busiest machine: all of it passes only where a test fails.
PATIENCE = 180


class HandClock:
    """A clock that moves only when reported to."""

    def __init__(self) -> None:
        self.now = datetime(2026, 1, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def advance(self, **duration: float) -> None:
        self.now += timedelta(**duration)


def hashed_vectors(texts: Sequence[str], dimension: int = 64) -> NDArray[np.float32]:
    """Embed each text as the sum of its words' fixed random directions, unit length."""
    out = np.zeros((len(texts), dimension), dtype=np.float32)
    for row, text in enumerate(texts):
        for word in text.lower().split():
            digest = hashlib.blake2b(word.encode("utf-8", "replace"), digest_size=4).digest()
            seed = int.from_bytes(digest, "big")
            out[row] += np.random.default_rng(seed).standard_normal(dimension)
    norms = np.linalg.norm(out, axis=1, keepdims=True)
    return (out / np.where(norms == 0, 1, norms)).astype(np.float32)


class HashingEmbedder:
    """An embedder that needs no weights: texts that share words are near each other."""

    def __init__(self, dimension: int = 64, model: str = "hashing") -> None:
        self._identity = ModelIdentity(model=model, dimension=dimension, max_tokens=256)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return hashed_vectors(texts, self._identity.dimension)

    def identity(self) -> ModelIdentity:
        return self._identity
