"""
Nearest neighbours of many vectors, in bounded memory.

A small number of vectors is compared exhaustively, in blocks. More are put into a temporary index
in memory, whose candidates are compared exactly. Memory in addition to the vectors is proportional
to the block size.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .backends.factory import best_kind
from .backends.turbovec import BITS

Stored = NDArray[np.float16]

# Queries per block: the index processes them in one pass.
_BLOCK = 128
_ADDED = 4096

# More than twice the neighbours kept: the order of 4-bit codes is an estimate.
_CANDIDATES = 2
_SPARE = 8

EXACT_BELOW = 3000


@dataclass(frozen=True)
class Near:
    """Pair i is rows first[i] < second[i] of the matrix with their cosine; each pair once."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    cosine: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.first)

    def at_least(self, cosine: float) -> Near:
        """Return the pairs with at least this cosine."""
        kept = self.cosine >= cosine
        return Near(self.first[kept], self.second[kept], self.cosine[kept])


def near_pairs(
    matrix: Stored,
    *,
    nearest: int,
    least: float,
    tick: Callable[[int, int], None],
    exact_below: int = EXACT_BELOW,
) -> Near:
    """
    Return the pairs in which one row is among the *nearest* of the other.

    Rows are unit vectors. *tick* is called between blocks with the rows done and the total; it may
    raise to stop the search.
    """
    count = len(matrix)
    propose = _proposer(matrix, min(count, _CANDIDATES * nearest + _SPARE), exact_below)
    found = []
    for start in range(0, count, _BLOCK):
        stop = min(start + _BLOCK, count)
        found.append(
            _nearest_rows(matrix, start, propose(start, stop), nearest=nearest, least=least)
        )
        tick(stop, count)
    return _once(found)


def _proposer(
    matrix: Stored, width: int, exact_below: int
) -> Callable[[int, int], NDArray[np.int64]]:
    """Return a function that returns candidate neighbours for each row of a block."""
    count, dimension = matrix.shape
    if best_kind(count, dimension, exact_below) == "turbovec":
        return _by_index(matrix, width)
    whole = matrix.astype(np.float32)

    def compare(start: int, stop: int) -> NDArray[np.int64]:
        scores = whole[start:stop] @ whole.T
        return np.argpartition(-scores, width - 1, axis=1)[:, :width].astype(np.int64)

    return compare


def _by_index(matrix: Stored, width: int) -> Callable[[int, int], NDArray[np.int64]]:
    from turbovec import IdMapIndex

    index = IdMapIndex(matrix.shape[1], bit_width=BITS)
    for start in range(0, len(matrix), _ADDED):
        block = np.ascontiguousarray(matrix[start : start + _ADDED], dtype=np.float32)
        ids = np.arange(start, start + len(block), dtype=np.uint64)
        index.add_with_ids(block, ids, chunk_size=0)
    index.prepare()

    def ask(start: int, stop: int) -> NDArray[np.int64]:
        block = np.ascontiguousarray(matrix[start:stop], dtype=np.float32)
        ids: NDArray[np.uint64] = index.search(block, width)[1]
        return ids.astype(np.int64)

    return ask


def _nearest_rows(
    matrix: Stored, start: int, candidates: NDArray[np.int64], *, nearest: int, least: float
) -> NDArray[np.float64]:
    """Return (first, second, cosine) of the nearest candidates of a block."""
    block = matrix[start : start + len(candidates)].astype(np.float32)
    cosines = np.matmul(matrix[candidates].astype(np.float32), block[:, :, None])[:, :, 0]
    own = np.arange(start, start + len(candidates))[:, None]
    cosines[candidates == own] = -2.0
    order = np.argsort(-cosines, axis=1, kind="stable")[:, :nearest]
    best = np.take_along_axis(cosines, order, axis=1)
    other = np.take_along_axis(candidates, order, axis=1)
    keep = best >= least
    one = np.broadcast_to(own, other.shape)[keep]
    two = other[keep]
    return np.stack([np.minimum(one, two), np.maximum(one, two), best[keep].astype(np.float64)])


def _once(found: list[NDArray[np.float64]]) -> Near:
    """Return the distinct pairs in order."""
    rows = np.concatenate(found, axis=1) if found else np.empty((3, 0))
    first, second = rows[0].astype(np.int64), rows[1].astype(np.int64)
    width = int(second.max()) + 1 if len(second) else 1
    _, places = np.unique(first * width + second, return_index=True)
    cosine = np.clip(np.round(rows[2][places], 6), -1.0, 1.0).astype(np.float32)
    return Near(first[places], second[places], cosine)
