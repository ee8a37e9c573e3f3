"""
The form that changes an entity in place.

1. The form keeps what was shown when it was opened, and saves only what differs from that.
2. If the entity changes meanwhile, the page says who did it, and shows the three versions side
   by side. What was typed stays until the person says otherwise.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st
from pydantic import JsonValue

from memory_core.model.graph.bulk_edit import Edit
from memory_core.model.graph.entities import Entity
from memory_core.model.graph.graph_view import EntityCard

from .. import state
from ..components.change_view import format_value
from ..components.elements import Part, part, show
from ..saving import apply

KEY = "entity_form"
FIELDS = ("name", "node_type", "certainty", "aliases", "properties")
_LABELS = {"node_type": "type"}


@dataclass(frozen=True)
class Form:
    """An entity as it was when its form was opened, and the newest version its author knows."""

    shown: Entity
    seen: int
    opened_at: int


def show_edit_form(card: EntityCard, *, narrow: bool = False) -> None:
    """Show the form, with what changed since it was opened, and save it."""
    form = _open_form(card)
    # A stable position: the form must not move while it is edited.
    with st.container():
        if card.version > form.seen:
            _show_conflict(form, card)
    with st.form("entity_fields", border=False):
        typed = _input_fields(form, narrow=narrow)
        sent = st.form_submit_button("Save", type="primary")
    if not sent:
        return
    try:
        edit = edit_of(form, card.entity, typed)
    except ValueError as error:
        st.error(f"Nothing was saved: the properties are no JSON object ({type(error).__name__}).")
        st.code(str(error), language=None, wrap_lines=True)
        return
    if edit is None:
        st.info("Nothing differs from what is stored.")
        return
    apply.save_edits([edit], f"{card.entity.name} was changed.", forget=[KEY])


def edit_of(form: Form, newest: Entity, typed: Mapping[str, Any]) -> Edit | None:
    """Return the edit that makes of the newest state what was typed; None if nothing differs."""
    shown = form.shown
    changed: dict[str, Any] = {
        field: typed[field]
        for field in ("name", "node_type", "certainty")
        if typed[field] != getattr(shown, field)
    }
    aliases = [line.strip() for line in typed["aliases"].splitlines() if line.strip()]
    if aliases != shown.aliases:
        changed["aliases"] = merge_aliases(shown.aliases, aliases, newest.aliases)
    properties = parse_properties(typed["properties"])
    if properties != shown.properties:
        changed["properties"] = merge_properties(shown.properties, properties, newest.properties)
    if not changed:
        return None
    place: dict[str, Any] = {"id": shown.id, "project_id": shown.project_id, "seen": form.seen}
    return Edit(kind="entity", act="change", **place, **changed)


def parse_properties(text: str) -> dict[str, JsonValue]:
    """Return the JSON object that was typed; raise ValueError if it is none."""
    value = json.loads(text or "{}")
    if not isinstance(value, dict):
        raise ValueError("Write one object, such as {}.")
    return value


def merge_properties(
    shown: Mapping[str, JsonValue], mine: Mapping[str, JsonValue], newest: Mapping[str, JsonValue]
) -> dict[str, JsonValue]:
    """Return the newest properties with what I changed of those I was shown."""
    gone = set(shown) - set(mine)
    changed = {name: value for name, value in mine.items() if shown.get(name, _NONE) != value}
    return {name: value for name, value in {**newest, **changed}.items() if name not in gone}


def merge_aliases(shown: Sequence[str], mine: Sequence[str], newest: Sequence[str]) -> list[str]:
    """Return the newest aliases with those I added, without those I took away."""
    gone = set(shown) - set(mine)
    return list(dict.fromkeys([name for name in [*newest, *mine] if name not in gone]))


_NONE = object()


def _open_form(card: EntityCard) -> Form:
    form: Form | None = st.session_state.get(KEY)
    entity = card.entity
    same = form is not None and form.shown.row_id == entity.row_id
    # Changes by this dashboard are no conflict, unless they are being overwritten.
    own = form is not None and form.seen != card.version and card.actor == state.ACTOR
    if form is None or not same or (own and not _is_edited(form)):
        form = Form(shown=entity, seen=card.version, opened_at=card.version)
        st.session_state[KEY] = form
    return form


def _is_edited(form: Form) -> bool:
    """Return whether something that was typed has been sent."""
    return any(
        st.session_state.get(_widget_key(form, field), standing) != standing
        for field, standing in _stored_values(form.shown).items()
    )


def _stored_values(entity: Entity) -> dict[str, str]:
    """Return what stands in each field of the form at first."""
    return {
        "name": entity.name,
        "node_type": entity.node_type,
        "certainty": entity.certainty,
        "aliases": "\n".join(entity.aliases),
        "properties": json.dumps(entity.properties, indent=2, ensure_ascii=False),
    }


def _input_fields(form: Form, *, narrow: bool) -> dict[str, Any]:
    standing = _stored_values(form.shown)
    types = [each.name for each in state.memory().graph.ontology.entity_types]
    if form.shown.node_type not in types:
        types.append(form.shown.node_type)
    left, right = (st.container(), st.container()) if narrow else st.columns(2, gap="medium")
    with left:
        name = st.text_input("Name", standing["name"], key=_widget_key(form, "name"), max_chars=300)
        node_type = st.selectbox(
            "Type",
            types,
            index=types.index(form.shown.node_type),
            key=_widget_key(form, "node_type"),
        )
        certainty = st.text_input(
            "Certainty", standing["certainty"], key=_widget_key(form, "certainty"), max_chars=300
        )
    with right:
        aliases = st.text_area(
            "Also known as, one a line",
            standing["aliases"],
            key=_widget_key(form, "aliases"),
            height=100,
        )
        properties = st.text_area(
            "Properties, as JSON",
            standing["properties"],
            key=_widget_key(form, "properties"),
            height=150,
        )
    return {
        "name": name,
        "node_type": node_type,
        "certainty": certainty,
        "aliases": aliases,
        "properties": properties,
    }


def _show_conflict(form: Form, card: EntityCard) -> None:
    """Name who changed the entity since the form was opened, and offer both ways on."""
    st.warning("This entity was changed while you were editing it. What you typed is still here.")
    rows: list[Part] = [part("div", "faint", f"changed by {card.actor}")]
    for field in FIELDS:
        was, now = getattr(form.shown, field), getattr(card.entity, field)
        if was != now:
            line = f"{_LABELS.get(field, field)}: when you opened it {format_value(was)}"
            rows.append(part("div", "", part("span", "", line), " \u2192 stored now "))
            rows.append(part("div", "strong", format_value(now)))
    show(*rows, key="changed_meanwhile")
    with st.container(horizontal=True):
        if st.button("Keep mine", key="entity_keep"):
            st.session_state[KEY] = replace(form, seen=card.version)
            st.rerun()
        if st.button("Keep theirs", key="entity_take"):
            st.session_state.pop(KEY)
            st.rerun()


def _widget_key(form: Form, field: str) -> str:
    return f"entity_{field}_{form.shown.row_id}_{form.opened_at}"
