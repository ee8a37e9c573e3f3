"""Word-level similarity of two texts.

Vectors say that two texts are about the same; they hardly notice a "not", another
number or another person. So words are compared as well: in order, folded, each
ideograph on its own.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from .normalization import clean_text
from .query_terms import STOP_WORDS

_CJK = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3"
_WORD = rf"(?:(?![{_CJK}])\w)+"
# Identifiers, times and decimals stay whole.
_TOKEN = re.compile(rf"[{_CJK}]|{_WORD}(?:[.:/'\u2019-]{_WORD})*[+#]*|=")
_DIGIT = re.compile(r"\d")
_CANNOT = re.compile(r"\bcan['\u2019]t\b", re.I)
_CONTRACTED = re.compile(r"n['\u2019]t\b", re.I)
_ELIDED = re.compile(r"(?<![\w'\u2019])n['\u2019](?=\w)", re.I)

_NEGATIONS = """
not no never none neither nor without cannot nobody nothing
nicht kein keine keinen keiner nie niemals ohne ne pas jamais sans nunca sin non mai
não nao sem не нет никогда без 不 没 沒 無 无 未 非 別
"""
NEGATIONS = frozenset(_NEGATIONS.split())
# Two words that make one denial together.
_CONCORD = "ne pas/ne jamais/не никогда/no nunca/non mai/não nunca"
CONCORD = frozenset(frozenset(pair.split()) for pair in _CONCORD.split("/"))

# Said of one thing, one of each pair excludes the other.
_OPPOSITES = (
    "enabled disabled/on off/true false/up down/open closed/allowed forbidden/always never/"
    "active inactive/increased decreased/present absent/public private/valid invalid/"
    "optional required/sync async/succeeded failed/passes fails/dark light"
)
OPPOSITES = frozenset(frozenset(pair.split()) for pair in _OPPOSITES.split("/"))

_COUNTED = "two three four five six seven eight nine ten eleven twelve"
_NUMBER_WORDS = {word: str(number) for number, word in enumerate(_COUNTED.split(), 2)}

# The same word in another form: order and orders, deploy and deployed.
_STEM = 4


def tokenize(text: str) -> list[str]:
    """Return the words of *text* in order as they are written, contractions taken apart."""
    spelt = _ELIDED.sub("ne ", _CANNOT.sub("can not", clean_text(text)))
    return _TOKEN.findall(_CONTRACTED.sub(" not", spelt))


def fold_words(words: Sequence[str]) -> list[str]:
    return [_NUMBER_WORDS.get(word.casefold(), word.casefold()) for word in words]


def is_negated(words: Collection[str]) -> bool:
    """Return whether folded *words* deny something; two denials are none."""
    found = {word for word in words if word in NEGATIONS}
    doubled = sum(pair <= found for pair in CONCORD) if len(found) > 1 else 0
    return (sum(word in NEGATIONS for word in words) - doubled) % 2 == 1


def number_words(words: Sequence[str]) -> list[str]:
    """Return the words with a digit in them, sorted."""
    return sorted(word for word in words if _DIGIT.search(word))


def content_words(words: Sequence[str]) -> list[str]:
    """Return the folded words that carry meaning: no stop words, no denials, no numbers."""
    return [
        word
        for word in words
        if word not in STOP_WORDS
        and word not in NEGATIONS
        and not _DIGIT.search(word)
        and word != "="
    ]


def capitalized_words(words: Sequence[str]) -> list[str]:
    """Return, folded and in order, the written words that begin with a capital letter."""
    return [
        word.casefold()
        for word in words
        if word[:1].isupper() and word.casefold() not in STOP_WORDS
    ]


def are_word_forms(a: str, b: str) -> bool:
    """Return whether two folded words are forms of one word."""
    short, long = sorted((a, b), key=len)
    return a == b or (
        len(short) >= _STEM
        and long.startswith(short[: max(_STEM, len(short) - 2)])
        and len(long) - len(short) <= _STEM
    )


def unmatched_words(a: Sequence[str], b: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the words of each that have no counterpart among the other's."""
    left, right = [], list(b)
    for word in a:
        # The same word first: "order" must not take the place of "orders".
        found = word if word in right else next((w for w in right if are_word_forms(word, w)), None)
        if found is None:
            left.append(word)
        else:
            right.remove(found)
    return left, right


def word_overlap(a: Sequence[str], b: Sequence[str]) -> float:
    """Return how much of both is matched, 0 to 1; two empty lists have all in common."""
    left, right = unmatched_words(a, b)
    common = len(a) - len(left)
    every = common + len(left) + len(right)
    return common / every if every else 1.0


def find_single_difference(
    a: Sequence[str], b: Sequence[str]
) -> tuple[int, list[str], list[str]] | None:
    """Return where, and in what words, two sequences differ, if in exactly one place."""
    start, least = 0, min(len(a), len(b))
    while start < least and a[start] == b[start]:
        start += 1
    end = 0
    while end < least - start and a[-1 - end] == b[-1 - end]:
        end += 1
    left, right = list(a[start : len(a) - end]), list(b[start : len(b) - end])
    # A word in both would make two places of it.
    if not left or not right or set(left) & set(right):
        return None
    return start, left, right
