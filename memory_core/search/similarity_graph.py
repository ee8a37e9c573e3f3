"""
Similarity graph: nodes are distinct vectors, edges are cosines above a threshold.

Equal vectors are one node with a weight, so they are connected at any threshold. Up to a few
thousand nodes all pairs are compared, in blocks; beyond, an index proposes neighbours and only the
nearest are kept (neighbours.py). The same limit applies to dense graphs, where nodes have more than
a hundred neighbours: further edges add no information.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .neighbours import EXACT_BELOW, Stored, near_pairs

Tick = Callable[[int, int], None]
Rows = NDArray[np.int64]

# Neighbours kept per node in a large or dense graph.
NEAREST = 48

# Average number of neighbours from which a graph counts as dense.
CROWDED = 100

_BLOCK = 512
# Tolerance: below the noise of float16, above that of a sum in float32.
_NOISE = 1e-6

# Pairs from which a percentile is estimated.
_SAMPLE = 200_000


@dataclass(frozen=True)
class SimilarityGraph:
    """
    Nodes with the rows they represent, and the edges between them.

    *nearest* is the limit of edges per node that was applied; 0: none.
    """

    rows: list[Rows]
    first: Rows
    second: Rows
    nearest: int = 0


def similar_vectors(
    matrix: Stored, *, least: float, tick: Tick, exact_below: int = EXACT_BELOW
) -> SimilarityGraph:
    """Return the graph of the rows, which are unit vectors; *tick* may raise to stop."""
    rows = _same([row.tobytes() for row in matrix])
    nodes = matrix[_firsts(rows)]
    if len(nodes) > exact_below:
        near = near_pairs(
            nodes, nearest=NEAREST, least=least - _NOISE, tick=tick, exact_below=exact_below
        )
        return SimilarityGraph(rows, near.first, near.second, NEAREST)
    cosines = _all_cosines(nodes, tick)
    joined = cosines >= least - _NOISE
    np.fill_diagonal(joined, True)
    # Vectors with identical neighbours are contracted to one node.
    twins = _same([row.tobytes() for row in np.packbits(joined, axis=1)])
    firsts = _firsts(twins)
    rows = [np.sort(np.concatenate([rows[node] for node in listed])) for listed in twins]
    return _edges(rows, cosines[np.ix_(firsts, firsts)], joined[np.ix_(firsts, firsts)])


def _edges(
    rows: list[Rows], cosines: NDArray[np.float32], joined: NDArray[np.bool_]
) -> SimilarityGraph:
    np.fill_diagonal(joined, False)
    nearest = 0
    if np.count_nonzero(joined) > CROWDED * len(rows):
        nearest = NEAREST
        kept = np.zeros_like(joined)
        best = np.argsort(np.where(joined, -cosines, 2.0), axis=1, kind="stable")[:, :NEAREST]
        np.put_along_axis(kept, best, True, axis=1)
        joined = joined & (kept | kept.T)
    first, second = np.nonzero(np.triu(joined))
    return SimilarityGraph(rows, first.astype(np.int64), second.astype(np.int64), nearest)


def _all_cosines(nodes: Stored, tick: Tick) -> NDArray[np.float32]:
    whole = nodes.astype(np.float32)
    cosines = np.empty((len(whole), len(whole)), dtype=np.float32)
    for start in range(0, len(whole), _BLOCK):
        cosines[start : start + _BLOCK] = whole[start : start + _BLOCK] @ whole.T
        tick(min(start + _BLOCK, len(whole)), len(whole))
    return cosines


def percentile(matrix: Stored, share: float) -> float:
    """Return an estimate of the cosine that *share* percent of the pairs do not exceed."""
    count = len(matrix)
    if count < 2:
        return 1.0
    # Seeded, so that the same rows give the same estimate.
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


def _same(keys: Sequence[bytes]) -> list[Rows]:
    """Return the positions of each distinct key, in order of first occurrence."""
    places: dict[bytes, list[int]] = {}
    for place, key in enumerate(keys):
        places.setdefault(key, []).append(place)
    return [np.array(listed, dtype=np.int64) for listed in places.values()]


def _firsts(rows: list[Rows]) -> Rows:
    return np.array([places[0] for places in rows], dtype=np.int64)
