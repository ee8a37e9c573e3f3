from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core.rules.graph.alignment import match_items

ITEMS = st.lists(st.sampled_from("abcdef"))


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("", "", {}),
        ("abc", "abc", {0: 0, 1: 1, 2: 2}),
        ("abc", "xabc", {1: 0, 2: 1, 3: 2}),
        ("abc", "ac", {0: 0, 1: 2}),
        ("aab", "ab", {0: 0, 1: 2}),
        ("abcd", "dabc", {1: 0, 2: 1, 3: 2}),
    ],
)
def test_longest_common_subsequence_is_kept(old, new, expected):
    assert expected == match_items(old, new)


@given(ITEMS, ITEMS)
def test_matched_items_are_equal_and_in_order(old, new):
    pairs = sorted(match_items(old, new).items())

    assert all(new[place] == old[former] for place, former in pairs)
    assert all(a < b for (_, a), (_, b) in pairwise(pairs))


@given(st.permutations(range(8)), st.data())
def test_unique_items_are_matched_maximally(old, data):
    items = [str(item) for item in old]
    new = data.draw(st.lists(st.sampled_from(items), unique=True))

    places = [items.index(item) for item in new]
    best = [1] * len(places)
    for last, place in enumerate(places):
        best[last] += max((best[i] for i in range(last) if places[i] < place), default=0)
    assert max(best, default=0) == len(match_items(items, new))
