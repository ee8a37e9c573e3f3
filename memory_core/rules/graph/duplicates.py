"""
Duplicate and contradiction detection for similar facts and entities.

1. Similar embeddings are only candidates. Words decide; in doubt two things are different: a missed
   duplicate costs a line, a wrong merge loses data.
2. Two facts with different numbers, names, persons or negation are never duplicates. For the same
   subject, and otherwise similar, they contradict each other.
3. Two persons are equal only with the same name; a different version, number or type always means
   two entities.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from ..text.normalization import fold_name
from ..text.preferences import are_opposite_preferences
from ..text.similarity import (
    OPPOSITES,
    are_word_forms,
    capitalized_words,
    content_words,
    find_single_difference,
    fold_words,
    is_negated,
    number_words,
    tokenize,
    unmatched_words,
    word_overlap,
)

# Minimum cosine similarities for comparing words.
DUPLICATE = 0.85
CONTRADICTION = 0.7
# Lower for entities: descriptions of the same entity may have different facts.
SAME_THING = 0.5

# Minimum overlap of content words.
SAME_WORDS = 0.75
SAME_STATEMENT = 0.6

# Maximum number of words of a value.
_VALUE = 3
_STATE_WORDS = """
is are was were be equals = called named costs weighs runs uses ist sind war est sont es son
"""
STATES = frozenset(_STATE_WORDS.split())
_STATED = "lives works based located set hosted stored deployed written reports"
_AT = "in at for to on"
MOMENT = re.compile(
    r"\d{4}-\d\d?(-\d\d?)?|\d\d?[:.]\d\d|(19|20)\d\d|\d\d?(st|nd|rd|th)"
    r"|(mon|tues|wednes|thurs|fri|satur|sun)day|yesterday|today|tomorrow"
    r"|january|february|march|april|june|july|august|september|october|november|december"
)


@dataclass(frozen=True)
class Verdict:
    """The relation of two facts or entities, and the deciding criterion."""

    kind: Literal["duplicate", "contradiction", "different"]
    reason: str


@dataclass(frozen=True)
class NamedEntity:
    """The identifying fields of an entity."""

    name: str
    node_type: str
    aliases: tuple[str, ...] = ()


def compare_facts(a: str, b: str, *, similarity: float, same_subject: bool) -> Verdict:
    """Return the relation of two statements; *similarity* is their cosine similarity."""
    if similarity < CONTRADICTION:
        return Verdict("different", "similarity")
    written = tokenize(a), tokenize(b)
    first, second = fold_words(written[0]), fold_words(written[1])
    verdict = _find_contradiction(first, second)
    if verdict is not None:
        return verdict if same_subject else Verdict("different", verdict.reason)
    if number_words(first) != number_words(second):
        return Verdict("different", "number")
    if capitalized_words(written[0]) != capitalized_words(written[1]) and _names_differ(*written):
        return Verdict("different", "name")
    if similarity < DUPLICATE:
        return Verdict("different", "similarity")
    if word_overlap(content_words(first), content_words(second)) < SAME_WORDS:
        return Verdict("different", "words")
    return Verdict("duplicate", "same words")


def compare_entities(a: NamedEntity, b: NamedEntity, *, similarity: float) -> Verdict:
    """Return whether two entities are probably the same; entities never contradict each other."""
    if a.node_type != b.node_type:
        return Verdict("different", "type")
    if _folded_names(a) & _folded_names(b):
        return Verdict("duplicate", "shared name")
    first, second = _name_words(a.name), _name_words(b.name)
    if number_words(first) != number_words(second):
        return Verdict("different", "number")
    if is_negated(first) != is_negated(second):
        return Verdict("different", "negation")
    if sorted(first) == sorted(second):
        return Verdict("duplicate", "same name in other letters")
    if a.node_type == "person":
        return Verdict("different", "name")
    left, right = unmatched_words(first, second)
    if left or right:
        return Verdict("different", "name")
    if similarity < SAME_THING:
        return Verdict("different", "similarity")
    return Verdict("duplicate", "name in another form")


def _find_contradiction(first: list[str], second: list[str]) -> Verdict | None:
    """Return the contradiction of two statements about the same subject."""
    if is_negated(first) != is_negated(second):
        same = number_words(first) == number_words(second)
        if same and word_overlap(content_words(first), content_words(second)) >= SAME_STATEMENT:
            return Verdict("contradiction", "negation")
        return None
    if are_opposite_preferences(first, second):
        return Verdict("contradiction", "preference")
    difference = find_single_difference(first, second)
    if difference is None:
        return None
    place, one, other = difference
    if len(one) == 1 and frozenset((*one, *other)) in OPPOSITES:
        return Verdict("contradiction", "opposite")
    if not _is_value(first, place, one) or not _is_value(second, place, other):
        return None
    return Verdict(
        "contradiction", "number" if number_words(one) or number_words(other) else "value"
    )


def _is_value(words: Sequence[str], place: int, value: Sequence[str]) -> bool:
    """Return whether *value*, at *place*, is a value that the statement assigns."""
    if not value or len(value) > _VALUE or any(MOMENT.fullmatch(word) for word in value):
        return False
    before = list(words[max(0, place - 2) : place])
    stated = bool(before) and (
        before[-1] in STATES
        or (before[-1] in ("a", "an", "the") and before[0] in STATES)
        or (len(before) == 2 and before[1] in _AT.split() and before[0] in _STATED.split())
    )
    return stated and place >= 2


def _names_differ(first: Sequence[str], second: Sequence[str]) -> bool:
    """Return whether a name is missing in the other statement, or names are swapped."""
    first_names, second_names = capitalized_words(first), capitalized_words(second)
    second_words, first_words = [w.casefold() for w in second], [w.casefold() for w in first]
    # The first word of a sentence is capitalized even if it is no name.
    if any(not _has_word_form(name, second_words) for name in first_names) or any(
        not _has_word_form(n, first_words) for n in second_names
    ):
        return True
    common = [name for name in first_names if name in second_names]
    return common != [name for name in second_names if name in common]


def _has_word_form(name: str, words: Sequence[str]) -> bool:
    return any(are_word_forms(name, word) for word in words)


# Each entity is compared with several neighbours.
@lru_cache(maxsize=8192)
def _folded_names(entity: NamedEntity) -> frozenset[str]:
    return frozenset(fold_name(name) for name in (entity.name, *entity.aliases))


@lru_cache(maxsize=8192)
def _name_words(name: str) -> tuple[str, ...]:
    """Return the words of a name without case, accents and punctuation."""
    decomposed = unicodedata.normalize("NFKD", name)
    bare = "".join(char for char in decomposed if not unicodedata.combining(char))
    parts = (re.split(r"[.:/'\u2019_-]", word) for word in fold_words(tokenize(bare)))
    return tuple(part for word in parts for part in word if part)
