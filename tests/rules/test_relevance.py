import numpy as np
import pytest

from memory_core.rules.limits import RELEVANCE_FLOOR
from memory_core.rules.relevance import relevance
from memory_core.rules.text.coverage import query_coverage

MINILM = "all-MiniLM-L6-v2/53aa5117"


def measured(*hits, model=MINILM, passages=1000):
    cosine, lexical, linked, statement = np.array(hits, float).reshape(-1, 4).T
    return relevance(
        model,
        cosine=cosine,
        lexical=lexical,
        linked=linked > 0,
        statement=statement > 0,
        passages=passages,
    )


def test_relevance_rises_with_each_feature():
    weak, *strong = (
        measured(hit).values[0]
        for hit in (
            (0.3, 0.2, 0, 0),
            (0.5, 0.2, 0, 0),
            (0.3, 0.6, 0, 0),
            (0.3, 0.2, 1, 0),
            (0.3, 0.2, 0, 1),
        )
    )

    assert 0 < weak < min(strong) < 1


def test_unrelated_hits_are_below_the_floor_and_related_hits_above():
    (unrelated,) = measured((0.2, 0.1, 0, 0)).values
    (related,) = measured((0.45, 0.3, 0, 0)).values

    assert unrelated < RELEVANCE_FLOOR < related


def test_a_weak_hit_counts_more_next_to_a_strong_one():
    alone = measured((0.3, 0.1, 0, 0)).values[0]
    second = measured((0.8, 0.9, 0, 0), (0.3, 0.1, 0, 0)).values[1]

    assert alone < RELEVANCE_FLOOR < second


@pytest.mark.parametrize(
    ("model", "passages", "calibrated"),
    [(MINILM, 1, True), ("unknown/1", 1000, False), ("", 1000, True), ("", 99, False)],
)
def test_the_floor_applies_to_calibrated_models_and_to_words_in_large_stores(
    model, passages, calibrated
):
    assert calibrated is measured((0.1, 0.1, 0, 0), model=model, passages=passages).calibrated


def test_no_hits_have_no_relevances():
    assert 0 == len(measured().values)


def test_coverage_counts_words_by_their_rarity():
    assert 0.8 == query_coverage([4.0, 1.0], [True, False])
    assert 1.0 == query_coverage([0.0, 0.0], [True, False]) == query_coverage([], [])
    assert 0 < query_coverage([4.0, 0.0], [False, True]) < 0.01
