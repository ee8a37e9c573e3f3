"""Near pairs among many vectors, whichever way they are looked for."""

from __future__ import annotations

import numpy as np
import pytest

from memory_core.errors import CancelledError
from memory_core.search.neighbours import near_pairs


def blobs(groups, each, dimension=32, seed=7):
    """Unit vectors in tight groups that lie far apart."""
    random = np.random.default_rng(seed)
    centres = np.repeat(random.standard_normal((groups, dimension)), each, axis=0)
    rows = centres + 0.05 * random.standard_normal(centres.shape)
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float16)


def quietly(done, total):
    pass


def as_set(near):
    return set(zip(near.first.tolist(), near.second.tolist(), strict=True))


@pytest.mark.parametrize("exact_below", [1, 100_000])
def test_near_pairs_are_exactly_those_within_groups(exact_below):
    near = near_pairs(blobs(40, 5), nearest=8, least=0.9, tick=quietly, exact_below=exact_below)

    within = {(5 * g + a, 5 * g + b) for g in range(40) for a in range(5) for b in range(a + 1, 5)}
    assert within == as_set(near)


def test_cosines_are_exact_and_pairs_unique():
    matrix = blobs(100, 4)

    near = near_pairs(matrix, nearest=6, least=0.9, tick=quietly, exact_below=1)

    whole = matrix.astype(np.float32)
    exact = np.sum(whole[near.first] * whole[near.second], axis=1)
    np.testing.assert_allclose(near.cosine, exact, atol=1e-5)
    assert len(near) == len(as_set(near))


@pytest.mark.parametrize("count", [0, 1, 2])
def test_few_vectors_are_handled(count):
    near = near_pairs(blobs(1, 2)[:count], nearest=3, least=0.5, tick=quietly)

    assert ([(0, 1)] if count == 2 else []) == sorted(as_set(near))


def test_work_scales_with_neighbours_not_pairs():
    few = near_pairs(blobs(200, 5), nearest=4, least=0.9, tick=quietly, exact_below=1)
    many = near_pairs(blobs(2000, 5), nearest=4, least=0.9, tick=quietly, exact_below=1)

    assert 10 == pytest.approx(len(many) / len(few), rel=0.05)


def test_search_can_be_cancelled_between_blocks():
    seen = []

    def stop(done, total):
        seen.append(done)
        raise CancelledError("enough")

    with pytest.raises(CancelledError):
        near_pairs(blobs(200, 5), nearest=4, least=0.9, tick=stop)

    assert [128] == seen
