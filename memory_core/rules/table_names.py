"""Names of record kinds by table."""

from __future__ import annotations

_IRREGULAR = {"entries": "entry", "entities": "entity", "chunks": "document chunk"}


def kind_for_table(table: str) -> str:
    """Return the name of one row of *table*: entities are each an entity."""
    return _IRREGULAR.get(table) or table.removesuffix("s").replace("_", " ")


def table_for_kind(kind: str) -> str:
    """Return the table whose rows are of that kind."""
    tables = {name: table for table, name in _IRREGULAR.items()}
    return tables.get(kind) or f"{kind.replace(' ', '_')}s"


def row_label(state: dict[str, object]) -> str:
    """Return what a row is called, or how its text begins."""
    for field in ("name", "title", "summary", "content", "message", "text", "relationship_type"):
        text = state.get(field)
        if isinstance(text, str) and text.strip():
            return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
    return ""


def public_id(state: dict[str, object], row_id: str) -> str:
    """Return the id by which callers know a row."""
    return str(state.get("key") or row_id)


# Long enough to recognise a text by, short enough for a list.
_SHOWN = 80
