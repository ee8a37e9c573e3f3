from __future__ import annotations

import pytest

from memory_core.rules.text.coverage import lexical_trust, rarity

WEIGHTS = {"least": 0.5, "little": 0.3, "enough": 0.6}


def test_the_rarer_a_word_the_more_it_tells():
    reported = [rarity(count, of=100) for count in (0, 1, 10, 100)]

    assert sorted(reported, reverse=True) == reported
    assert 0 < reported[-1] < 0.01


def test_a_word_counted_in_more_rows_than_there_are_tells_nothing_strange():
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
def test_one_word_of_four_is_chance_and_two_are_not(covered, expected):
    assert expected == pytest.approx(lexical_trust([2.0] * 4, covered, **WEIGHTS))


def test_between_little_and_enough_trust_rises_evenly():
    assert 0.75 == pytest.approx(lexical_trust([0.45, 0.55], [True, False], **WEIGHTS))


def test_the_name_that_every_row_has_covers_nothing():
    with_name = lexical_trust([0.01, 3.0, 4.0, 4.0], [True, True, False, False], **WEIGHTS)
    without = lexical_trust([3.0, 4.0, 4.0], [True, False, False], **WEIGHTS)

    assert without == pytest.approx(with_name, abs=0.01)
    assert 0.5 == pytest.approx(with_name, abs=0.01)


def test_two_rare_words_are_enough_of_a_query_of_any_length():
    covered = [True, True] + [False] * 40

    assert 1.0 == pytest.approx(lexical_trust([3.0] * 42, covered, **WEIGHTS))


@pytest.mark.parametrize("rarities", [[], [0.0, 0.0]])
def test_a_query_that_tells_nothing_takes_nothing_from_full_text(rarities):
    assert 1.0 == lexical_trust(rarities, [False] * len(rarities), **WEIGHTS)


def test_little_and_enough_may_be_the_same():
    steep = {"least": 0.2, "little": 0.5, "enough": 0.5}

    assert 0.2 == pytest.approx(lexical_trust([1.0, 1.1], [True, False], **steep))
    assert 1.0 == pytest.approx(lexical_trust([1.1, 1.0], [True, False], **steep))
