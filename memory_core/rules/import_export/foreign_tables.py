"""Which tables of an unknown program hold what we know how to keep, told by their names."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from ...errors import ValidationError
from ..limits import NAME, required_text
from ..text.normalization import clean_name
from .export_format import parsed
from .foreign import Item, Memo, fact, link, thing

Texts = Mapping[str, str]


@dataclass(frozen=True)
class Shape:
    """
    One kind of table.

    Attributes:
        tables: What it may be called.

        columns: For each of our fields, the columns that may hold it, best first.

        needed: Fields without which it is another table that happens to be called so.

        items: What one of its rows says.
    """

    tables: tuple[str, ...]
    columns: Mapping[str, tuple[str, ...]]
    needed: tuple[str, ...]
    items: Callable[[Texts], list[Item]]


@dataclass(frozen=True)
class Found:
    """A table that was understood, and the column behind each of our fields."""

    table: str
    shape: Shape
    columns: Mapping[str, str]


def recognised(tables: Mapping[str, Sequence[str]]) -> tuple[list[Found], list[str]]:
    """Return the tables that are understood, entities first, and what is not, by name."""
    found: list[Found] = []
    for shape in _SHAPES:
        for table, names in tables.items():
            columns = _columns(shape, names)
            taken = any(each.table == table for each in found)
            if table.lower() in shape.tables and not taken and columns.keys() >= set(shape.needed):
                found.append(Found(table, shape, columns))
    used = {each.table: set(each.columns.values()) for each in found}
    unknown = [
        table if table not in used else f"{table}.{name}"
        for table, names in tables.items()
        for name in (names if table in used else names[:1])
        if name not in used.get(table, ())
    ]
    return found, unknown


def _columns(shape: Shape, names: Sequence[str]) -> dict[str, str]:
    there = {name.lower(): name for name in reversed(names)}
    columns: dict[str, str] = {}
    for our, theirs in shape.columns.items():
        free = (there[name] for name in theirs if name in there)
        column = next((name for name in free if name not in columns.values()), None)
        if column is not None:
            columns[our] = column
    return columns


def _things(row: Texts) -> list[Item]:
    name = row.get("name") or row.get("key")
    given = _properties(row.get("properties", ""))
    known = thing(name, row.get("kind", ""), key=clean_name(row.get("key", "")), properties=given)
    said = [*_list(row.get("observations", ""), apart=""), row.get("text", "")]
    return [known, *(fact(known.key, text) for text in said if text.strip())]


def _facts(row: Texts) -> list[Item]:
    return [fact(row.get("of"), row.get("text"))]


def _links(row: Texts) -> list[Item]:
    return [link(row.get("start"), row.get("end"), row.get("kind") or "related to")]


def _memos(row: Texts) -> list[Item]:
    text = required_text("its text", row.get("text", "")).strip()
    tags = dict.fromkeys(clean_name(tag)[:NAME] for tag in _list(row.get("tags", ""), apart=","))
    rest = {
        field: clean_name(row.get(field, ""))[:NAME]
        for field in ("user_id", "agent_id", "session_id")
    }
    return [
        Memo(
            text,
            tags=tuple(tag for tag in tags if tag),
            category=row.get("category", "").strip().lower(),
            created_at=row.get("created_at", ""),
            **rest,
        )
    ]


def _properties(text: str) -> dict[str, JsonValue]:
    """Return a JSON object, or the text under a name of its own: nothing is lost."""
    if not text.strip():
        return {}
    try:
        value = parsed(text.encode("utf-8", "replace"))
    except ValidationError:
        value = text
    return value if isinstance(value, dict) else {"properties": value}


def _list(text: str, *, apart: str) -> list[str]:
    """Return the parts of a JSON list, or what stands between *apart*; "": all of it."""
    if text.lstrip().startswith("["):
        value = parsed(text.encode("utf-8", "replace"))
        return [item if isinstance(item, str) else json.dumps(item) for item in value]
    return [part.strip() for part in (text.split(apart) if apart else [text]) if part.strip()]


_TEXT = ("content", "text", "observation", "fact", "body", "value", "description", "summary")
_TYPE = ("type", "kind", "category", "label")

_SHAPES = (
    Shape(
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
        _things,
    ),
    Shape(
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
        _facts,
    ),
    Shape(
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
        _links,
    ),
    Shape(
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
        _memos,
    ),
)
