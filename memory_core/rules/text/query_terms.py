"""Search terms of a query."""

from __future__ import annotations

import re

from .normalization import iter_words

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
            ranked.setdefault(term, _rank(term, word))
        if len(ranked) >= _MAX_SCANNED:
            break
    content = [term for term in ranked if term not in STOP_WORDS] or list(ranked)
    return sorted(content, key=ranked.__getitem__)[:most]


def _rank(term: str, word: tuple[str, ...]) -> int:
    if len(word) > 1:
        return 0 if term == word[-1] or (len(term) > 1 and not term.isascii()) else 1
    return 0 if _IDENTIFIER.match(term) else 1
