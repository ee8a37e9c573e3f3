"""
The graph of what is alike: nodes are different vectors, edges are cosines from a threshold.

Equal vectors are one node that counts for several, so they share an edge whatever the
threshold. Up to a few thousand nodes every pair is compared, a block at a time; beyond,
an index proposes neighbours, of which the nearest are kept (neighbours.py).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .neighbours import EXACT_BELOW, Stored, near_pairs

Tick = Callable[[int, int], None]

# Neighbours kept of each node where not every pair is compared.
NEAREST = 48

_BLOCK = 512
# Below the noise of float16, above that of a sum in float32.
_NOISE = 1e-6

# Pairs from which a percentile is estimated.
_SAMPLE = 200_000


@dataclass(frozen=True)
class Alike:
    """Nodes, each with the rows it stands for, and the edges between them."""

    rows: list[NDArray[np.int64]]
    first: NDArray[np.int64]
    second: NDArray[np.int64]


def alike(matrix: Stored, *, least: float, tick: Tick, exact_below: int = EXACT_BELOW) -> Alike:
    """Return the graph of the rows, which are unit vectors; *tick* may raise to end it."""
    rows, nodes = _different(matrix)
    if len(nodes) > exact_below:
        near = near_pairs(
            nodes, nearest=NEAREST, least=least - _NOISE, tick=tick, exact_below=exact_below
        )
        return Alike(rows, near.first, near.second)
    whole = nodes.astype(np.float32)
    pairs = [np.empty((2, 0), dtype=np.int64)]
    for start in range(0, len(whole), _BLOCK):
        cosines = whole[start : start + _BLOCK] @ whole[start:].T
        one, other = np.nonzero(cosines >= least - _NOISE)
        above = other > one
        pairs.append(np.stack([one[above], other[above]]) + start)
        tick(min(start + _BLOCK, len(whole)), len(whole))
    first, second = np.concatenate(pairs, axis=1)
    return Alike(rows, first, second)


def percentile(matrix: Stored, share: float) -> float:
    """Return the cosine that *share* percent of the pairs of rows do not exceed, estimated."""
    count = len(matrix)
    if count < 2:
        return 1.0
    # The same rows give the same estimate.
    random = np.random.default_rng(count)
    one = random.integers(0, count, _SAMPLE)
    other = (one + random.integers(1, count, _SAMPLE)) % count
    cosines = np.concatenate(
        [
            np.einsum("nd,nd->n", matrix[a].astype(np.float32), matrix[b].astype(np.float32))
            for a, b in zip(np.array_split(one, 50), np.array_split(other, 50), strict=True)
        ]
    )
    return float(np.clip(np.percentile(cosines, share), 0.0, 1.0))


def _different(matrix: Stored) -> tuple[list[NDArray[np.int64]], Stored]:
    """Return the different rows in order of their first, and where each is found."""
    groups: dict[bytes, list[int]] = {}
    for place, row in enumerate(matrix):
        groups.setdefault(row.tobytes(), []).append(place)
    rows = [np.array(places, dtype=np.int64) for places in groups.values()]
    first = np.array([places[0] for places in rows], dtype=np.int64)
    return rows, matrix[first]
