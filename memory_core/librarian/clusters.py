"""Clusters of similar entities, by DBSCAN over the sparse neighbour graph."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..search.neighbours import Near, Stored

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

# A larger cluster is too general for a name: it is split recursively at a smaller distance.
WIDEST = 100
_CLOSER = 0.8
_CLOSEST = 0.02

# Threshold in standard deviations above the mean, within bounds that hold for any model.
_DEVIATIONS = 3.5
_LOOSEST, _STRICTEST = 0.5, 0.75
_STEP = 0.05
_SAMPLE = 4000
_SEED = 1

# A sparse matrix does not store zeros, so distances have a minimum.
_LEAST_DISTANCE = 1e-6


def standing_out(matrix: Stored) -> float:
    """
    Return the cosine from which two entities count as close in this project.

    Models differ in how similar they rate any two texts, and projects in how much their entities
    have in common; a number of deviations above the mean works for all of them. The result is
    rounded coarsely, so that a few new entities do not change it.
    """
    draw = np.random.default_rng(_SEED)
    one, other = draw.integers(0, max(len(matrix), 1), (2, _SAMPLE))
    one, other = one[one != other], other[one != other]
    if not len(one):
        return _STRICTEST
    cosines = np.sum(matrix[one].astype(np.float32) * matrix[other].astype(np.float32), axis=1)
    usual = np.median(cosines)
    # Converts a quantile to a standard deviation of a normal distribution; robust to clusters.
    deviation = 1.4826 * np.median(np.abs(cosines - usual))
    cosine = round((usual + _DEVIATIONS * deviation) / _STEP) * _STEP
    return float(np.clip(cosine, _LOOSEST, _STRICTEST))


def find_clusters(near: Near, count: int, *, cosine: float, smallest: int) -> list[list[int]]:
    """
    Return the rows of each cluster of at least *smallest* rows, in order of their first row.

    A row belongs to a cluster if at least *smallest* rows, itself included, are near it, or if it
    is near such a row.
    """
    if not len(near):
        return []
    groups = []
    waiting = [(np.arange(count), 1.0 - cosine)]
    graph = _graph(near, count)
    while waiting:
        rows, distance = waiting.pop()
        for group in _scan(graph, rows, distance, smallest):
            if len(group) > WIDEST and distance * _CLOSER > _CLOSEST:
                waiting.append((group, distance * _CLOSER))
            else:
                groups.append(group.tolist())
    return sorted(groups)


def cohesion(near: Near, groups: list[list[int]], count: int) -> list[float]:
    """Return the mean similarity of neighbours within each cluster."""
    group_of = np.full(count, -1)
    for number, group in enumerate(groups):
        group_of[group] = number
    one, other = group_of[near.first], group_of[near.second]
    within = (one == other) & (one >= 0)
    sums = np.bincount(one[within], weights=near.cosine[within], minlength=len(groups))
    counts = np.bincount(one[within], minlength=len(groups))
    return [round(float(mean), 4) for mean in sums / np.maximum(counts, 1)]


def _graph(near: Near, count: int) -> csr_matrix:
    from scipy.sparse import csr_matrix

    distance = np.maximum(1.0 - near.cosine.astype(np.float64), _LEAST_DISTANCE)
    ends = np.concatenate([near.first, near.second]), np.concatenate([near.second, near.first])
    return csr_matrix((np.concatenate([distance, distance]), ends), shape=(count, count))


def _scan(
    graph: csr_matrix, rows: NDArray[np.int64], distance: float, smallest: int
) -> list[NDArray[np.int64]]:
    from sklearn.cluster import DBSCAN
    from sklearn.neighbors import sort_graph_by_row_values

    part: Any = graph if len(rows) == graph.shape[0] else graph[rows][:, rows]
    part = sort_graph_by_row_values(part, copy=True, warn_when_not_sorted=False)
    labels = DBSCAN(eps=distance, min_samples=smallest, metric="precomputed").fit(part).labels_
    # One pass in order of label, not one over all rows per cluster.
    order = np.argsort(labels, kind="stable")
    starts = np.searchsorted(labels[order], np.arange(labels.max() + 2))
    return [
        np.sort(rows[order[start:stop]])
        for start, stop in pairwise(starts)
        if stop - start >= smallest
    ]
