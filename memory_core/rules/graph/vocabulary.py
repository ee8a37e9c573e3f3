"""Spelling of type names, and the ends that relation types allow."""

from __future__ import annotations

import re
import unicodedata

from memory_core.model.graph.ontology import RelationType

ANY = "*"

_BETWEEN = re.compile(r"[\s_\-\u2010-\u2015]+")
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
