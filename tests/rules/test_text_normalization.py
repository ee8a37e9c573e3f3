from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_core.rules.text.normalization import clean_text, extract_terms
from memory_core.rules.text.query_terms import MAX_TERMS, query_terms

ANY = st.text(st.characters(exclude_categories=()))


@pytest.mark.parametrize(
    ("text", "found_by"),
    [
        ("Ann likes tea.", "ann likes tea"),
        ("gpt-4o-mini", "gpt 4o mini gpt4omini"),
        ("config.yaml", "config yaml configyaml"),
        ("rotate_api_key", "rotate api key rotateapikey"),
        ("parseHTTPHeader", "parse http header parsehttpheader"),
        ("C++, C# and C", "c c++ c c# and c"),
        ("部", "部"),
        ("部署方案", "部 署 方 案 部署 署方 方案"),
        ("用Python3写", "用 python3 写"),
        ("हिन्दी", "हिन्दी"),
        ("Cafe\u0301", "café"),
        ("half \ud800 pair", "half pair"),
        ("... --- ***", ""),
    ],
)
def test_text_matches_by_words_and_compounds(text, found_by):
    assert found_by.split() == extract_terms(text)


def test_every_spelling_of_an_identifier_has_the_same_terms():
    spellings = ["rotate_api_key", "rotateApiKey", "rotate-api-key", "RotateAPIKey"]

    assert 1 == len({tuple(extract_terms(spelling)) for spelling in spellings})


@settings(deadline=None)
@given(ANY)
def test_a_term_can_be_quoted(text):
    assert all(
        [term] == term.split() and not {'"', "\0"} & set(term) for term in extract_terms(text)
    )


@settings(deadline=None)
@given(ANY)
def test_normalization_is_idempotent(text):
    cleaned = clean_text(text)

    assert cleaned == clean_text(cleaned)
    assert cleaned == cleaned.encode().decode()


@pytest.mark.parametrize(
    ("query", "looked_up"),
    [
        ("What did Ann say about the harbour?", ["ann", "say", "harbour"]),
        ("to be or not to be", ["to", "be", "or", "not"]),
        ("tea tea TEA", ["tea"]),
        ("部署", ["部署", "部", "署"]),
        ("run the C++ build", ["c++", "run", "c", "build"]),
        ("?!", []),
    ],
)
def test_queries_are_reduced_to_content_words(query, looked_up):
    assert looked_up == query_terms(query)


def test_long_queries_keep_their_distinctive_words():
    page = " ".join(f"word{'abcdefghij'[n % 10]}{'abcdefghij'[n // 10 % 10]}" for n in range(5000))
    numbered = "gpt-4o-mini " + " ".join(f"{a}{b}x" for a in "bcdfg" * 40 for b in "hjklm" * 40)

    assert 100 == len(query_terms(page))
    assert "gpt4omini" == query_terms(numbered)[0]
    assert MAX_TERMS >= len(query_terms(" ".join(f"w{n}" for n in range(10_000))))
