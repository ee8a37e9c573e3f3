"""Database of the earlier Turbovec MCP: nodes, edges, observations and bottles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ....errors import ValidationError
from ....model.graph.bottles import PRIORITIES
from ...graph.ontology import canonical_entity_type, crosses_projects, named_relation_type
from ...graph.vocabulary import fold_type
from .conversion import (
    Conversion,
    ConvertedRow,
    Row,
    format_json,
    other_columns,
    parse_object,
    stable_id,
)

TABLES: Mapping[str, frozenset[str]] = {
    "nodes": frozenset({"id", "name", "node_type", "project_id", "properties"}),
    "edges": frozenset({"from_node_id", "to_node_id", "relationship_type"}),
    "observations": frozenset({"entity_id", "content"}),
}

_DERIVED = ("entities_fts", "vector_id_mapping")
OTHER_TYPE, WORD, WORDS = "concept", "original_type", "original_types"
# Directed, and between any entities of any projects.
BRIDGE = "REFERENCES"


@dataclass(frozen=True)
class _Node:
    row_id: str
    project_id: str


def convert(source: Conversion) -> Iterator[ConvertedRow]:
    """Yield our rows, entities first."""
    nodes: dict[str, _Node] = {}
    for row in source.rows("nodes"):
        yield _entity(source, row, nodes)
    for row in source.rows("observations"):
        yield _observation(source, row, nodes)
    for row in source.rows("edges"):
        yield _relation(source, row, nodes)
    if "bottles" in source.tables:
        for row in source.rows("bottles"):
            yield _bottle(source, row)
    source.leave_out_tables((*TABLES, "bottles"), _DERIVED)


def _entity(source: Conversion, row: Row, nodes: dict[str, _Node]) -> ConvertedRow:
    key = str(row.pop("id"))
    where = f"nodes {key}"
    project = source.project_id or str(row.pop("project_id", "") or "default")
    row.pop("project_id", None)
    nodes[key] = _Node(stable_id("node", project, key), project)
    if row.pop("retrieval_count", 0):
        source.leave_out("nodes.retrieval_count")
    properties = parse_object(row.pop("properties", None))
    kind = str(row.pop("node_type"))
    node_type = _entity_type(source, kind)
    if fold_type(node_type) != fold_type(kind):
        properties.setdefault(WORD, kind)
    status = str(row.pop("status", "") or "ACTIVE").upper()
    created = row.pop("created_at", None)
    updated = row.pop("updated_at", None) or created
    result = {
        "id": nodes[key].row_id,
        "project_id": project,
        "key": key,
        "name": row.pop("name"),
        "node_type": node_type,
        "certainty": row.pop("certainty", None) or "confirmed",
        "occurred_at": source.take_moment(row, "occurred_at", where),
        "created_at": created,
        "updated_at": updated,
    }
    result |= _take_archival(status, properties, updated)
    if row.get("salience_score") == 1.0:
        del row["salience_score"]
    if node_type == "session":
        _rename_state(properties)
    result["properties"] = format_json({**other_columns(row), **properties})
    return where, "entities", result


def _take_archival(status: str, properties: dict[str, Any], updated: object) -> Row:
    """Return the columns of a status; a status that we do not have becomes a property."""
    if status != "ARCHIVED":
        if status != "ACTIVE":
            properties.setdefault("original_status", status)
        return {"status": "active"}
    archived = properties.pop("archived_metadata", None)
    details: Mapping[str, Any] = archived if isinstance(archived, dict) else {}
    return {
        "status": "archived",
        "archived_at": details.get("archived_at") or updated,
        "archive_reason": str(details.get("reason") or ""),
    }


def _entity_type(source: Conversion, kind: str) -> str:
    try:
        return canonical_entity_type(source.ontology, kind)
    except ValidationError:
        source.map_word(kind, OTHER_TYPE)
        return OTHER_TYPE


def _rename_state(properties: dict[str, Any]) -> None:
    """Name the state of a session as ours is named."""
    if "state" not in properties and properties.get("status") in ("active", "closed"):
        properties["state"] = properties.pop("status")


def _observation(source: Conversion, row: Row, nodes: Mapping[str, _Node]) -> ConvertedRow:
    id = str(row.pop("id"))
    where = f"observations {id}"
    owner = str(row.pop("entity_id"))
    node = nodes.get(owner, _Node(owner, source.project_id or "default"))
    created = row.pop("created_at", None)
    result = {
        "id": id,
        "project_id": node.project_id,
        "entity_id": node.row_id,
        "content": row.pop("content"),
        "certainty": row.pop("certainty", None) or "confirmed",
        "occurred_at": source.take_moment(row, "occurred_at", where),
        "created_at": created,
        "updated_at": created,
    }
    for name in other_columns(row):
        source.leave_out(f"observations.{name}")
    return where, "observations", result


def _relation(source: Conversion, row: Row, nodes: Mapping[str, _Node]) -> ConvertedRow:
    id, word = str(row.pop("id")), str(row.pop("relationship_type"))
    start, end = (str(row.pop(name)) for name in ("from_node_id", "to_node_id"))
    here = nodes.get(start, _Node(start, source.project_id or "default"))
    there = nodes.get(end, _Node(end, here.project_id))
    properties = parse_object(row.pop("properties", None))
    kind = _relation_type(source, word, bridges=here.project_id != there.project_id)
    if kind.casefold() != word.casefold():
        properties.setdefault(WORDS, [word])
    confidence, weight = (_number(row.pop(name, None)) for name in ("confidence", "weight"))
    if not 0 <= confidence <= 1:
        properties.setdefault("original_confidence", confidence)
        confidence = min(max(confidence, 0.0), 1.0)
    created = row.pop("created_at", None)
    result = {
        "id": stable_id("edge", here.project_id, id),
        "project_id": here.project_id,
        "from_id": here.row_id,
        "to_id": there.row_id,
        "relationship_type": kind,
        "weight": weight,
        "confidence": confidence,
        "properties": format_json({**other_columns(row), **properties}),
        "created_at": created,
        "updated_at": created,
    }
    return f"edges {id}", "relations", result


def _relation_type(source: Conversion, word: str, *, bridges: bool) -> str:
    """Return the type of this name, whatever its synonyms are; only some bridge projects."""
    kind = named_relation_type(source.ontology, word)
    try:
        may_bridge = crosses_projects(source.ontology, kind)
    except ValidationError:
        may_bridge = False
    result = kind if may_bridge or not bridges else BRIDGE
    if result.casefold() != word.casefold():
        source.map_word(word, result)
    return result


def _bottle(source: Conversion, row: Row) -> ConvertedRow:
    id, created = str(row.pop("id")), row.pop("created_at", None)
    where = f"bottles {id}"
    priority = str(row.pop("priority", "") or "medium").lower()
    known: tuple[str, ...] = PRIORITIES
    if priority not in known:
        source.map_word(f"priority {priority}", "medium")
        priority = "medium"
    is_read = bool(row.pop("acknowledged", 0))
    result = {
        "id": id,
        "project_id": source.project_id or str(row.pop("project_id", "") or "default"),
        "message": row.pop("message"),
        "priority": known.index(priority),
        "author": "Turbovec MCP",
        "author_session_id": row.pop("author_session_id", None) or "",
        "expires_at": source.take_moment(row, "expires_at", where),
        # When is not recorded.
        "acknowledged_at": created if is_read else None,
        "created_at": created,
    }
    row.pop("project_id", None)
    for name in other_columns(row):
        source.leave_out(f"bottles.{name}")
    return where, "bottles", result


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 1.0
