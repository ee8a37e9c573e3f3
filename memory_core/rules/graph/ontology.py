"""
Lookup of entity and relation types in an ontology.

1. A type matches in any letter case, with spaces, hyphens, underscores or no separator, and by its
   synonyms; it is stored in one spelling.
2. An inverse alias swaps the ends: "Acme employs Ann" is Ann WORKS_AT Acme. So the direction
   follows from the given type.
3. A symmetric relation is stored with its ends ordered by id, so that both directions are the same
   triple.
4. Built-in types (session, breakthrough, concept) are part of every ontology.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from memory_core.errors import ValidationError
from memory_core.model.graph.ontology import Ontology, RelationType
from memory_core.rules.graph.ontology_file import parse_ontology
from memory_core.rules.graph.vocabulary import (
    ANY,
    allows_ends,
    fold_type,
    similar_types,
    snake_case,
    upper_snake_case,
)

__all__ = [
    "canonical_entity_type",
    "canonical_relation_type",
    "check_ends",
    "crosses_projects",
    "describe_ontology",
    "is_symmetric",
    "named_relation_type",
    "parse_ontology",
    "stored_triple",
    "suggest_relation",
    "verbatim_type",
]

# Maximum length of a custom type name.
LONGEST_NAME = 64


def canonical_entity_type(ontology: Ontology, name: str) -> str:
    """Return the stored spelling of *name*; raise ValidationError listing the valid types."""
    words = _compile(ontology)
    known = words.entity_types.get(fold_type(name))
    if known is not None:
        return known
    if not ontology.custom_entity_types:
        valid = [type.name for type in ontology.entity_types]
        raise _unknown_type_error("entity type", name, valid, words.entity_words)
    return _validate_custom_name("entity type", snake_case(name))


def canonical_relation_type(ontology: Ontology, name: str) -> str:
    """
    Return the stored spelling of *name*; raise ValidationError listing the valid types.

    An inverse alias returns its type as well: stored_triple() swaps the ends.
    """
    return _read_relation_type(ontology, name).type.name


def check_ends(ontology: Ontology, relation_type: str, from_type: str, to_type: str) -> None:
    """
    Raise ValidationError, naming the rule, unless the relation may connect these entity types.
    """
    reading = _read_relation_type(ontology, relation_type)
    ends = _known_entity_type(ontology, from_type), _known_entity_type(ontology, to_type)
    if reading.backwards:
        ends = ends[1], ends[0]
    if not allows_ends(reading.type, *ends):
        raise _wrong_ends_error(ontology, reading.type, *ends)


def stored_triple(
    ontology: Ontology, relation_type: str, from_id: str, to_id: str
) -> tuple[str, str, str]:
    """Return type, source and target as the triple is stored."""
    reading = _read_relation_type(ontology, relation_type)
    if reading.backwards or (reading.type.symmetric and to_id < from_id):
        from_id, to_id = to_id, from_id
    return reading.type.name, from_id, to_id


def verbatim_type(name: str) -> str:
    """Return the stored spelling of a relation type that the ontology does not define."""
    spelled = upper_snake_case(re.sub(r"[^\w\s-]+", " ", name))[:LONGEST_NAME].strip("_")
    if not spelled:
        raise ValidationError(f"{name[:LONGEST_NAME]!r} has no letter and no digit.")
    return spelled


def named_relation_type(ontology: Ontology, name: str) -> str:
    """Return the type of this very name, no synonym, or verbatim_type() if there is none."""
    wanted = fold_type(name)
    named = (type.name for type in ontology.relation_types if fold_type(type.name) == wanted)
    return next(named, "") or verbatim_type(name)


def crosses_projects(ontology: Ontology, relation_type: str) -> bool:
    """Return whether the relation may connect different projects."""
    return _read_relation_type(ontology, relation_type).type.bridge


def is_symmetric(ontology: Ontology, relation_type: str) -> bool:
    """Return whether a stored relation type of the ontology has no direction."""
    return any(type.symmetric for type in ontology.relation_types if type.name == relation_type)


def suggest_relation(ontology: Ontology, from_type: str, to_type: str) -> str:
    """
    Return the relation to propose between two types; RELATED_TO if there is no better one.

    The direction matters: for an unordered pair, try both.
    """
    suggestions = _compile(ontology).suggestions
    from_type, to_type = (
        _known_entity_type(ontology, from_type),
        _known_entity_type(ontology, to_type),
    )
    for pair in ((from_type, to_type), (from_type, ANY), (ANY, to_type)):
        if pair in suggestions:
            return suggestions[pair]
    return "RELATED_TO"


@dataclass(frozen=True)
class _Reading:
    type: RelationType
    backwards: bool = False


@dataclass(frozen=True)
class _Words:
    """Lookup tables of an ontology by folded word."""

    entity_types: Mapping[str, str]
    relation_types: Mapping[str, _Reading]
    # Names and synonyms as they are written, with their types.
    entity_words: Mapping[str, str]
    relation_words: Mapping[str, str]
    suggestions: Mapping[tuple[str, str], str]


@lru_cache(maxsize=8)
def _compile(ontology: Ontology) -> _Words:
    relation_types: dict[str, _Reading] = {}
    for type in ontology.relation_types:
        ahead, back = _Reading(type), _Reading(type, backwards=True)
        relation_types |= {fold_type(word): ahead for word in (type.name, *type.aliases)}
        relation_types |= {fold_type(word): back for word in type.inverse_aliases}
    return _Words(
        entity_types={
            fold_type(word): type.name
            for type in ontology.entity_types
            for word in (type.name, *type.aliases)
        },
        relation_types=relation_types,
        entity_words={
            word: type.name for type in ontology.entity_types for word in (type.name, *type.aliases)
        },
        relation_words={
            word: type.name
            for type in ontology.relation_types
            for word in (type.name, *type.aliases, *type.inverse_aliases)
        },
        suggestions={
            (suggestion.from_type, suggestion.to_type): suggestion.relation_type
            for suggestion in ontology.suggested_relations
        },
    )


def _read_relation_type(ontology: Ontology, name: str) -> _Reading:
    words = _compile(ontology)
    known = words.relation_types.get(fold_type(name))
    if known is not None:
        return known
    if not ontology.custom_relation_types:
        valid = [type.name for type in ontology.relation_types]
        raise _unknown_type_error("relation type", name, valid, words.relation_words)
    return _Reading(
        RelationType(name=_validate_custom_name("relation type", upper_snake_case(name)))
    )


def _known_entity_type(ontology: Ontology, entity_type: str) -> str:
    """Return the stored spelling; a type of an older ontology is returned unchanged."""
    return _compile(ontology).entity_types.get(fold_type(entity_type), entity_type)


def _validate_custom_name(kind: str, name: str) -> str:
    if len(name) > LONGEST_NAME or not name.replace("_", "").isalnum():
        raise ValidationError(
            f"{name[:LONGEST_NAME]!r} is not a valid {kind}: "
            f"use letters and digits, at most {LONGEST_NAME} characters."
        )
    return name


def _unknown_type_error(
    kind: str, name: str, valid: list[str], words: Mapping[str, str]
) -> ValidationError:
    close = similar_types(name[:LONGEST_NAME], words)
    listed = ", ".join(close + [type for type in valid if type not in close])
    hint = f" Did you mean {_format_choices(close[:3])}?" if close else ""
    return ValidationError(f"Unknown {kind} {name[:LONGEST_NAME]!r}.{hint} Valid: {listed}.")


def _wrong_ends_error(
    ontology: Ontology, type: RelationType, from_type: str, to_type: str
) -> ValidationError:
    rule = f"{type.name} goes from {_format_types(type.domain)} to {_format_types(type.range)}"
    if allows_ends(type, to_type, from_type):
        fix = "Swap the two ends: the other direction is allowed."
    else:
        fitting = suggest_relation(ontology, from_type, to_type)
        fix = f"Use another relation type, such as {fitting}."
    return ValidationError(f"{rule}, not from {from_type} to {to_type}. {fix}")


def _format_types(entity_types: tuple[str, ...]) -> str:
    return "anything" if ANY in entity_types else _format_choices(entity_types)


def _format_choices(names: Iterable[str]) -> str:
    *some, last = names
    return f"{', '.join(some)} or {last}" if some else last


def describe_ontology(
    ontology: Ontology, from_type: str = "", to_type: str = "", *, details: bool = False
) -> Ontology:
    """
    Return the types for readers, without rules about suggestions.

    With entity types, return only the relation types that may connect them; an empty one is any.
    Without *details*, leave out synonyms and the ends of relations.
    """
    ends = [canonical_entity_type(ontology, name) if name else "" for name in (from_type, to_type)]
    found = [type for type in ontology.relation_types if _may_connect(type, *ends)]
    kinds = [type for type in ontology.entity_types if not any(ends) or type.name in ends]
    if not details:
        found = [
            type.model_copy(
                update={"aliases": (), "inverse_aliases": (), "domain": (), "range": ()}
            )
            for type in found
        ]
        kinds = [type.model_copy(update={"aliases": ()}) for type in kinds]
    return ontology.model_copy(
        update={
            "entity_types": tuple(kinds),
            "relation_types": tuple(found),
            "suggested_relations": (),
        }
    )


def _may_connect(type: RelationType, start: str, end: str) -> bool:
    if start and end:
        return allows_ends(type, start, end)
    if start:
        sources = (*type.domain, *(type.range if type.symmetric else ()))
        return ANY in sources or start in sources
    if end:
        targets = (*type.range, *(type.domain if type.symmetric else ()))
        return ANY in targets or end in targets
    return True
