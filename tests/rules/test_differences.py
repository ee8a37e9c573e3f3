"""Differences between two texts."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core.rules.differences import apply, difference

TEXTS = st.text(alphabet='ab"\\é😀', max_size=60)


@given(TEXTS, TEXTS)
def test_a_difference_makes_the_text_from_the_base(base, text):
    assert text == apply(base, difference(base, text))


@given(TEXTS, TEXTS, TEXTS, TEXTS)
def test_two_edits_of_a_long_text_make_the_text_again(start, end, first, second):
    middle = "a stretch that both have, longer than a sample " * 3
    base, text = f"{start}{middle}{end}", f"{first}{middle}{second}"

    assert text == apply(base, difference(base, text))


def test_one_changed_number_and_a_new_timestamp_make_a_short_difference():
    def state(number, time):
        properties = {f"key{n}": "v" * 30 for n in range(100)} | {"key50": number}
        return json.dumps({"properties": json.dumps(properties), "updated_at": time})

    base = state(99, "2026-12-01T10:00:00.000001Z")
    text = state(100, "2026-12-01T10:00:07.123456Z")
    found = difference(base, text)

    assert text == apply(base, found)
    assert 20 > len(found.first) + len(found.second)


@pytest.mark.parametrize(("base", "text"), [("", ""), ("", "a"), ("a", ""), ("aaaa", "aa")])
def test_empty_and_repeating_texts(base, text):
    assert text == apply(base, difference(base, text))
