"""Relation of a new fact to a similar stored one: same, newer, more specific or different.

1. Vectors only bring two facts together. Words decide, and in doubt the two are
   about different things: both stay.
2. What is added refines, what is left out generalises, and only if both speak of
   the same subject: their first words that say something are the same.
3. Another value in one place is news about the same; in the place of the subject it
   is another subject, two days are two events, and chapter 3 is not chapter 4.
4. A denial contradicts. It is never the same thing said again.
5. Nothing here needs a list of words of a language; where there is one, it helps.
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

# same: nothing new. refines, generalises: more, or less, of the same. rewords: other words,
# and which of the two is right is not to be told. updates: another name or number in one
# place. denies: one denies the other. apart: two things.
Relation = Literal["same", "refines", "generalises", "rewords", "updates", "denies", "apart"]

# Of the words that carry meaning, so many must be shared by a denial, and by a paraphrase.
_SAME_STATEMENT = 0.6
_SAME_MATTER = 0.5

# A value is short; longer is another statement. Characters stand for words in some scripts.
_VALUE_WORDS = 3
_VALUE_CHARACTERS = 10

_DAY = re.compile(r"\d\d?[./]\d\d?[./]\d{2,4}")

# What may come or go without another sense.
_SMALL = "the a an you i it that this so as"
# Between two of these it does not matter which comes first.
_JOINING = frozenset(("and", "or", "und", "oder", "et", "ou", "y", "o", "e", "и", "или"))
_EMPTY = FILLERS.union(_SMALL.split())


def classify_relation(old: str, new: str) -> Relation:
    """Return what *new* is to *old*; both are known to be alike."""
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
        # Other forms or small words alone: is and was, to and from. Neither says less.
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
        # In the very same words; in others it may be news: she worked there, she works there.
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
    # Of equal content, how densely it is put is no reason to prefer either.
    if abs(more) < 1:
        return "rewords"
    return "refines" if more > 0 else "generalises"


def _missing_words(words: Sequence[str], others: Sequence[str], proper: set[str]) -> list[str]:
    """Return what *words* say that *others* do not; names and numbers have no other forms."""
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
    """Return whether only a day has moved in a sentence, or the items of a list."""
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
    """Return whether who does what to whom is the same, as far as order tells it."""
    if any(len(word) == 1 and not word.isascii() for word in (*first, *second)):
        # Characters that stand for words make no sense in another order.
        return meaningful_words(first) == meaningful_words(second)
    said = meaningful_words(first), meaningful_words(second)
    if len(said[0]) == len(said[1]):
        return all(
            one == other or are_word_forms(one, other) for one, other in zip(*said, strict=True)
        )
    named = [[word for word in words if word in proper] for words in (first, second)]
    return first_content_word(first) == first_content_word(second) or named[0] == named[1] != []


def _without_fillers(words: Sequence[str]) -> list[str]:
    return [word for word in words if word not in _EMPTY]


def _is_moment(words: Sequence[str]) -> bool:
    return any(MOMENT.fullmatch(word) or _DAY.fullmatch(word) for word in words)


def _is_label(words: Sequence[str], place: int, value: Sequence[str]) -> bool:
    """Return whether a number names what stands before it: chapter 3, but not 3 chapters."""
    if number_words(value) != sorted(value):
        return False
    after = words[place + len(value) :][:1]
    return bool(meaningful_words(words[place - 1 : place])) and not meaningful_words(after)


def _is_value(words: Sequence[str]) -> bool:
    if all(len(word) == 1 and not word.isascii() for word in words):
        return len(words) <= _VALUE_CHARACTERS
    return len(words) <= _VALUE_WORDS
