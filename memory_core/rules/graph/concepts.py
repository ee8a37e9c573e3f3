"""
Names of clusters, and their assignment to existing concepts.

A name consists of terms that many members share and few other clusters have. Each concept follows
the most similar cluster (Jaccard), at most one.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

from ..text.normalization import clean_text
from ..text.query_terms import STOP_WORDS

# Minimum Jaccard similarity to continue a concept.
MIN_SIMILARITY = 0.2

# Terms in a name: two for the topic, a third to distinguish similar concepts.
NAME_TERMS = 3

_CJK = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3"
# CJK bigrams, or words.
_TERM = re.compile(
    rf"(?=([{_CJK}]{{2}}))|((?![{_CJK}])[^\W\d_](?:(?![{_CJK}])[\w'+#-])*(?:\.\w+)*)"
)
_SHORTEST = 3

# Name of a member, and its facts.
Member = tuple[str, str]

# Weight of terms in facts, relative to those in the name.
_FACT_WEIGHT = 0.4


def distinctive_terms(
    clusters: Iterable[Sequence[Member]], *, most: int = NAME_TERMS + 2
) -> list[list[str]]:
    """Return the distinctive terms of each cluster, best first."""
    # Clusters are read one by one: the texts of all would not fit into memory.
    counted = [_term_shares(members) for members in clusters]
    spread: Counter[str] = Counter(term for shares, _ in counted for term in shares)
    return [
        [spelled[term] for term in _rank_terms(shares, spread, len(counted))[:most]]
        for shares, spelled in counted
    ]


def concept_name(terms: Sequence[str], is_taken: Callable[[str], bool]) -> str:
    """Return a readable name from *terms* that is not taken."""
    chosen = list(terms) or ["Group"]
    for count in range(min(NAME_TERMS, len(chosen)), len(chosen) + 1):
        name = _join_terms(chosen[:count])
        if not is_taken(name):
            return name
    number = 2
    while is_taken(f"{name} ({number})"):
        number += 1
    return f"{name} ({number})"


def match_concepts(
    clusters: Sequence[frozenset[str]], concepts: Mapping[str, frozenset[str]]
) -> dict[int, str]:
    """Return the concept that each cluster continues, by number; most similar first."""
    homes: dict[str, list[str]] = defaultdict(list)
    for id, members in concepts.items():
        for member in members:
            homes[member].append(id)
    likeness = sorted(
        (-_jaccard(cluster, concepts[id]), number, id)
        for number, cluster in enumerate(clusters)
        for id in sorted({id for member in cluster for id in homes.get(member, ())})
    )
    found: dict[int, str] = {}
    for score, number, id in likeness:
        if -score >= MIN_SIMILARITY and number not in found and id not in found.values():
            found[number] = id
    return found


def _jaccard(a: frozenset[str], b: frozenset[str]) -> float:
    return len(a & b) / len(a | b) if a or b else 0.0


def _term_shares(members: Sequence[Member]) -> tuple[dict[str, float], dict[str, str]]:
    """Return the share of members with each term, 0 to 1, and its most common spelling."""
    spellings: dict[str, Counter[str]] = defaultdict(Counter)
    holders: Counter[str] = Counter()
    weights: dict[str, float] = defaultdict(float)
    for name, facts in members:
        fact_terms = {
            _stem(word): (word, _FACT_WEIGHT) for word in reversed(_terms(clean_text(facts)))
        }
        name_terms = {_stem(word): (word, 1.0) for word in reversed(_terms(clean_text(name)))}
        for stem, (word, weight) in {**fact_terms, **name_terms}.items():
            if stem not in STOP_WORDS and len(word) >= _SHORTEST - (not word.isascii()):
                holders[stem] += 1
                weights[stem] += weight
                spellings[stem][word] += 1
    # Terms of a single member do not describe the group.
    common = [term for term, n in holders.items() if n > 1]
    return (
        {term: weights[term] / len(members) for term in common},
        {term: spellings[term].most_common(1)[0][0] for term in common},
    )


def _terms(text: str) -> list[str]:
    return [pair or word for pair, word in _TERM.findall(text)]


def _stem(word: str) -> str:
    folded = word.casefold()
    plural = len(folded) > _SHORTEST + 1 and folded.endswith("s") and not folded.endswith("ss")
    return folded[:-1] if plural else folded


def _rank_terms(shares: Mapping[str, float], spread: Mapping[str, int], clusters: int) -> list[str]:
    return sorted(
        shares, key=lambda term: (-shares[term] * math.log1p(clusters / spread[term]), term)
    )


def _join_terms(terms: Sequence[str]) -> str:
    named = [terms[0][:1].upper() + terms[0][1:], *terms[1:]]
    return named[0] if len(named) == 1 else f"{', '.join(named[:-1])} and {named[-1]}"
