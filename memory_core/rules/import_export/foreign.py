"""
Items of import files of other programs, and the graph format of knowledge-graph servers.

An item is an entity, a fact about it, a relation, a standalone note, or a fault. Names and texts
are validated on creation. A fault is a part of a line that an import leaves out.
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
    occurred_at: str = ""
    certainty: str = "confirmed"


@dataclass(frozen=True)
class ImportedRelation:
    start: str
    end: str
    kind: str
    weight: float = 1.0
    confidence: float = 1.0
    properties: Mapping[str, JsonValue] = field(default_factory=dict)


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


@dataclass(frozen=True)
class ImportFault:
    """A part of a line that cannot be imported."""

    why: str


ImportedItem = ImportedEntity | ImportedFact | ImportedRelation | ImportedNote | ImportFault

# Names of the fields of a graph line, in order of preference.
_TYPE = ("entityType", "entity_type", "node_type")
_START = ("from", "source", "from_node_id", "from_id")
_END = ("to", "target", "to_node_id", "to_id")
_RELATION = ("relationType", "relation_type", "relationship_type", "predicate")
_FACTS = ("observations", "contents")
_TEXT = ("content", "text", "contents", "observation", "fact")
_WHEN = ("occurred_at", "occurredAt", "timestamp", "created_at", "createdAt", "date")


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


def make_fact(
    of: object, text: object, *, occurred_at: str = "", certainty: str = "confirmed"
) -> ImportedFact:
    return ImportedFact(
        limits.validate_name("what it is about", _require_text("what it is about", of)),
        limits.validate_text("an observation", _require_text("an observation", text)),
        occurred_at,
        limits.validate_name("certainty", certainty),
    )


def make_relation(
    start: object,
    end: object,
    kind: object,
    *,
    weight: float = 1.0,
    confidence: float = 1.0,
    properties: Mapping[str, JsonValue] | None = None,
) -> ImportedRelation:
    return ImportedRelation(
        limits.validate_name("its start", _require_text("its start", start)),
        limits.validate_name("its end", _require_text("its end", end)),
        limits.validate_name("its type", _require_text("its type", kind)),
        limits.validate_finite("its weight", weight),
        limits.validate_share("its confidence", confidence),
        limits.validate_properties(properties or {}),
    )


def graph_shape(value: object) -> str:
    """Return "entity", "relation" or "facts" for a line of a knowledge graph, or ""."""
    if not isinstance(value, dict):
        return ""
    if value.get("type") in ("entity", "relation"):
        return str(value["type"])
    if _first(value, _START) and _first(value, _END):
        return "relation"
    if isinstance(value.get("entityName"), str) and _first(value, _FACTS):
        return "facts"
    is_entity = isinstance(value.get("name"), str) and _first(value, (*_TYPE, "observations"))
    return "entity" if is_entity else ""


def is_graph(value: object) -> bool:
    """Return whether *value* is a whole graph: an object of two lists, or a list of lines."""
    if isinstance(value, list):
        return any(map(graph_shape, value))
    return (
        isinstance(value, dict)
        and isinstance(value.get("entities"), list)
        and isinstance(value.get("relations", []), list)
    )


def parse_graph_line(value: object) -> list[ImportedItem]:
    """Return the items of one line; raise ValidationError if it is none of a graph."""
    if not isinstance(value, dict):
        raise ValidationError("not a JSON object")
    shape = graph_shape(value)
    if not shape:
        raise ValidationError("neither an entity (name, entityType) nor a relation (from, to)")
    rest = {name: field for name, field in value.items() if field is not None}
    if rest.get("type") == shape:
        del rest["type"]
    if shape == "relation":
        return [_parse_relation(rest)]
    if shape == "facts":
        return list(_parse_facts(str(rest.pop("entityName")), rest))
    return _parse_entity(rest)


def iter_graph_lines(graph: object) -> Iterator[tuple[str, object]]:
    """Yield place and line for each part of a whole graph."""
    if isinstance(graph, list):
        yield from ((f"item {number}", part) for number, part in enumerate(graph, start=1))
    elif isinstance(graph, dict):
        for kind, among in (("entity", "entities"), ("relation", "relations")):
            for number, part in enumerate(graph.get(among, []), start=1):
                where = f"{kind} {number}"
                yield where, {**part, "type": kind} if isinstance(part, dict) else part


def unknown_graph_fields(graph: object) -> list[str]:
    """Return the top-level fields of a whole graph that are not imported."""
    known = ("entities", "relations", "type")
    return [str(name) for name in graph if name not in known] if isinstance(graph, dict) else []


def _parse_entity(rest: dict[str, Any]) -> list[ImportedItem]:
    """Parse an entity; fields that we do not know become properties."""
    kind = _take(rest, (*_TYPE, "type"), "")
    facts = {name: rest.pop(name) for name in _FACTS if name in rest}
    given = rest.pop("properties", {})
    aliases = rest.pop("aliases", [])
    name = rest.pop("name", None)
    if not isinstance(given, dict):
        given = {"properties": given}
    if not isinstance(aliases, list):
        aliases = [aliases]
    key = str(rest.get("id", ""))[: limits.MAX_NAME]
    entity = make_entity(name, kind, key=key, properties={**rest, **given}, aliases=aliases)
    return [entity, *_parse_facts(entity.key, facts)]


def _parse_facts(of: str, rest: dict[str, Any]) -> Iterator[ImportedItem]:
    """Yield facts; what is none is a fault, and does not hold up the others."""
    facts = _take(rest, _FACTS, [])
    yield from (ImportFault(f"the field {name[:60]!r} was left out") for name in rest)
    if not isinstance(facts, list):
        raise ValidationError("observations is not a list")
    for number, fact in enumerate(facts, start=1):
        try:
            yield from _parse_fact(of, fact)
        except ValidationError as error:
            yield ImportFault(f"observation {number}: {error}")


def _parse_fact(of: str, fact: object) -> Iterator[ImportedItem]:
    if not isinstance(fact, dict):
        yield make_fact(of, fact)
        return
    rest = dict(fact)
    text, when = _take(rest, _TEXT, None), _take(rest, _WHEN, "")
    certainty = str(rest.pop("certainty", "confirmed"))
    yield make_fact(of, text, occurred_at=str(when), certainty=certainty)
    for name in rest:
        yield ImportFault(f"the field {name[:60]!r} of an observation was left out")


def _parse_relation(rest: dict[str, Any]) -> ImportedRelation:
    start, end = _take(rest, _START, None), _take(rest, _END, None)
    kind = _take(rest, (*_RELATION, "type"), "related to")
    given = rest.pop("properties", {})
    if not isinstance(given, dict):
        given = {"properties": given}
    weight, confidence = (
        rest.pop(name) if _is_number(rest.get(name)) else 1.0 for name in ("weight", "confidence")
    )
    if not 0 <= confidence <= 1:
        rest["confidence"], confidence = confidence, 1.0
    return make_relation(
        start, end, kind, weight=weight, confidence=confidence, properties={**rest, **given}
    )


def _first(value: Mapping[str, object], names: Iterable[str]) -> str:
    return next((name for name in names if value.get(name) is not None), "")


def _take(rest: dict[str, Any], names: Iterable[str], default: Any) -> Any:
    name = _first(rest, names)
    return rest.pop(name) if name else default


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _require_text(what: str, value: object) -> str:
    if not isinstance(value, str):
        raise ValidationError(f"{what} is missing or not a string")
    return value
