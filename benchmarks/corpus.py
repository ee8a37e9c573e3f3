"""
Large stores made from a seed: sentences whose words are as unequal as real ones.

Word frequencies follow Zipf's law, rows have 6 to 24 words and come in sessions
of twenty, filed in turn under fifty people. Vectors come from a hashing
embedder, so that a store of 100,000 rows is made in minutes: its vectors are as
long and as many as a model's, and only what they mean differs.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from memory_core.model.search.vectors import ModelIdentity
from memory_core.search.embedder import unit_length

from .datasets import Row

Vectors = NDArray[np.float32]

DIMENSION = 384
VOCABULARY = 30_000
PEOPLE = 50
SESSION = 20

_ONSETS = ["b", "br", "d", "dr", "f", "g", "gr", "h", "k", "kl", "l", "m", "n", "p", "r", "s", "st"]
_VOWELS = ["a", "e", "i", "o", "u", "ai", "ea", "ou"]
_CODAS = ["", "l", "m", "n", "nd", "r", "rk", "s", "st", "t"]


class HashingEmbedder:
    """
    Gives each word a fixed random direction and a text the sum of its words'.

    Of the last *remembered* words the directions are kept, which is what makes it quick.
    """

    def __init__(self, dimension: int = DIMENSION, *, remembered: int = VOCABULARY) -> None:
        self.dimension = dimension
        self._direction = lru_cache(maxsize=remembered)(self._drawn)

    def embed(self, texts: Sequence[str]) -> Vectors:
        out = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for place, text in enumerate(texts):
            for word in text.lower().split():
                out[place] += self._direction(word)
        return unit_length(out)

    def identity(self) -> ModelIdentity:
        return ModelIdentity(model="hashing", dimension=self.dimension, max_tokens=10_000)

    def _drawn(self, word: str) -> Vectors:
        seed = int.from_bytes(word.encode()[:16].ljust(16, b"\0"), "big")
        drawn = np.random.default_rng(seed).standard_normal(self.dimension)
        return drawn.astype(np.float32)


@dataclass
class Timed:
    """An embedder that adds up the CPU its thread spends."""

    inner: HashingEmbedder
    seconds: float = 0.0

    def embed(self, texts: Sequence[str]) -> Vectors:
        started = time.thread_time()
        try:
            return self.inner.embed(texts)
        finally:
            self.seconds += time.thread_time() - started

    def identity(self) -> ModelIdentity:
        return self.inner.identity()


def rows(count: int, *, seed: int = 11) -> list[Row]:
    """Return *count* rows of made-up talk; the same for the same seed."""
    draw = np.random.default_rng(seed)
    words = np.array(vocabulary(seed))
    lengths = draw.integers(6, 25, count)
    picks = words[zipf(draw, int(lengths.sum()))]
    start = datetime(2024, 1, 1, tzinfo=UTC)
    out, used = [], 0
    for number, length in enumerate(lengths):
        text = " ".join(picks[used : used + length]).capitalize() + "."
        used += length
        session = number // SESSION
        out.append(
            Row(
                id=str(number),
                text=text,
                speaker=f"Person {number % PEOPLE}",
                session=f"talk-{session}",
                at=start + timedelta(hours=session),
            )
        )
    return out


def queries(count: int, *, seed: int = 13) -> list[str]:
    """Return questions of three to eight words, common and rare ones mixed."""
    draw = np.random.default_rng(seed)
    words = np.array(vocabulary())
    # As likely among the first ten words as among the last ten thousand.
    rank = np.exp(draw.uniform(np.log(20), np.log(VOCABULARY), (count, 8))).astype(int) - 1
    lengths = draw.integers(3, 9, count)
    return [" ".join(words[places[:length]]) for places, length in zip(rank, lengths, strict=True)]


@lru_cache(maxsize=2)
def vocabulary(seed: int = 11) -> tuple[str, ...]:
    """Return distinct words, the most frequent first: the shortest, as in any language."""
    draw = np.random.default_rng(seed)
    syllables = [a + b + c for a in _ONSETS for b in _VOWELS for c in _CODAS]
    words = dict.fromkeys(syllables[:400])
    while len(words) < VOCABULARY:
        picks = draw.integers(0, len(syllables), int(draw.integers(2, 4)))
        words["".join(syllables[pick] for pick in picks)] = None
    return tuple(sorted(words, key=len))


def zipf(draw: np.random.Generator, count: int) -> NDArray[np.int64]:
    """Return places in the vocabulary: the n-th as often as 1 / (n + 2.7)."""
    weights = 1 / (np.arange(1, VOCABULARY + 1) + 2.7)
    return np.searchsorted(np.cumsum(weights) / weights.sum(), draw.random(count))
