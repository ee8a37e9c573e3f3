from __future__ import annotations

import pytest

from memory_core.rules.text.coverage import lexical_trust, rarity

WEIGHTS = {"least": 0.5, "little": 0.3, "enough": 0.6}


def test_rarer_words_have_more_weight():
    reported = [rarity(count, of=100) for count in (0, 1, 10, 100)]

    assert sorted(reported, reverse=True) == reported
    assert 0 < reported[-1] < 0.01


def test_inconsistent_counts_give_finite_weights():
    assert 0 < rarity(7, of=5) < 0.1


@pytest.mark.parametrize(
    ("covered", "expected"),
    [
        ([True, False, False, False], 0.5),
        ([True, True, False, False], 1.0),
        ([True, True, True, True], 1.0),
        ([False, False, False, False], 0.5),
    ],
)
def test_coverage_needs_two_of_four_words(covered, expected):
    assert expected == pytest.approx(lexical_trust([2.0] * 4, covered, **WEIGHTS))


def test_trust_rises_linearly_between_the_bounds():
    assert 0.75 == pytest.approx(lexical_trust([0.45, 0.55], [True, False], **WEIGHTS))


def test_words_in_every_row_add_no_coverage():
    with_name = lexical_trust([0.01, 3.0, 4.0, 4.0], [True, True, False, False], **WEIGHTS)
    without = lexical_trust([3.0, 4.0, 4.0], [True, False, False], **WEIGHTS)

    assert without == pytest.approx(with_name, abs=0.01)
    assert 0.5 == pytest.approx(with_name, abs=0.01)


def test_two_rare_words_suffice_for_any_query_length():
    covered = [True, True] + [False] * 40

    assert 1.0 == pytest.approx(lexical_trust([3.0] * 42, covered, **WEIGHTS))


@pytest.mark.parametrize("rarities", [[], [0.0, 0.0]])
def test_queries_without_weight_keep_full_trust(rarities):
    assert 1.0 == lexical_trust(rarities, [False] * len(rarities), **WEIGHTS)


def test_equal_trust_bounds_are_allowed():
    steep = {"least": 0.2, "little": 0.5, "enough": 0.5}

    assert 0.2 == pytest.approx(lexical_trust([1.0, 1.1], [True, False], **steep))
    assert 1.0 == pytest.approx(lexical_trust([1.1, 1.0], [True, False], **steep))
