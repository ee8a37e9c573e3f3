"""SQLite database of turbomem: facts with a user, an agent and a session."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .conversion import Conversion, ConvertedRow, format_json, other_columns, parse_object

TABLES: Mapping[str, frozenset[str]] = {
    "memories": frozenset({"id", "content", "user_id", "agent_id", "session_id", "metadata"}),
    "turbomem_meta": frozenset({"key", "value"}),
}

_DERIVED = ("memory_embeddings",)


def convert(source: Conversion) -> Iterator[ConvertedRow]:
    """Yield a fact for each memory."""
    for row in source.rows("memories"):
        id = str(row.pop("id"))
        created = row.pop("created_at", None)
        result = {
            "id": id,
            "project_id": source.project_id or "default",
            "form": "fact",
            "summary": row.pop("content"),
            **{name: row.pop(name, None) or "" for name in ("user_id", "agent_id", "session_id")},
            "created_at": created,
            "updated_at": row.pop("updated_at", None) or created,
        }
        metadata = parse_object(row.pop("metadata", None))
        result["metadata"] = format_json({**other_columns(row), **metadata})
        yield f"memories {id}", "entries", result
    for row in source.rows("turbomem_meta"):
        source.leave_out(f"turbomem_meta: {row.get('key')} = {row.get('value')}"[:200])
    source.leave_out_tables(tuple(TABLES), _DERIVED)
