"""Information content of a statement, counted in units of its script.

1. Each different word that carries meaning counts; a name or a number counts twice,
   for it is what a generalisation leaves out. A blank text counts 0.
2. Words that say nothing thin it out: of two statements with the same content, the
   one in fewer words says it better. They never outweigh a word of content.
3. A script without spaces is counted by its characters, so no list of words is needed.
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

# Thai, Lao, Myanmar and Khmer, whose words are not set apart and whose marks are no letters.
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")

# Below one word of content, whatever the padding.
_DENSITY = 0.9


def split_units(text: str) -> list[str]:
    """Return the words of *text* as written, or its characters where words are not set apart."""
    if not _UNSPACED.search(text):
        return tokenize(text)
    return [char for char in clean_text(text) if char.isprintable() and not char.isspace()]


def meaningful_words(words: Sequence[str]) -> list[str]:
    """Return the folded words that say something: content, numbers, and no padding."""
    said = [word for word in content_words(words) if word not in FILLERS]
    return said + number_words(words)


def information_score(text: str) -> float:
    """Return how much *text* says; 0 if it says nothing."""
    written = split_units(text)
    words = fold_words(written)
    said = set(meaningful_words(words))
    if not said:
        return 0.0
    # What a sentence begins with has a capital anyway, be padding before it or not.
    precise = said & ({*capitalized_words(written)} | {*number_words(words)}) - {
        first_content_word(words)
    }
    denied = sum(word in NEGATIONS for word in words)
    bearing = sum(word in said for word in words) + denied
    return len(said) + len(precise) + min(denied, 1) + _DENSITY * bearing / max(len(words), 1)


def first_content_word(words: Sequence[str]) -> str:
    """Return the first folded word that is no padding: mostly, what a statement is about."""
    spoken = (word for word in words if word not in STOP_WORDS and word not in FILLERS)
    return next(spoken, "")
