"""Recognition of tables in SQLite databases of other programs, by table and column names."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from ...errors import ValidationError
from ..limits import MAX_NAME, validate_text
from ..text.normalization import clean_name
from .export_format import parse_json
from .foreign import ImportedItem, ImportedNote, make_entity, make_fact, make_relation

Texts = Mapping[str, str]


@dataclass(frozen=True)
class TableShape:
    """
    One kind of table.

    Attributes:
        tables: Accepted table names.

        columns: Candidate columns of each field, in order of preference.

        needed: Required fields.

        items: Function that converts a row.
    """

    tables: tuple[str, ...]
    columns: Mapping[str, tuple[str, ...]]
    needed: tuple[str, ...]
    items: Callable[[Texts], list[ImportedItem]]


@dataclass(frozen=True)
class RecognizedTable:
    """A recognized table, and the column of each field."""

    table: str
    shape: TableShape
    columns: Mapping[str, str]


def recognize_tables(
    tables: Mapping[str, Sequence[str]],
) -> tuple[list[RecognizedTable], list[str]]:
    """Return the recognized tables, entities first, and the unrecognized tables and columns."""
    found: list[RecognizedTable] = []
    for shape in _SHAPES:
        for table, names in tables.items():
            columns = _match_columns(shape, names)
            is_used = any(each.table == table for each in found)
            if (
                table.lower() in shape.tables
                and not is_used
                and columns.keys() >= set(shape.needed)
            ):
                found.append(RecognizedTable(table, shape, columns))
    used = {each.table: set(each.columns.values()) for each in found}
    unknown = [
        table if table not in used else f"{table}.{name}"
        for table, names in tables.items()
        for name in (names if table in used else names[:1])
        if name not in used.get(table, ())
    ]
    return found, unknown


def _match_columns(shape: TableShape, names: Sequence[str]) -> dict[str, str]:
    by_lower_name = {name.lower(): name for name in reversed(names)}
    columns: dict[str, str] = {}
    for field, candidates in shape.columns.items():
        free = (by_lower_name[name] for name in candidates if name in by_lower_name)
        column = next((name for name in free if name not in columns.values()), None)
        if column is not None:
            columns[field] = column
    return columns


def _parse_entity(row: Texts) -> list[ImportedItem]:
    name = row.get("name") or row.get("key")
    properties = _parse_properties(row.get("properties", ""))
    entity = make_entity(
        name, row.get("kind", ""), key=clean_name(row.get("key", "")), properties=properties
    )
    texts = [*_parse_list(row.get("observations", ""), apart=""), row.get("text", "")]
    return [entity, *(make_fact(entity.key, text) for text in texts if text.strip())]


def _parse_fact(row: Texts) -> list[ImportedItem]:
    return [make_fact(row.get("of"), row.get("text"))]


def _parse_relation(row: Texts) -> list[ImportedItem]:
    return [make_relation(row.get("start"), row.get("end"), row.get("kind") or "related to")]


def _parse_note(row: Texts) -> list[ImportedItem]:
    text = validate_text("its text", row.get("text", "")).strip()
    tags = dict.fromkeys(
        clean_name(tag)[:MAX_NAME] for tag in _parse_list(row.get("tags", ""), apart=",")
    )
    rest = {
        field: clean_name(row.get(field, ""))[:MAX_NAME]
        for field in ("user_id", "agent_id", "session_id")
    }
    return [
        ImportedNote(
            text,
            tags=tuple(tag for tag in tags if tag),
            category=row.get("category", "").strip().lower(),
            created_at=row.get("created_at", ""),
            **rest,
        )
    ]


def _parse_properties(text: str) -> dict[str, JsonValue]:
    """Return a JSON object; other text becomes the property "properties"."""
    if not text.strip():
        return {}
    try:
        value = parse_json(text.encode("utf-8", "replace"))
    except ValidationError:
        value = text
    return value if isinstance(value, dict) else {"properties": value}


def _parse_list(text: str, *, apart: str) -> list[str]:
    """Return the items of a JSON list, or the parts between *apart*; "" does not split."""
    if text.lstrip().startswith("["):
        value = parse_json(text.encode("utf-8", "replace"))
        return [item if isinstance(item, str) else json.dumps(item) for item in value]
    return [part.strip() for part in (text.split(apart) if apart else [text]) if part.strip()]


_TEXT = ("content", "text", "observation", "fact", "body", "value", "description", "summary")
_TYPE = ("type", "kind", "category", "label")

_SHAPES = (
    TableShape(
        ("entities", "entity", "nodes", "node"),
        {
            "key": ("id", "key", "node_id", "entity_id", "uuid", "name", "title", "label"),
            "name": ("name", "title", "display_name", "label"),
            "kind": ("entity_type", "node_type", "entitytype", "nodetype", *_TYPE),
            "properties": ("properties", "attributes", "metadata", "props"),
            "observations": ("observations", "facts"),
            "text": ("description", "summary", "content", "text"),
        },
        ("key",),
        _parse_entity,
    ),
    TableShape(
        ("observations", "observation", "facts", "fact"),
        {
            "of": (
                "entity_id",
                "node_id",
                "entity_name",
                "entity",
                "node",
                "subject_id",
                "subject",
            ),
            "text": _TEXT,
        },
        ("of", "text"),
        _parse_fact,
    ),
    TableShape(
        ("relations", "relation", "edges", "edge", "relationships", "relationship", "links"),
        {
            "start": (
                *("from_id", "from_node_id", "from_entity_id", "from_entity", "from_node", "from"),
                *("source_id", "source_node_id", "source_entity", "source", "src", "start_id"),
                *("subject_id", "subject", "head"),
            ),
            "end": (
                *("to_id", "to_node_id", "to_entity_id", "to_entity", "to_node", "to"),
                *("target_id", "target_node_id", "target_entity", "target", "dst", "end_id"),
                *("object_id", "object", "tail"),
            ),
            "kind": (
                *("relation_type", "relationship_type", "relationtype", "edge_type", "relation"),
                *("predicate", "relationship", *_TYPE, "name"),
            ),
        },
        ("start", "end"),
        _parse_relation,
    ),
    TableShape(
        ("memories", "memory", "entries", "entry", "notes", "facts"),
        {
            "text": ("content", "text", "memory", "summary", "fact", "body", "message", "note"),
            "tags": ("tags", "keywords", "labels"),
            "category": ("category", "type", "kind"),
            "user_id": ("user_id", "user"),
            "agent_id": ("agent_id", "agent"),
            "session_id": ("session_id", "run_id", "conversation_id", "session"),
            "created_at": ("created_at", "create_timestamp", "timestamp", "created", "date"),
        },
        ("text",),
        _parse_note,
    ),
)
