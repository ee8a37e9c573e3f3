"""
Lexical similarity of two texts.

Embeddings recognize that texts have the same topic, but hardly notice a negation, another number or
another person. Therefore words are compared as well: in order, case-folded, each ideograph
separately.
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
# Two words that form a single negation.
_CONCORD = "ne pas/ne jamais/не никогда/no nunca/non mai/não nunca"
CONCORD = frozenset(frozenset(pair.split()) for pair in _CONCORD.split("/"))

# Pairs that contradict each other for the same subject.
_OPPOSITES = (
    "enabled disabled/on off/true false/up down/open closed/allowed forbidden/always never/"
    "active inactive/increased decreased/present absent/public private/valid invalid/"
    "optional required/sync async/succeeded failed/passes fails/dark light"
)
OPPOSITES = frozenset(frozenset(pair.split()) for pair in _OPPOSITES.split("/"))

_COUNTED = "two three four five six seven eight nine ten eleven twelve"
_NUMBER_WORDS = {word: str(number) for number, word in enumerate(_COUNTED.split(), 2)}

# Minimum stem of word forms such as order and orders, deploy and deployed.
_STEM = 4


def tokenize(text: str) -> list[str]:
    """Return the words of *text* in order, contractions expanded."""
    spelt = _ELIDED.sub("ne ", _CANNOT.sub("can not", clean_text(text)))
    return _TOKEN.findall(_CONTRACTED.sub(" not", spelt))


def fold_words(words: Sequence[str]) -> list[str]:
    return [_NUMBER_WORDS.get(word.casefold(), word.casefold()) for word in words]


def is_negated(words: Collection[str]) -> bool:
    """Return whether folded *words* are negated; a double negation is none."""
    found = {word for word in words if word in NEGATIONS}
    doubled = sum(pair <= found for pair in CONCORD) if len(found) > 1 else 0
    return (sum(word in NEGATIONS for word in words) - doubled) % 2 == 1


def number_words(words: Sequence[str]) -> list[str]:
    """Return the words that contain a digit, sorted."""
    return sorted(word for word in words if _DIGIT.search(word))


def content_words(words: Sequence[str]) -> list[str]:
    """Return the folded words without stop words, negations and numbers."""
    return [
        word
        for word in words
        if word not in STOP_WORDS
        and word not in NEGATIONS
        and not _DIGIT.search(word)
        and word != "="
    ]


def capitalized_words(words: Sequence[str]) -> list[str]:
    """Return the capitalized words, folded and in order, without stop words."""
    return [
        word.casefold()
        for word in words
        if word[:1].isupper() and word.casefold() not in STOP_WORDS
    ]


def are_word_forms(a: str, b: str) -> bool:
    """Return whether two folded words are forms of the same word."""
    short, long = sorted((a, b), key=len)
    return a == b or (
        len(short) >= _STEM
        and long.startswith(short[: max(_STEM, len(short) - 2)])
        and len(long) - len(short) <= _STEM
    )


def unmatched_words(a: Sequence[str], b: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the words of each text that have no counterpart in the other."""
    left, right = [], list(b)
    for word in a:
        # Exact matches first: "order" must not match "orders" if "order" exists.
        found = word if word in right else next((w for w in right if are_word_forms(word, w)), None)
        if found is None:
            left.append(word)
        else:
            right.remove(found)
    return left, right


def word_overlap(a: Sequence[str], b: Sequence[str]) -> float:
    """Return the share of matched words of both, 0 to 1; 1 for two empty lists."""
    left, right = unmatched_words(a, b)
    common = len(a) - len(left)
    every = common + len(left) + len(right)
    return common / every if every else 1.0


def find_single_difference(
    a: Sequence[str], b: Sequence[str]
) -> tuple[int, list[str], list[str]] | None:
    """
    Return position and words of the only difference of two sequences; None if there is not exactly
    one.
    """
    start, least = 0, min(len(a), len(b))
    while start < least and a[start] == b[start]:
        start += 1
    end = 0
    while end < least - start and a[-1 - end] == b[-1 - end]:
        end += 1
    left, right = list(a[start : len(a) - end]), list(b[start : len(b) - end])
    # A shared word means two differences.
    if not left or not right or set(left) & set(right):
        return None
    return start, left, right
