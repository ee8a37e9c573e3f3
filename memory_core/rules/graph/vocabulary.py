"""Spelling of type names, and the ends that relation types allow."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from difflib import SequenceMatcher

from memory_core.model.graph.ontology import RelationType

ANY = "*"

_BETWEEN = re.compile(r"[\s_\-\u2010-\u2015]+")
# Least shares of common stems and of common letters.
_SIMILAR_MEANING = 0.3
_SIMILAR_SPELLING = 0.8
_SUFFIXES = ("ing", "ers", "ed", "er", "es", "s")
_UNSPECIFIC = frozenset(
    (
        *("a", "an", "and", "are", "as", "at", "be", "been", "by", "do", "does", "for", "from"),
        *("has", "have", "in", "into", "is", "it", "of", "on", "or", "the", "to", "was", "with"),
    )
)

_SEAM = re.compile(r"(?<=[a-z])(?=[A-Z])")


def fold_type(name: str) -> str:
    """Return the form that all spellings of *name* share: no case, no separators."""
    return _BETWEEN.sub("", unicodedata.normalize("NFKC", name).casefold())


def snake_case(name: str) -> str:
    """Return *name* in lower case with one underscore between words."""
    seamed = _SEAM.sub("_", unicodedata.normalize("NFKC", name))
    return _BETWEEN.sub("_", unicodedata.normalize("NFKC", seamed.lower())).strip("_")


def upper_snake_case(name: str) -> str:
    """Return *name* in upper case with one underscore between words."""
    return unicodedata.normalize("NFKC", snake_case(name).upper())


def similar_types(name: str, words: Mapping[str, str], *, most: int = 3) -> list[str]:
    """
    Return the types whose names or synonyms resemble *name* in meaning or spelling, best first.

    *words* maps names and synonyms to types. Words with a common stem have a similar meaning.
    """
    stems, folded = _stems(name), fold_type(name)
    scores: dict[str, float] = {}
    for word, type in words.items():
        other = _stems(word)
        score = len(stems & other) / max(1, len(stems | other))
        if score < _SIMILAR_SPELLING:
            spelling = SequenceMatcher(None, folded, fold_type(word), autojunk=False)
            # Cheap upper bounds first.
            if spelling.real_quick_ratio() >= _SIMILAR_SPELLING:
                ratio = spelling.ratio()
                score = max(score, ratio if ratio >= _SIMILAR_SPELLING else 0.0)
        scores[type] = max(score, scores.get(type, 0.0))
    close = [type for type in scores if scores[type] >= _SIMILAR_MEANING]
    return sorted(close, key=lambda type: -scores[type])[:most]


def _stems(name: str) -> frozenset[str]:
    return frozenset(_stem(word) for word in snake_case(name).split("_") if word not in _UNSPECIFIC)


def _stem(word: str) -> str:
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) > len(suffix) + 2:
            return word.removesuffix(suffix).rstrip("e")
    return word.rstrip("e") if len(word) > 3 else word


def allows_ends(relation_type: RelationType, from_type: str, to_type: str) -> bool:
    """Return whether domain and range allow these ends; in either direction if symmetric."""
    if _allows_direction(relation_type, from_type, to_type):
        return True
    return relation_type.symmetric and _allows_direction(relation_type, to_type, from_type)


def _allows_direction(relation_type: RelationType, from_type: str, to_type: str) -> bool:
    return _is_allowed(from_type, relation_type.domain) and _is_allowed(
        to_type, relation_type.range
    )


def _is_allowed(entity_type: str, allowed: tuple[str, ...]) -> bool:
    return ANY in allowed or entity_type in allowed
