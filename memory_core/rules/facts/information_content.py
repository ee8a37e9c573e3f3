"""
Information content of a statement, as a number.

1. Each distinct content word counts 1; a name or a number counts 2, because generalizations omit
   them. A blank text scores 0.
2. Filler words reduce the score: of two statements with the same content, the shorter is better.
   They never outweigh a content word.
3. Scripts without spaces are counted by characters, so they need no word list.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..text.normalization import clean_text
from ..text.query_terms import STOP_WORDS
from ..text.similarity import (
    NEGATIONS,
    capitalized_words,
    content_words,
    fold_words,
    number_words,
    tokenize,
)

FILLERS = frozenset(
    [
        "actually",
        "basically",
        "really",
        "just",
        "quite",
        "very",
        "somewhat",
        "rather",
        "perhaps",
        "maybe",
        "probably",
        "simply",
        "well",
        "anyway",
        "honestly",
        "literally",
        "certainly",
        "generally",
        "apparently",
        "thing",
        "things",
        "stuff",
        "kind",
        "sort",
        "know",
        "think",
        "mean",
        "say",
        "said",
        "like",
        "fact",
        "matter",
        "case",
        "far",
        "also",
        "indeed",
        "kinda",
        "pretty",
        "lot",
    ]
)

# Thai, Lao, Myanmar and Khmer: written without spaces, and their marks are no letters.
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")

# Less than one content word, however many fillers there are.
_DENSITY = 0.9


def split_units(text: str) -> list[str]:
    """Return the words of *text*, or its characters in scripts without spaces."""
    if not _UNSPACED.search(text):
        return tokenize(text)
    return [char for char in clean_text(text) if char.isprintable() and not char.isspace()]


def meaningful_words(words: Sequence[str]) -> list[str]:
    """Return the folded content words and numbers, without fillers."""
    meaningful = [word for word in content_words(words) if word not in FILLERS]
    return meaningful + number_words(words)


def information_score(text: str) -> float:
    """Return the information content of *text*; 0 for a blank one."""
    written = split_units(text)
    words = fold_words(written)
    distinct = set(meaningful_words(words))
    if not distinct:
        return 0.0
    # The first content word may be capitalized without being a name.
    precise = distinct & ({*capitalized_words(written)} | {*number_words(words)}) - {
        first_content_word(words)
    }
    denied = sum(word in NEGATIONS for word in words)
    bearing = sum(word in distinct for word in words) + denied
    return len(distinct) + len(precise) + min(denied, 1) + _DENSITY * bearing / max(len(words), 1)


def first_content_word(words: Sequence[str]) -> str:
    """Return the first folded word that is no filler, usually the subject."""
    spoken = (word for word in words if word not in STOP_WORDS and word not in FILLERS)
    return next(spoken, "")
