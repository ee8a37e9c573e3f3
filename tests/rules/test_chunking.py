"""Where a long text is cut."""

from __future__ import annotations

import sys
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core.errors import ValidationError
from memory_core.rules.text.chunking import HARD_CAP, SEPARATORS, split_chunks

_BITS = """\
# Title|```|~~~~|    ```py|- item||\r|===|Is it? Yes. |a word |说完了。|`|\u0301|\U0001f469\u200d"""

MARKDOWN = st.lists(st.sampled_from([*_BITS.split("|"), "\n", "\n", "\n", "\ud800", "x" * 30])).map(
    "".join
)


def texts(text, **options):
    return [text[chunk.start : chunk.end] for chunk in split_chunks(text, **options)]


def test_a_short_text_is_one_chunk():
    assert ["One. Two.\n\nThree."] == texts("One. Two.\n\nThree.")


def test_an_empty_text_has_no_chunks():
    assert [] == texts("")


def test_chunking_preserves_whitespace():
    assert ["    ", "  "] == texts(" " * 6, size=4)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Old words here.\n# New\nwords", ["Old words here.\n", "# New\nwords"]),
        ("Old words\nNew one\n===\nmore", ["Old words\n", "New one\n===\nmore"]),
        ("Some words.\n\nOther words. Yes", ["Some words.\n\n", "Other words. Yes"]),
        ("- first one\n- second one", ["- first one\n", "- second one"]),
        ("First is done. Second is not done", ["First is done. ", "Second is not done"]),
        ("说完了再说完了。另一句话在这里呢对", ["说完了再说完了。", "另一句话在这里呢对"]),
        ("first line goes\nsecond line", ["first line goes\n", "second line"]),
        ("words and more words again", ["words and more ", "words again"]),
    ],
)
def test_text_is_split_at_the_strongest_separator(text, expected):
    assert expected == texts(text, size=max(map(len, expected)))


def test_early_boundaries_do_not_create_tiny_chunks():
    found = texts("So.\n\nMany more words follow here", size=20)

    assert ["So.\n\nMany more ", "words follow here"] == found


def test_a_code_block_that_fits_is_kept_whole():
    block = "```py\n# no heading\n\nx = 1. \n```\n"
    text = "Words before it.\n" + block + "Words after it, and then more."

    found = texts(text, size=len(block))

    assert block in found


def test_a_code_block_is_kept_whole_whatever_the_separators():
    block = "```\n" + "x" * 30 + "\n```\n"
    text = "y" * 25 + "\n" + block + "z" * 40

    found = texts(text, size=len(block), separators=[])

    assert any(block in chunk for chunk in found)


def test_long_code_blocks_are_split_between_lines():
    text = "```\n" + "line of code\n" * 10 + "```\n"

    found = texts(text, size=50)

    assert all(chunk.endswith("\n") for chunk in found)


def test_words_are_not_split_within_a_grapheme():
    family = "\U0001f469\u200d\U0001f469\u200d\U0001f467"

    assert {family * 2} == set(texts(family * 10, size=2 * len(family) + 2))


def test_separators_can_be_literal_text():
    text = "one two\n## three four fifths\n\nsix seven"

    found = texts(text, size=14, separators=["\n## ", "\n\n", " "])

    assert ["one two\n", "## three four ", "fifths\n\n", "six seven"] == found


def test_an_overlap_repeats_whole_words():
    found = texts("alpha beta gamma delta epsilon", size=18, overlap=8)

    assert ["alpha beta gamma ", "gamma delta ", "delta epsilon"] == found


@pytest.mark.parametrize(
    ("size", "overlap"), [(0, 0), (-1, 0), (HARD_CAP + 1, 0), (10, 10), (10, 11), (10, -1)]
)
def test_an_impossible_size_is_refused(size, overlap):
    with pytest.raises(ValidationError, match=f"{overlap if 0 < size <= HARD_CAP else size}"):
        split_chunks("text", size=size, overlap=overlap)


def test_an_empty_separator_is_refused():
    with pytest.raises(ValidationError, match="separator"):
        split_chunks("text", separators=[""])


@given(MARKDOWN | st.text(), st.integers(1, 60), st.integers(0, 59))
def test_chunks_are_lossless_and_within_the_limit(text, size, overlap):
    overlap = min(overlap, size - 1)

    found = split_chunks(text, size=size, overlap=overlap)

    starts = [0] + [chunk.end for chunk in found]
    again = "".join(text[start : chunk.end] for start, chunk in zip(starts, found, strict=False))
    assert text == again
    assert all(0 < chunk.end - chunk.start <= size for chunk in found)
    assert all(0 <= a.end - b.start <= overlap and b.end > a.end for a, b in pairwise(found))


@given(st.lists(st.sampled_from(SEPARATORS)), MARKDOWN)
def test_any_choice_of_separators_is_lossless(separators, text):
    assert text == "".join(texts(text, size=20, separators=separators))


@pytest.mark.parametrize(
    "unit",
    ["a", "`", " ", "\n", "```\n", "word ", "* a\n", "# a\n", ". ", "[", "\r\n", "```\na\n```\n"],
)
def test_chunking_time_is_linear(unit):
    once, twice = (calls(unit * (length // len(unit))) for length in (40_000, 80_000))

    assert twice < 2.2 * once + 100


def test_a_very_long_line_is_split():
    assert 5_000 == len(split_chunks("a" * 5_000_000))


def calls(text):
    """Return how many functions are called, Python's own included, to cut *text*."""
    count = 0

    def note(frame, event, argument):
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        split_chunks(text, size=500)
    finally:
        sys.setprofile(before)
    return count
