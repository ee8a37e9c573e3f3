"""One vector in place of six gives the same mean of cosines."""

from __future__ import annotations

import numpy as np

from memory_core.rules.facts.merged_vectors import merge_vectors, merged_scores

SETS = 10_000


def unit(random, count, *, spread):
    """Return unit vectors around a common direction, or around none."""
    around = random.standard_normal(48)
    vectors = around + spread * random.standard_normal((count, 48))
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def worst(rounded):
    """Return the largest error of score_merged over many random sets of six and a query."""
    random = np.random.default_rng(7)
    error = 0.0
    for number in range(SETS):
        spread = (0.1, 1.0, 10.0)[number % 3]
        *six, query = unit(random, 7, spread=spread)
        direction, norm = merge_vectors(np.array(six))
        cosine = float(rounded(direction) @ query)
        _, score_merged = merged_scores(cosine, norm)
        # What is below nothing is nothing, in both.
        mean = max(float(np.mean(np.array(six) @ query)), 0.0)
        error = max(error, abs(score_merged - mean))
    return error


def test_merged_score_is_the_mean_of_six_cosines():
    assert worst(lambda direction: direction) < 1e-7


def test_float16_preserves_the_merged_score():
    def rounded(direction):
        stored = direction.astype(np.float16).astype(np.float64)
        return stored / np.linalg.norm(stored)

    assert worst(rounded) < 1e-3


def test_cancelling_vectors_have_length_zero():
    direction, norm = merge_vectors(np.array([[1.0, 0.0], [-1.0, 0.0]]))

    assert (1.0, 0.0) == (float(np.linalg.norm(direction)), norm)
    assert (1.0, 0.0) == merged_scores(1.0, norm)
