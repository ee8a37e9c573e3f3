"""Relation proposals for two similar entities."""

from __future__ import annotations

from ...errors import ValidationError
from ...model.graph.ontology import Ontology
from .ontology import check_ends, stored_triple, suggest_relation

LOOSE = "RELATED_TO"

# Row id of an entity, which sorts by creation time, and its type.
End = tuple[str, str]


def propose_relation(ontology: Ontology, one: End, other: End) -> tuple[str, str, str]:
    """
    Return the relation type to propose, and the ids of its source and target.

    Both directions are tried, the newer entity as source first. Without a specific relation it is
    RELATED_TO.
    """
    older, newer = sorted((one, other))
    for start, end in ((newer, older), (older, newer)):
        kind = suggest_relation(ontology, start[1], end[1])
        if kind != LOOSE and _is_allowed(ontology, kind, start[1], end[1]):
            return stored_triple(ontology, kind, start[0], end[0])
    return stored_triple(ontology, LOOSE, older[0], newer[0])


def _is_allowed(ontology: Ontology, kind: str, from_type: str, to_type: str) -> bool:
    try:
        check_ends(ontology, kind, from_type, to_type)
    except ValidationError:
        return False
    return True
