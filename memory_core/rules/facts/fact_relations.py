"""
Relation of a new fact to a stored fact with a similar embedding.

1. Similar embeddings are only candidates. Words decide; in doubt the facts are unrelated, and both
   are kept.
2. Additional content refines, omitted content generalises, but only if the first content words (the
   subjects) are equal.
3. A different value in one place is an update. A different subject, date or label (chapter 3,
   chapter 4) is another fact.
4. A negation contradicts and is never a duplicate.
5. No rule requires a word list of the language; where one exists, it improves the result.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from ..graph.duplicates import MOMENT, STATES
from ..text.similarity import (
    OPPOSITES,
    are_word_forms,
    capitalized_words,
    find_single_difference,
    fold_words,
    is_negated,
    number_words,
    word_overlap,
)
from .information_content import (
    FILLERS,
    first_content_word,
    information_score,
    meaningful_words,
    split_units,
)

# same: nothing new. refines, generalises: more or less specific. rewords: different words,
# neither preferable. updates: a different name or number in one place. denies: one negates
# the other. apart: unrelated.
Relation = Literal["same", "refines", "generalises", "rewords", "updates", "denies", "apart"]

# Minimum overlap of content words for a negation, and for a paraphrase.
_SAME_STATEMENT = 0.6
_SAME_MATTER = 0.5

# Maximum length of a value, in words, or in characters for scripts without spaces.
_VALUE_WORDS = 3
_VALUE_CHARACTERS = 10

_DAY = re.compile(r"\d\d?[./]\d\d?[./]\d{2,4}")

# Words that do not change the meaning.
_SMALL = "the a an you i it that this so as"
# Conjunctions whose operands may be swapped.
_JOINING = frozenset(("and", "or", "und", "oder", "et", "ou", "y", "o", "e", "и", "или"))
_EMPTY = FILLERS.union(_SMALL.split())


def classify_relation(old: str, new: str) -> Relation:
    """Return the relation of *new* to *old*, two facts with similar embeddings."""
    written = split_units(old), split_units(new)
    first, second = fold_words(written[0]), fold_words(written[1])
    if _without_fillers(first) == _without_fillers(second):
        return "same"
    if is_negated(first) != is_negated(second):
        share = word_overlap(meaningful_words(first), meaningful_words(second))
        return "denies" if share >= _SAME_STATEMENT else "apart"
    proper = {*capitalized_words(written[0][1:]), *capitalized_words(written[1][1:])}
    if sorted(_without_fillers(first)) == sorted(_without_fillers(second)):
        return (
            "same"
            if _is_same_content(_without_fillers(first), _without_fillers(second))
            else "apart"
        )
    lost = _missing_words(first, second, proper)
    gained = _missing_words(second, first, proper)
    if not lost and not gained:
        # Only word forms or function words differ: is and was, to and from.
        return "rewords" if _in_same_order(first, second, proper) else "apart"
    difference = find_single_difference(first, second)
    if difference is not None and lost and gained:
        return _classify_single_difference(
            first, difference, precise=proper | {*number_words(first + second)}
        )
    return _classify_content(old, new, (first, second), (lost, gained), proper)


def _classify_single_difference(
    words: Sequence[str],
    difference: tuple[int, list[str], list[str]],
    *,
    precise: set[str],
) -> Relation:
    place, one, other = difference
    if len(one) == 1 and frozenset((*one, *other)) in OPPOSITES:
        return "denies"
    if not meaningful_words(words[:place]):
        return "apart"
    if _is_moment(one) and _is_moment(other) and not {*words[max(place - 2, 0) : place]} & STATES:
        return "apart"
    if not (_is_value(one) and _is_value(other)) or _is_label(words, place, one):
        return "apart"
    return "updates" if precise & {*one, *other} else "rewords"


def _classify_content(
    old: str,
    new: str,
    words: tuple[list[str], list[str]],
    differing: tuple[list[str], list[str]],
    proper: set[str],
) -> Relation:
    if first_content_word(words[0]) != first_content_word(words[1]):
        return "apart"
    lost, gained = differing
    if not lost:
        return "refines"
    if not gained:
        # Only with identical words; another form may be new: she worked there, she works there.
        return (
            "generalises"
            if {*meaningful_words(words[1])} <= {*meaningful_words(words[0])}
            else "apart"
        )
    if proper & {*lost, *gained} or number_words(lost) or number_words(gained):
        return "apart"
    if word_overlap(meaningful_words(words[0]), meaningful_words(words[1])) < _SAME_MATTER:
        return "apart"
    more = information_score(new) - information_score(old)
    # With equal content, a difference in density does not matter.
    if abs(more) < 1:
        return "rewords"
    return "refines" if more > 0 else "generalises"


def _missing_words(words: Sequence[str], others: Sequence[str], proper: set[str]) -> list[str]:
    """
    Return the content of *words* that is not in *others*; names and numbers must match exactly.
    """
    proper = proper | {*number_words([*words, *others])}
    left = list(others)
    missing: list[str] = []
    for word in meaningful_words(words):
        if word in left:
            left.remove(word)
        else:
            missing.append(word)
    return [
        word
        for word in missing
        if word in proper
        or not any(are_word_forms(word, other) for other in left if other not in proper)
    ]


def _is_same_content(first: list[str], second: list[str]) -> bool:
    """Return whether only a date has moved, or the items of a list."""
    timeless = [[word for word in words if not _is_moment([word])] for words in (first, second)]
    if len(timeless[0]) < len(first) and meaningful_words(timeless[0]) == meaningful_words(
        timeless[1]
    ):
        return True
    ends = [pair[0] == pair[1] for pair in zip(first, second, strict=True)]
    begin, after = ends.index(False), len(ends) - ends[::-1].index(False)
    one, other = first[begin:after], second[begin:after]
    return any(
        word in _JOINING and [*one[at + 1 :], word, *one[:at]] == other
        for at, word in enumerate(one)
    )


def _in_same_order(first: Sequence[str], second: Sequence[str], proper: set[str]) -> bool:
    """Return whether the words occur in an order with the same meaning."""
    if any(len(word) == 1 and not word.isascii() for word in (*first, *second)):
        # In ideographic scripts the order of characters is significant.
        return meaningful_words(first) == meaningful_words(second)
    meanings = meaningful_words(first), meaningful_words(second)
    if len(meanings[0]) == len(meanings[1]):
        return all(
            one == other or are_word_forms(one, other) for one, other in zip(*meanings, strict=True)
        )
    named = [[word for word in words if word in proper] for words in (first, second)]
    return first_content_word(first) == first_content_word(second) or named[0] == named[1] != []


def _without_fillers(words: Sequence[str]) -> list[str]:
    return [word for word in words if word not in _EMPTY]


def _is_moment(words: Sequence[str]) -> bool:
    return any(MOMENT.fullmatch(word) or _DAY.fullmatch(word) for word in words)


def _is_label(words: Sequence[str], place: int, value: Sequence[str]) -> bool:
    """Return whether a number is a label of the word before it: chapter 3, but not 3 chapters."""
    if number_words(value) != sorted(value):
        return False
    after = words[place + len(value) :][:1]
    return bool(meaningful_words(words[place - 1 : place])) and not meaningful_words(after)


def _is_value(words: Sequence[str]) -> bool:
    if all(len(word) == 1 and not word.isascii() for word in words):
        return len(words) <= _VALUE_CHARACTERS
    return len(words) <= _VALUE_WORDS
