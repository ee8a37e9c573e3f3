"""
Items of import files of other programs, and the memory server's graph format.

An item is an entity, a fact about it, a relation, or a standalone note. Names and texts are
validated on creation, so a line is imported entirely or not at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import JsonValue

from ...errors import ValidationError
from .. import limits
from ..text.normalization import clean_name


@dataclass(frozen=True)
class ImportedEntity:
    """
    An entity to import.

    Attributes:
        key: Identifier used by other rows of the file.
    """

    key: str
    name: str
    kind: str
    properties: Mapping[str, JsonValue] = field(default_factory=dict)
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True)
class ImportedFact:
    of: str
    text: str


@dataclass(frozen=True)
class ImportedRelation:
    start: str
    end: str
    kind: str


@dataclass(frozen=True)
class ImportedNote:
    """A standalone text."""

    text: str
    tags: tuple[str, ...] = ()
    category: str = ""
    user_id: str = ""
    agent_id: str = ""
    session_id: str = ""
    created_at: str = ""


ImportedItem = ImportedEntity | ImportedFact | ImportedRelation | ImportedNote


def make_entity(
    name: object,
    kind: object,
    *,
    key: str = "",
    properties: Mapping[str, JsonValue] | None = None,
    aliases: Iterable[object] = (),
) -> ImportedEntity:
    checked_name = limits.validate_name("its name", _require_text("its name", name))
    return ImportedEntity(
        key=key or checked_name,
        name=checked_name,
        kind=clean_name(_require_text("its type", kind))[: limits.MAX_NAME],
        properties=limits.validate_properties(properties or {}),
        aliases=tuple(
            limits.validate_name("an alias", _require_text("an alias", alias)) for alias in aliases
        ),
    )


def make_fact(of: object, text: object) -> ImportedFact:
    return ImportedFact(
        limits.validate_name("what it is about", _require_text("what it is about", of)),
        limits.validate_text("an observation", _require_text("an observation", text)),
    )


def make_relation(start: object, end: object, kind: object) -> ImportedRelation:
    return ImportedRelation(
        limits.validate_name("its start", _require_text("its start", start)),
        limits.validate_name("its end", _require_text("its end", end)),
        limits.validate_name("its type", _require_text("its type", kind)),
    )


def is_graph_line(value: object) -> bool:
    """Return whether *value* is a line of the reference memory server's file."""
    return isinstance(value, dict) and value.get("type") in ("entity", "relation")


def is_graph(value: object) -> bool:
    """Return whether *value* is a whole graph, as returned by read_graph of that server."""
    return (
        isinstance(value, dict)
        and isinstance(value.get("entities"), list)
        and isinstance(value.get("relations", []), list)
    )


def parse_graph_line(value: object) -> list[ImportedItem]:
    """Return the items of one line; raise ValidationError if it is no entity and no relation."""
    if not isinstance(value, dict):
        raise ValidationError("not a JSON object")
    if value.get("type") == "relation":
        return [make_relation(value.get("from"), value.get("to"), value.get("relationType"))]
    if value.get("type") != "entity":
        raise ValidationError("the type is neither entity nor relation")
    observations = value.get("observations", [])
    if not isinstance(observations, list):
        raise ValidationError("observations is not a list")
    entity = make_entity(value.get("name"), value.get("entityType", ""))
    return [entity, *(make_fact(entity.key, text) for text in observations)]


def iter_graph_lines(graph: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any] | object]]:
    """Yield place and line for each part of a whole graph."""
    for kind, among in (("entity", "entities"), ("relation", "relations")):
        for number, part in enumerate(graph.get(among, []), start=1):
            where = f"{kind} {number}"
            yield where, {**part, "type": kind} if isinstance(part, dict) else part


def _require_text(what: str, value: object) -> str:
    if not isinstance(value, str):
        raise ValidationError(f"{what} is missing or not a string")
    return value
