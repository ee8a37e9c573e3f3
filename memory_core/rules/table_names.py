"""Singular names of tables, and labels of their rows."""

from __future__ import annotations

_IRREGULAR = {"entries": "entry", "entities": "entity", "chunks": "document chunk"}


def kind_for_table(table: str) -> str:
    """Return the singular name of a table, such as entity for entities."""
    return _IRREGULAR.get(table) or table.removesuffix("s").replace("_", " ")


def table_for_kind(kind: str) -> str:
    tables = {name: table for table, name in _IRREGULAR.items()}
    return tables.get(kind) or f"{kind.replace(' ', '_')}s"


def row_label(state: dict[str, object]) -> str:
    """Return the name of a row, or the beginning of its text."""
    for field in ("name", "title", "summary", "content", "message", "text", "relationship_type"):
        text = state.get(field)
        if isinstance(text, str) and text.strip():
            return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
    return ""


def public_id(state: dict[str, object], row_id: str) -> str:
    """Return the id that callers use for a row."""
    return str(state.get("key") or row_id)


# Long enough to recognize a text, short enough for a list.
_SHOWN = 80
