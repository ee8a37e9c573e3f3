"""Values and differences of the row states in the audit log."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from pydantic import JsonValue

from ..model.graph.entities import Entity, Observation, Relation
from ..model.history import ChangeKind
from .table_names import kind_for_table

State = Mapping[str, Any]

# Derived columns, and columns that every change updates.
_DERIVED = frozenset({"folded_key", "folded_names", "digest", "updated_at", "id", "project_id"})
_JSON = frozenset({"properties", "aliases"})
# Public names of the id columns.
_IDS = {"key": "id", "entity_id": "entity_id", "from_id": "from_node_id", "to_id": "to_node_id"}


def entity_from_state(state: State) -> Entity:
    plain = {name: state[name] for name in Entity.model_fields if name in state}
    return Entity(
        **{
            **plain,
            "row_id": state["id"],
            "id": state["key"],
            "properties": json.loads(state["properties"]),
            "aliases": json.loads(state["aliases"]),
        }
    )


def observation_from_state(state: State, entity_id: str) -> Observation:
    plain = {name: state[name] for name in Observation.model_fields if name in state}
    return Observation(
        **{**plain, "entity_id": entity_id, "superseded_by": state["superseded_by"] or ""}
    )


def relation_from_state(state: State, names: Mapping[str, str]) -> Relation:
    """Return the relation; *names* maps row ids to entity keys."""
    plain = {name: state[name] for name in Relation.model_fields if name in state}
    return Relation(
        **{
            **plain,
            "from_node_id": names.get(state["from_id"], state["from_id"]),
            "to_node_id": names.get(state["to_id"], state["to_id"]),
            "properties": json.loads(state["properties"]),
        }
    )


def is_valid_at(state: State, moment: datetime | None) -> bool:
    """Return whether a fact was valid at *moment*; without bounds it always is."""
    if moment is None:
        return True
    start, end = state.get("valid_from"), state.get("valid_to")
    began = start is None or datetime.fromisoformat(start) <= moment
    return began and (end is None or moment < datetime.fromisoformat(end))


def diff_states(
    before: State | None, after: State | None
) -> tuple[dict[str, JsonValue], dict[str, JsonValue]]:
    """Return the changed fields, with old and with new values."""
    old, new = _visible_fields(before), _visible_fields(after)
    names = [name for name in {**old, **new} if old.get(name) != new.get(name)]
    return (
        {name: old[name] for name in names if name in old},
        {name: new[name] for name in names if name in new},
    )


def to_public_fields(
    fields: Mapping[str, JsonValue], keys: Mapping[str, str]
) -> dict[str, JsonValue]:
    """Return the fields with public names, and entity keys instead of row ids."""
    return {
        _IDS.get(name, name): keys.get(str(value), value) if name in _IDS else value
        for name, value in fields.items()
    }


def change_kind(before: str | None, after: str | None) -> ChangeKind | None:
    """Return the kind of change between two JSON states; None if nothing changed."""
    if before is None:
        return "added" if after is not None else None
    if after is None:
        return "removed"
    if before == after:
        return None
    return "changed" if diff_states(json.loads(before), json.loads(after)) != ({}, {}) else None


def relation_end_ids(states: Iterable[State]) -> list[str]:
    """Return the distinct row ids of the ends of relations."""
    ids = [state[end] for state in states for end in ("from_id", "to_id") if end in state]
    return list(dict.fromkeys(ids))


def row_name(kind: str, state: State, names: Mapping[str, str]) -> str:
    """Return a label of a row: a name, a fact, or a triple."""
    if kind == "relations":
        start, end = (names.get(state[key], "?") for key in ("from_id", "to_id"))
        return f"{start} {state['relationship_type']} {end}"
    if kind == "suggestions":
        start, end = (names.get(state.get(key, ""), "?") for key in ("from_id", "to_id"))
        return f"{start} {state['relation_type'] or state['kind'] + '?'} {end}"
    for field in ("name", "content", "title", "summary", "message", "text"):
        if state.get(field):
            return shorten_text(str(state[field]))
    return str(state.get("id", ""))


def row_title(kind: str, state: State, names: Mapping[str, str]) -> str:
    """Return a display label of a row: like row_name(), but relations with readable types."""
    if kind not in ("relations", "suggestions"):
        return row_name(kind, state, names)
    start, end = (names.get(state.get(key, ""), "?") for key in ("from_id", "to_id"))
    word = state["relationship_type"] if kind == "relations" else state["relation_type"]
    word = word or f"{state['kind']}?"
    return " \u2192 ".join(
        (shorten_text(start, 60), word.replace("_", " ").lower(), shorten_text(end, 60))
    )


def shorten_text(text: str, longest: int = 160) -> str:
    return text if len(text) <= longest else text[: longest - 2].rstrip() + " …"


_EVENTS = {"created": "created", "changed": "changed", "deleted": "deleted"}


def event_name(kind: str, op: str, cause: str, states: Sequence[State | None]) -> str:
    """Return the event as two words; *states* are the row before and after."""
    before, after = states
    noun = _noun(kind, after or before)
    status = (after or {}).get("status"), (before or {}).get("status")
    if op == "changed" and status[0] != status[1]:
        verb = {"archived": "archived", "active": "restored", "superseded": "superseded"}
        return f"{noun} {verb.get(str(status[0]), str(status[0]))}"
    if kind == "entities" and op == "deleted" and cause == "merge_entities":
        return f"{noun} merged"
    if op == "created" and cause in ("restore_entity", "undo", "restore", "put_back"):
        return f"{noun} restored"
    return f"{noun} {_EVENTS[op]}"


def _noun(kind: str, state: State | None) -> str:
    node_type = (state or {}).get("node_type")
    if kind == "entities" and node_type in ("session", "breakthrough"):
        return str(node_type)
    return kind_for_table(kind)


def _visible_fields(state: State | None) -> dict[str, JsonValue]:
    return {
        name: json.loads(value) if name in _JSON and isinstance(value, str) else value
        for name, value in (state or {}).items()
        if name not in _DERIVED and value not in (None, "")
    }
