"""
Parsing and validation of an ontology file.

A mistake would surface much later as a rejected or misinterpreted relation, so everything is
validated here, and each message names the place. Built-in types are added if the file does not
declare them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence

from pydantic import ValidationError as PydanticValidationError

from memory_core.errors import ConfigurationError
from memory_core.model.graph.ontology import EntityType, Ontology, RelationType
from memory_core.rules.graph.vocabulary import (
    ANY,
    allows_ends,
    fold_type,
    snake_case,
    upper_snake_case,
)

_BUILTIN_ENTITY_TYPES = (
    EntityType(name="session", description="A work session with an assistant."),
    EntityType(name="breakthrough", description="An important insight."),
    EntityType(name="concept", description="An idea, or a named group of related entities."),
)
_BUILTIN_RELATION_TYPES = (
    RelationType(
        name="RELATED_TO",
        description="Two entities are related in a way that no other type describes.",
        symmetric=True,
        bridge=True,
    ),
    RelationType(
        name="PRECEDED_BY",
        description="The previous session.",
        domain=("session",),
        range=("session",),
    ),
    RelationType(
        name="BREAKTHROUGH_IN",
        description="The session of a breakthrough.",
        domain=("breakthrough",),
        range=("session",),
    ),
    RelationType(
        name="MEMBER_OF",
        description="An entity belongs to a concept.",
        range=("concept",),
    ),
    RelationType(
        name="MENTIONED_IN",
        description="The session in which an entity was mentioned.",
        range=("session",),
    ),
)


def parse_ontology(text: str) -> Ontology:
    """Return the ontology in *text*; raise ConfigurationError for the first error."""
    ontology = _add_builtin_types(_parse_json(text))
    _check_names("entity_types", ontology.entity_types, snake_case)
    _check_names("relation_types", ontology.relation_types, upper_snake_case)
    _check_relation_types(ontology)
    _check_memory_can_write(ontology)
    _check_suggestions(ontology)
    return ontology


def _parse_json(text: str) -> Ontology:
    text = text.removeprefix("\ufeff")
    try:
        json.loads(text, object_pairs_hook=_reject_duplicates)
        return Ontology.model_validate_json(text, strict=True)
    except PydanticValidationError as error:
        raise _ontology_error(*_first_error(error)) from error
    except json.JSONDecodeError as error:
        place = f"line {error.lineno} column {error.colno}"
        raise _ontology_error(place, f"invalid JSON: {error.msg}") from error
    except RecursionError as error:
        raise _ontology_error("the file", "too deeply nested") from error
    except UnicodeError as error:
        raise _ontology_error("the file", "it contains a lone surrogate") from error


def _reject_duplicates(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Build an object; JSON itself silently keeps the last of two equal keys."""
    names: set[str] = set()
    for name, _ in pairs:
        if name in names:
            raise _ontology_error(f"the object of {pairs[0][0]!r}", f"duplicate key {name!r}")
        names.add(name)
    return dict(pairs)


def _first_error(error: PydanticValidationError) -> tuple[str, str]:
    first = error.errors(include_url=False)[0]
    place = ""
    for step in first["loc"]:
        place += f"[{step}]" if isinstance(step, int) else f".{step}"
    return place.lstrip(".") or "the file", first["msg"]


def _add_builtin_types(ontology: Ontology) -> Ontology:
    entity_types = {type.name for type in ontology.entity_types}
    relation_types = {type.name for type in ontology.relation_types}
    return ontology.model_copy(
        update={
            "entity_types": ontology.entity_types
            + tuple(type for type in _BUILTIN_ENTITY_TYPES if type.name not in entity_types),
            "relation_types": ontology.relation_types
            + tuple(type for type in _BUILTIN_RELATION_TYPES if type.name not in relation_types),
        }
    )


def _check_names(
    list_name: str,
    types: Sequence[EntityType | RelationType],
    spelling: Callable[[str], str],
) -> None:
    """Check that all names have their canonical spelling and no synonym is ambiguous."""
    owners: dict[str, str] = {}
    for place, name, type in _iter_words(list_name, types):
        if not fold_type(name) or fold_type(name) == ANY:
            raise _ontology_error(place, f"{name!r} is not a name")
        if name == type and name != spelling(name):
            raise _ontology_error(place, f"write {name!r} as {spelling(name)!r}")
        owner = owners.setdefault(fold_type(name), f"{place} ({type})")
        if owner != f"{place} ({type})":
            raise _ontology_error(place, f"{name!r} is already used at {owner}")


def _iter_words(
    list_name: str, types: Sequence[EntityType | RelationType]
) -> Iterator[tuple[str, str, str]]:
    """Yield place, word and type for all names and synonyms."""
    for number, type in enumerate(types):
        place = f"{list_name}[{number}]"
        yield f"{place}.name", type.name, type.name
        for index, alias in enumerate(type.aliases):
            yield f"{place}.aliases[{index}]", alias, type.name
        if isinstance(type, RelationType):
            for index, alias in enumerate(type.inverse_aliases):
                yield f"{place}.inverse_aliases[{index}]", alias, type.name


def _check_relation_types(ontology: Ontology) -> None:
    known = {type.name for type in ontology.entity_types} | {ANY}
    by_name = {type.name: type for type in ontology.relation_types}
    for number, type in enumerate(ontology.relation_types):
        place = f"relation_types[{number}]"
        _check_end(f"{place}.domain", type.domain, known)
        _check_end(f"{place}.range", type.range, known)
        if type.symmetric and (type.inverse or type.inverse_aliases):
            raise _ontology_error(place, f"{type.name} is symmetric, so it cannot have an inverse")
        if type.inverse:
            _check_inverse(f"{place}.inverse", type, by_name)


def _check_end(place: str, entity_types: tuple[str, ...], known: set[str]) -> None:
    if not entity_types:
        raise _ontology_error(place, "the list is empty; give entity types, or '*' for any")
    for entity_type in entity_types:
        if entity_type not in known:
            raise _ontology_error(place, f"unknown entity type {entity_type!r}")


def _check_inverse(place: str, type: RelationType, by_name: dict[str, RelationType]) -> None:
    inverse = by_name.get(type.inverse)
    if inverse is None:
        raise _ontology_error(place, f"unknown relation type {type.inverse!r}")
    if inverse is type:
        raise _ontology_error(
            place, f"{type.name} is its own inverse; write symmetric: true instead"
        )
    if inverse.inverse != type.name:
        raise _ontology_error(place, f"{type.inverse} does not name {type.name} as its inverse")
    if set(inverse.domain) != set(type.range) or set(inverse.range) != set(type.domain):
        raise _ontology_error(
            place, f"{type.inverse} must have the domain and range of {type.name}, swapped"
        )


def _check_memory_can_write(ontology: Ontology) -> None:
    """Check that the relations written by sessions, discovery and the librarian are allowed."""
    by_name = {type.name: type for type in ontology.relation_types}
    for own in _BUILTIN_RELATION_TYPES:
        type = by_name[own.name]
        for from_type in own.domain:
            for to_type in own.range:
                if not allows_ends(type, from_type, to_type):
                    raise _ontology_error(
                        type.name,
                        f"it must allow {from_type} to {to_type}, which the memory itself writes",
                    )


def _check_suggestions(ontology: Ontology) -> None:
    """Check that every suggestion is valid and unique."""
    known = {type.name for type in ontology.entity_types} | {ANY}
    by_name = {type.name: type for type in ontology.relation_types}
    pairs: set[tuple[str, str]] = set()
    for number, suggestion in enumerate(ontology.suggested_relations):
        place = f"suggested_relations[{number}]"
        pair = suggestion.from_type, suggestion.to_type
        _check_end(place, pair, known)
        type = by_name.get(suggestion.relation_type)
        if type is None:
            raise _ontology_error(place, f"unknown relation type {suggestion.relation_type!r}")
        if not allows_ends(type, *pair):
            raise _ontology_error(place, f"{type.name} does not go from {pair[0]} to {pair[1]}")
        if pair in pairs:
            raise _ontology_error(place, f"duplicate suggestion from {pair[0]} to {pair[1]}")
        pairs.add(pair)


def _ontology_error(place: str, what: str) -> ConfigurationError:
    return ConfigurationError(f"The ontology cannot be used. In {place}: {what}.")
