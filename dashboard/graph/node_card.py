"""Card of the selected node: contents, history and edit form."""

from __future__ import annotations

from typing import Any

import streamlit as st

from memory_core import NotFoundError
from memory_core.model.graph.bulk_edit import Edit
from memory_core.model.graph.graph_view import EntityCard
from memory_core.model.history import EventChange

from .. import state
from ..components.change_view import event_parts
from ..components.elements import part, show
from ..components.formatting import format_count, number
from ..components.lazy_tabs import tabs
from ..components.links import open_entity
from ..entity.entity_form import show_edit_form
from ..saving import apply, undo
from .card import card_parts
from .path_panel import missing_end, use_as_end

CHANGES = 8
SEEN = "card_seen"


def node_card(picked: tuple[str, str] | None, seq: int) -> str:
    """Show the card; return an entity selected on it, as project and id on two lines."""
    if not picked:
        show(
            part("p", "faint", "Select a node by click or keyboard to see its details."),
            key="card",
        )
        return ""
    try:
        card = _card(*picked, seq)
    except NotFoundError:
        st.session_state["graph_picked"] = None
        show(part("p", "faint", "The selected entity no longer exists."), key="card")
        return ""
    parts = card_parts(card, state.memory().db.clock(), state.theme())
    shown = tabs(
        {
            "Details": lambda: show(*parts, key="card"),
            "History": lambda: _history(card, seq),
            "Edit": lambda: show_edit_form(card, narrow=True),
        },
        key="card_tab",
    )
    st.session_state[SEEN] = (card.entity.row_id, seq)
    return str(shown.get("Details", ""))


def card_actions(picked: tuple[str, str], seq: int) -> bool:
    """Show the actions for the selected node; return whether to centre the graph on it."""
    try:
        entity = _card(*picked, seq).entity
    except NotFoundError:
        return False
    with st.container(horizontal=True):
        if st.button("Open", key="open", help="Open the page of this entity."):
            open_entity("\n".join(picked))
        around = st.button("Centre the graph here", key="around")
        st.button("Path from it", key="card_from", on_click=use_as_end, args=("way_from", *picked))
        st.button("Path to it", key="card_to", on_click=use_as_end, args=("way_to", *picked))
        archived = entity.status == "archived"
        if st.button("Restore" if archived else "Archive", key="card_archive"):
            row_id, seen = st.session_state.get(SEEN, ("", 0))
            place: dict[str, Any] = {"id": entity.id, "project_id": entity.project_id}
            edit = Edit(
                kind="entity",
                act="restore" if archived else "archive",
                seen=seen if row_id == entity.row_id else seq,
                **place,
            )
            verb = "restored" if archived else "archived"
            apply.save_edits([edit], f"{entity.name} was {verb}.")
    if next_step := missing_end():
        st.caption(next_step)
    return around


def _history(card: EntityCard, seq: int) -> None:
    """Show the newest changes with their effects and an Undo button for each."""
    entity = card.entity
    changes, total = _changes(entity.project_id, entity.id, seq)
    now = state.memory().db.clock()
    picked = show(
        *[
            part(
                "div",
                "item",
                event_parts(change, now),
                part(
                    "div",
                    "faint",
                    part(
                        "span",
                        "",
                        "undo",
                        pick=str(change.event.seq),
                        label=f"Undo: {change.event.event}",
                    ),
                ),
            )
            for change in changes
        ],
        key="card_past",
    )
    if total > len(changes):
        st.caption(
            f"The newest {number(len(changes))} of {format_count(total, 'change')}. Open shows all."
        )
    if picked:
        undo.request_undo(int(picked))
        st.rerun()


@st.cache_data(show_spinner=False, max_entries=256)
def _card(project: str, entity_id: str, seq: int) -> EntityCard:
    return state.memory().atlas.card(entity_id, project_id=project)


@st.cache_data(show_spinner=False, max_entries=64)
def _changes(project: str, entity_id: str, seq: int) -> tuple[list[EventChange], int]:
    return state.memory().timelines.list_changes(entity_id, project_id=project, limit=CHANGES)
