"""
Contradictions between two short statements that embeddings find only related.

1. One negates the other: likes and does not like, likes and hates.
2. Both give different values of a single-valued attribute: residence, age, favourite colour. A
   teacher and a father can be the same person, so that is no conflict.
3. In doubt there is no conflict: for pronouns, unnamed persons, one-time events, questions, and
   languages without a word list here.
4. Both prefer the same two options, in opposite order.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import zip_longest

from ..graph.duplicates import MOMENT
from ..text.preferences import are_opposite_preferences
from ..text.similarity import CONCORD, OPPOSITES, find_single_difference, fold_words, tokenize


def _word_set(words: str) -> frozenset[str]:
    return frozenset(words.split())


# Longer texts have more than one statement.
_LONGEST = 300
_VALUE = 4

_QUESTION = re.compile("[?\uff1f\u061f]")
_PHRASES = (
    (re.compile(r"(?i)\b(?:no longer|no more)\b"), "not"),
    (re.compile(r"(?i)\b(?:any ?more|any longer|at all)\b"), " "),
    (re.compile(r"(?i)\bcannot\b"), "can not"),
    (re.compile(r"(?i)\bwo not\b"), "will not"),
    # Lower case only: "May" is the month.
    (re.compile(r"\bmay\b"), "might"),
)

_DENIALS = _word_set(
    "not never no nicht kein keine keinen keinem keiner keines nie niemals ne pas jamais nunca non "
    "não nao не нет никогда 不 没 沒 無 无 未 niet geen nooit inte aldrig ikke δεν"
)
# Words that may occur in only one of the two, such as those of a negation.
_UNSAID = _word_set("a an the any do does still now currently also already really")
_LIKES = _word_set("like likes enjoy enjoys")
_LOVES = _word_set("love loves adore adores")
_DISLIKES = _word_set("dislike dislikes hate hates detest detests loathe loathes")
_IRREGULAR = frozenset((frozenset(("has", "have")), frozenset(("goes", "go"))))

# Subjects that may refer to different persons or things.
_VAGUE = _word_set(
    "a an one some any another other many most few several he she it they this that these those "
    "someone somebody people ein eine einer er sie es un une il elle ils una uno él ella он она "
    "они оно"
)
# Words of statements that are true only temporarily.
_TEMPORARY = _word_set(
    "some sometimes occasionally maybe perhaps might was were did had today yesterday tomorrow "
    "tonight manchmal vielleicht heute gestern morgen parfois hier aujourd'hui demain quizás hoy "
    "ayer mañana иногда сегодня вчера завтра 他 她 它 昨 今"
)

_IS = _word_set("is are be ist sind est son es è é")
_SET = _IS | _word_set("set turned switched stays prefers prefer")
_COUNTS = _IS | _word_set("weighs costs equals = has have owns wiegt kostet hat")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*[a-z%]{0,3}")

# Attributes of which a person usually has one at a time.
_HOME_WORDS = """
lives in/live in/resides in/works at/work at/works for/work for/born in/married to
employed by/is called/am called/is named/wohnt in/lebt in/arbeitet bei/nutzer heißt
habite à/vit à/travaille chez/vive en/reside en/vive a/abita a/mora em/vive em
живёт в/живет в/woont in
"""
_HOME_PHRASES = frozenset(tuple(pair.split()) for pair in re.split("[/\n]", _HOME_WORDS.strip()))
_ATTRIBUTES = _word_set(
    "name nickname username age birthday birthplace email e-mail phone number address hometown "
    "employer nationality timezone zone weight height deadline status port geburtstag alter "
    "adresse wohnort"
)
_FAVOURITE = re.compile(r"favou?rite|lieblings.*|préférée?|favorit[oa]|preferit[oa]")


def are_contradictory(one: str, other: str) -> bool:
    """Return whether at most one of the two statements can be true."""
    if max(len(one), len(other)) > _LONGEST or _QUESTION.search(one + other):
        return False
    written = _normalized_words(one), _normalized_words(other)
    first, second = fold_words(written[0]), fold_words(written[1])
    if not first or not second or first[0] in _VAGUE or second[0] in _VAGUE:
        return False
    if _TEMPORARY & {*first, *second}:
        return False
    if are_opposite_preferences(first, second):
        return True
    return _is_denied(first, second) or _has_other_value(written, (first, second))


def _normalized_words(text: str) -> list[str]:
    normalized = " ".join(tokenize(text))
    for phrase, plain in _PHRASES:
        normalized = phrase.sub(plain, normalized)
    return normalized.split()


def _is_denied(first: list[str], second: list[str]) -> bool:
    plain = _stance(first), _stance(second)
    return _differ_by_denial(*plain) or _differ_by_denial(*(_attitude(*stance) for stance in plain))


def _differ_by_denial(one: tuple[list[str], int], other: tuple[list[str], int]) -> bool:
    (first, first_denials), (second, second_denials) = one, other
    if {first_denials, second_denials} != {0, 1} or not first:
        return False
    return all(_same_form(a, b) for a, b in zip_longest(first, second, fillvalue=""))


def _stance(words: list[str]) -> tuple[list[str], int]:
    """Return the content of a statement, and its number of negations."""
    denials = sum(word in _DENIALS for word in words)
    denials -= sum(pair <= {*words} for pair in CONCORD)
    return [word for word in words if word not in _DENIALS and word not in _UNSAID], denials


def _attitude(words: list[str], denials: int) -> tuple[list[str], int]:
    """
    Return the stance with verbs of liking unified: to hate is not to like, but not to love may be
    to like.
    """
    liked = _LIKES if denials else _LIKES | _LOVES
    if not denials and _DISLIKES & {*words}:
        liked, denials = liked | _DISLIKES, 1
    return ["like" if word in liked else word for word in words], denials


def _same_form(a: str, b: str) -> bool:
    """Return whether two words differ at most by the ending that "does not" removes."""
    short, long = sorted((a, b), key=len)
    return (
        a == b
        or (bool(short) and long in (f"{short}s", f"{short}es", f"{short[:-1]}ies"))
        or frozenset((a, b)) in _IRREGULAR
    )


def _has_other_value(
    written: tuple[list[str], list[str]], words: tuple[list[str], list[str]]
) -> bool:
    difference = find_single_difference(*words)
    if difference is None:
        return False
    place, one, other = difference
    before = words[0][:place]
    if len(one) == len(other) == 1 and frozenset((*one, *other)) in OPPOSITES:
        return "never" in (*one, *other) or bool(_SET & {*before[-1:]})
    if len(before) < 2 or max(len(one), len(other)) > _VALUE or _DENIALS & {*one, *other}:
        return False
    if before[-1] in _COUNTS and _is_number(one) and _is_number(other):
        return True
    proper = all(spelt[place][:1].isupper() for spelt in written)
    return _is_attribute(before) or (proper and _is_home(before))


def _is_attribute(before: Sequence[str]) -> bool:
    favourite = any(_FAVOURITE.fullmatch(word) for word in before)
    return before[-1] in _IS and (before[-2] in _ATTRIBUTES or favourite)


def _is_home(before: Sequence[str]) -> bool:
    # A possessive subject, such as a sister, may refer to several persons.
    alone = not any(word.endswith(("'s", "\u2019s")) for word in before)
    return alone and (before[-2], before[-1]) in _HOME_PHRASES


def _is_number(value: Sequence[str]) -> bool:
    return (
        len(value) == 1
        and _NUMBER.fullmatch(value[0]) is not None
        and not MOMENT.fullmatch(value[0])
    )
