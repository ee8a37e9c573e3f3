"""Putting one row back as it was at an earlier moment, as an edit of today."""

from __future__ import annotations

from typing import Any

from memory_core.model.curation import Edit
from memory_core.model.history import RowChange

_FIELDS = {
    "entity": ("name", "node_type", "certainty", "aliases", "properties"),
    "observation": ("content", "certainty", "source"),
    "relation": (),
}


def put_back(change: RowChange, seen: int) -> list[Edit]:
    """Return the edits that make a row what it was; none if only an undo can."""
    place: dict[str, Any] = {"id": change.id, "project_id": change.project_id, "seen": seen}
    if change.kind == "relation" or change.change == "added":
        return []
    if change.change == "removed":
        # Its observations and relations come back with it.
        return [Edit(kind="entity", act="restore", **place)] if change.kind == "entity" else []
    was = {name: change.before[name] for name in _FIELDS[change.kind] if name in change.before}
    edits = [Edit(kind=change.kind, act="change", **place, **was)] if was else []
    status = change.before.get("status")
    if change.kind == "entity" and status in ("active", "archived"):
        act: Any = "restore" if status == "active" else "archive"
        edits.append(Edit(kind="entity", act=act, **place))
    return edits
