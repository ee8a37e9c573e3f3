from __future__ import annotations

import numpy as np
import pytest

from memory_core.search.projection import cohesion, plane


def unit(rows):
    matrix = np.asarray(rows, dtype=np.float32)
    return (matrix / np.linalg.norm(matrix, axis=1, keepdims=True)).astype(np.float16)


def test_similar_vectors_are_close_on_the_plane():
    random = np.random.default_rng(7)
    bundles = np.repeat(np.eye(2, 16), 20, axis=0) + random.normal(0, 0.02, (40, 16))
    places, share = plane(unit(bundles))
    again, _ = plane(unit(bundles))
    within = np.linalg.norm(places[:20] - places[:20].mean(axis=0), axis=1).max()
    between = np.linalg.norm(places[:20].mean(axis=0) - places[20:].mean(axis=0))

    assert between > 5 * within
    assert share > 0.9
    assert np.array_equal(places, again)


@pytest.mark.parametrize("count", [0, 1, 2])
def test_few_vectors_can_be_projected(count):
    places, share = plane(unit(np.ones((count, 8))) if count else np.zeros((0, 8), np.float16))

    assert (count, 2) == places.shape
    assert 1.0 == share
    assert np.allclose(places, 0)


def test_cohesion_is_the_mean_of_all_pairs():
    matrix = unit(np.random.default_rng(3).normal(size=(6, 12)))
    rows = [0, 2, 3, 5]
    whole = matrix.astype(np.float64)
    pairs = [whole[a] @ whole[b] for a in rows for b in rows if a < b]

    assert np.mean(pairs) == pytest.approx(cohesion(matrix, rows), abs=1e-9)
    assert 1.0 == cohesion(matrix, [4])
