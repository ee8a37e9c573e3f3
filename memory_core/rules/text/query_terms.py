"""Search terms of a query."""

from __future__ import annotations

import itertools
import re

from .dates import date_terms
from .folding import unify_forms
from .normalization import is_syllable_part, iter_words

# Each term costs time; the first terms of a long text are the most relevant.
MAX_TERMS = 256
# Terms considered; the rest of a longer query is ignored.
_MAX_SCANNED = 4 * MAX_TERMS

_STOP_WORDS = """
a about above after again against all also am an and any are aren as at be because been before
being below between both but by can cannot could couldn d did didn do does doesn doing don down
during each few for from further had hadn has hasn have haven having he her here hers herself him
himself his how i if in into is isn it its itself just ll m may me might mightn more most must
mustn my myself no nor not now o of off on once only or other our ours ourselves out over own re s
same shan she should shouldn so some such t than that the their theirs them themselves then there
these they this those through to too under until up ve very was wasn we were weren what when where
which while who whom whose why will with won would wouldn y you your yours yourself yourselves
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())

# At the end of a term: every continuation matches.
PREFIX = "*"

_RUNS = re.compile(r"[a-z]+|\d+")
_MOST_PARTS = 4
# Only the beginning of a long query is searched for dates.
_MOST_CHARACTERS = 2_000
# An abbreviated commit id has at least seven digits.
_HEX = re.compile(r"[0-9a-f]{7,64}")
_LONGEST_ABBREVIATION = 12
_NAMING = re.compile(r"(?=.*\d)(?=.*[^\W\d]).{4,}|\d{5,}|[0-9a-f]{7,}\*|.+[+#]")

_IDENTIFIER = re.compile(r"[^\W\d_]*\d|.*[+#]$")


def query_terms(text: str, *, most: int = MAX_TERMS) -> list[str]:
    """
    Return the distinct terms of a query, most specific first.

    Stop words are dropped unless nothing else remains, so that "to be or not to be" is still a
    query. Since the number is limited, identifiers and CJK bigrams come before plain words and
    single CJK characters.
    """
    ranked: dict[str, int] = {}
    for word in iter_words(text):
        for term in word:
            # Nearly every text contains it; the pairs say more.
            if len(word) > 1 and is_syllable_part(term):
                continue
            ranked.setdefault(term, _rank(term, word))
        if len(ranked) >= _MAX_SCANNED:
            break
    content = [term for term in ranked if term not in STOP_WORDS] or list(ranked)
    return sorted(content, key=ranked.__getitem__)[:most]


def _rank(term: str, word: tuple[str, ...]) -> int:
    if len(word) > 1:
        return 0 if term == word[-1] or (len(term) > 1 and not term.isascii()) else 1
    return 0 if _IDENTIFIER.match(term) else 1


def query_variants(text: str) -> list[str]:
    """
    Return further terms by which rows match a query, in addition to its words.

    Dates in one spelling (dates.py); letters and digits joined and split, since RTX 4090 is
    written RTX4090 too; and the beginnings of commit ids (PREFIX at the end: any continuation).
    """
    words = list(itertools.islice(iter_words(text), MAX_TERMS))
    wholes = [word[-1] for word in words]
    variants: list[str] = [*date_terms(unify_forms(text[:_MOST_CHARACTERS]))]
    for size in (2, 3):
        runs = zip(*(wholes[start:] for start in range(size)), strict=False)
        variants += ["".join(run) for run in runs if all(map(_is_boundary, run, run[1:]))]
    for whole in wholes:
        parts = _RUNS.findall(whole)
        if _HEX.fullmatch(whole):
            shortened = range(7, min(len(whole), _LONGEST_ABBREVIATION + 1))
            variants += [whole + PREFIX, *(whole[:size] for size in shortened)]
        elif 1 < len(parts) <= _MOST_PARTS and "".join(parts) == whole:
            variants += parts
    known = {term for word in words for term in word}
    return [term for term in dict.fromkeys(variants) if term not in known][:MAX_TERMS]


def is_identifier(term: str) -> bool:
    """Return whether *term* names one thing: it has letters and digits, or is a long number."""
    return bool(_NAMING.fullmatch(term))


def _is_boundary(first: str, second: str) -> bool:
    """Return whether a letter and a digit meet where the words are joined."""
    if STOP_WORDS & {first, second} or not (first + second).isascii():
        return False
    return (first[-1].isalpha() and second[0].isdigit()) or (
        first[-1].isdigit() and second[0].isalpha()
    )
