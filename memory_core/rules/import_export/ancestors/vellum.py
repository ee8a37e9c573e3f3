"""Database of VellumMem: entries with five tags, their context chunks, and settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import get_args

from ....errors import ValidationError
from ....model.facts.entries import Category
from ...facts.entries import validate_summary, validate_tags
from .conversion import Conversion, ConvertedRow, Row, format_json, other_columns, parse_list

TABLES: Mapping[str, frozenset[str]] = {
    "human_timeline": frozenset({"id", "summary", "tags", "create_timestamp"}),
    "conversation_context": frozenset({"id", "timeline_id", "context"}),
}

# Vectors and groups are computed from the entries.
_DERIVED = ("entry_vectors", "memory_groups")
_CATEGORIES: tuple[str, ...] = get_args(Category)


def convert(source: Conversion) -> Iterator[ConvertedRow]:
    """Yield entries, then their context in its order."""
    order: dict[str, int] = {}
    last: dict[str, int] = {}
    for row in source.rows("human_timeline"):
        for position, chunk in enumerate(parse_list(row.pop("conversation_context_link", None))):
            order[str(chunk)] = position
            last[str(row["id"])] = position
        yield _entry(source, row)
    for row in source.rows("conversation_context"):
        yield _chunk(source, row, order, last)
    if "config" in source.tables:
        for row in source.rows("config"):
            source.leave_out(f"setting {row.get('key')} = {row.get('value')}"[:200])
    source.leave_out_tables((*TABLES, "config"), _DERIVED)


def _entry(source: Conversion, row: Row) -> ConvertedRow:
    id = str(row.pop("id"))
    where = f"human_timeline {id}"
    summary, tags = str(row.pop("summary") or ""), [str(tag) for tag in parse_list(row.pop("tags"))]
    category = str(row.pop("category", "") or "conversation")
    created = source.take_moment(row, "create_timestamp", where)
    is_time_sensitive = bool(row.pop("is_time_sensitive", 0))
    result = {
        "id": id,
        "project_id": source.project_id or "default",
        "form": "entry" if _is_entry(summary, tags) else "fact",
        "summary": summary,
        "tags": format_json(tags),
        "category": category if category in _CATEGORIES else "other",
        "is_time_sensitive": int(is_time_sensitive),
        "expires_at": source.take_moment(row, "ttl_timestamp", where),
        "created_at": created,
        "updated_at": source.take_moment(row, "update_timestamp", where) or created,
    }
    metadata = other_columns(row)
    if category not in _CATEGORIES:
        metadata["original_category"] = category
        source.map_word(category, "other")
    result["metadata"] = format_json(metadata)
    return where, "entries", result


def _chunk(
    source: Conversion, row: Row, order: Mapping[str, int], last: dict[str, int]
) -> ConvertedRow:
    id, entry = str(row.pop("id")), str(row.pop("timeline_id"))
    where = f"conversation_context {id}"
    # The index of a chunk begins again with each text that was added; the entry's list does not.
    position = order.get(id)
    if position is None:
        position = last[entry] = last.get(entry, -1) + 1
    result = {
        "id": id,
        "project_id": source.project_id or "default",
        "entry_id": entry,
        "position": position,
        "text": row.pop("context"),
        "created_at": source.take_moment(row, "create_timestamp", where),
    }
    return where, "context_chunks", result


def _is_entry(summary: str, tags: list[str]) -> bool:
    try:
        return validate_summary(summary) == summary and bool(validate_tags(tags))
    except ValidationError:
        return False
