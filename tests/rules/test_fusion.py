from __future__ import annotations

import numpy as np
import pytest

from memory_core.rules.fusion import blend_scores, rank_order, reciprocal_rank_fusion, session_prior

NAN = np.nan


def test_first_rank_scores_weight_over_61():
    assert {7: pytest.approx(1 / 61), 8: pytest.approx(1 / 62)} == reciprocal_rank_fusion(
        [(1.0, [7, 8])], k=60
    )


def test_rankings_are_summed_by_weight():
    fused = reciprocal_rank_fusion([(1.0, [1, 2]), (2.0, [3, 1])], k=60)

    assert [1, 3, 2] == sorted(fused, key=lambda item: -fused[item])


def test_blending_keeps_score_differences():
    blended = blend_scores(
        np.array([0.8, 0.4, 0.0]), np.array([0.0, 5.0, 10.0]), dense=0.6, floor=0.0
    )

    assert [0.6, 0.5, 0.4] == pytest.approx(list(blended))


@pytest.mark.parametrize(
    ("cosine", "bm25", "blended"),
    [
        ([NAN, NAN], [2.0, 1.0], [1.0, 0.5]),
        ([0.5, 0.25], [0.0, 0.0], [1.0, 0.5]),
        ([NAN, NAN], [0.0, 0.0], [0.0, 0.0]),
        ([], [], []),
        ([NAN, 0.5], [1.0, 0.0], [0.4, 0.6]),
    ],
)
def test_empty_channel_gives_full_weight_to_the_other(cosine, bm25, blended):
    found = blend_scores(np.array(cosine, float), np.array(bm25, float), dense=0.6, floor=0.0)

    assert blended == pytest.approx(list(found))


def test_sessions_raise_the_scores_of_their_rows():
    scores = np.array([1.0, 0.5, 0.0, 0.8, 0.9])

    prior = session_prior(scores, ["a", "a", "a", "big", None], {"a": 3}, top=2)

    assert [0.75, 0.75, 0.75, 0.0, 0.0] == pytest.approx(list(prior))


def test_equal_scores_are_ordered_by_id():
    order = rank_order(np.array([0.5, 1.0, 0.5]), np.array([9, 5, 3]))

    assert [1, 2, 0] == list(order)
