"""Page Entity: observations, relations and history of one entity, editable in place."""

from __future__ import annotations

from typing import Any

import streamlit as st

from dashboard import state
from dashboard.components.colours import SHAPES, mark
from dashboard.components.elements import Part, part, show
from dashboard.components.formatting import ago, exact, format_count, number
from dashboard.components.lazy_tabs import tabs
from dashboard.components.links import ASKED, asked_entity, open_entity
from dashboard.entity import entity_facts, entity_form
from dashboard.entity.entity_history import show_history
from dashboard.saving import apply, undo, undo_offer
from dashboard.saving.apply import apply_batch
from memory_core import ALL_USERS, ConflictError, NotFoundError
from memory_core.model.graph.bulk_edit import Edit
from memory_core.model.graph.graph_view import EntityCard

RELATIONS = 500
SEEN = "entity_seen"


def page() -> None:
    asked = asked_entity()
    if asked is None:
        _finder()
        return
    seq = state.version()
    try:
        card = _card(*asked, seq)
    except (NotFoundError, ConflictError):
        _show_deleted(*asked, seq)
        return
    facts = format_count(card.observation_count, "observation")
    edges = format_count(card.relation_count, "relation")
    st.title(f"{facts} and {edges} of one {_kind(card)}")
    undo.show_offer()
    show(*_head(card), key="head")
    _actions(card)
    st.session_state[SEEN] = (card.entity.row_id, seq)
    tabs(
        {
            "Observations": lambda: entity_facts.show_observations(card),
            "Relations": lambda: entity_facts.show_relations(card),
            "Edit": lambda: entity_form.show_edit_form(card),
            "Past": lambda: show_history(card.entity.project_id, card.entity.id, seq),
        },
        key="entity_tab",
    )


def _kind(card: EntityCard) -> str:
    """Return the type as a word for a title; a custom type may contain markup."""
    known = {each.name for each in state.memory().graph.ontology.entity_types}
    return card.entity.node_type if card.entity.node_type in known else "entity"


def _head(card: EntityCard) -> list[Part]:
    entity, now = card.entity, state.memory().db.clock()
    colour, shape = mark(entity.node_type, state.theme())
    archived = entity.status == "archived"
    parts: list[Part] = [
        part("h2", "gone" if archived else "", entity.name),
        part(
            "div",
            "line",
            part("span", "", f"{SHAPES[shape]} {entity.node_type}", colour=colour),
            part("span", "faint", entity.project_id),
            part("span", "faint mono", entity.id),
            *([part("span", "chip amber", "archived")] * archived),
        ),
        part(
            "div",
            "faint",
            f"changed {ago(entity.updated_at, now)} by {card.actor} \u00b7 "
            f"{format_count(card.changes, 'change')} in its past",
            title=exact(entity.updated_at),
        ),
    ]
    if entity.aliases:
        parts.append(part("div", "faint", f"also {', '.join(entity.aliases)}"))
    if archived and entity.archive_reason:
        parts.append(part("div", "faint", f"archived because: {entity.archive_reason}"))
    return parts


def _actions(card: EntityCard) -> None:
    """Offer what can be done to the entity as a whole."""
    entity = card.entity
    common: dict[str, Any] = {
        "kind": "entity",
        "id": entity.id,
        "project_id": entity.project_id,
        "seen": _seen_seq(card),
    }
    with st.container(horizontal=True):
        if st.button("Draw around it", key="entity_graph"):
            st.session_state["graph_asked"] = (entity.project_id, entity.id)
            st.switch_page("views/graph.py")
        act, verb = (
            ("restore", "Restore") if entity.status == "archived" else ("archive", "Archive")
        )
        if st.button(verb, key="entity_archive"):
            apply.save_edits([Edit(act=act, **common)], f"{entity.name} was {act}d.")
        with st.popover("Delete\u2026"):
            _delete(card, Edit(act="delete", **common))
        with st.popover("Merge\u2026"):
            _merge(card, common)


def _seen_seq(card: EntityCard) -> int:
    """Return the newest change that the page showed when its button was clicked."""
    row_id, seq = st.session_state.get(SEEN, ("", 0))
    return int(seq) if row_id == card.entity.row_id else state.version()


def _delete(card: EntityCard, edit: Edit) -> None:
    facts = format_count(card.observation_count, "observation")
    edges = format_count(card.relation_count, "relation")
    st.write(f"It goes with {facts} and {edges}. The past keeps them, and Undo brings them back.")
    if st.button("Delete it", type="primary", key="entity_delete"):
        apply.save_edits([edit], f"{card.entity.name} was deleted.")


def _merge(card: EntityCard, common: dict[str, Any]) -> None:
    """Let this entity go into another one, after a preview."""
    entity = card.entity
    found = st.text_input("Merge it into", placeholder="A part of a name", key="merge_find")
    if not found:
        return
    near = state.memory().graph.list_entities(project_id=entity.project_id, query=found, limit=20)
    others = {each.id: each.name for each in near.entities if each.row_id != entity.row_id}
    if not others:
        st.write("No other entity of this project has that in its name.")
        return
    into = str(st.selectbox("Which one stays", list(others), format_func=others.__getitem__))
    edit = Edit(act="merge", into=into, **common)
    would = apply.preview_edits([edit])
    if would is None:
        return
    show(apply.row_count_parts(would), key="merge_counts")
    if st.button("Merge them", type="primary", key="entity_merge"):
        st.session_state[ASKED] = (entity.project_id, into)
        apply.save_edits([edit], f"{entity.name} went into {others[into]}.")


def _finder() -> None:
    st.title("Find an entity to look at")
    found = st.text_input("Name", placeholder="A name, or a part of one", key="entity_find")
    if not found:
        st.write(
            "This page shows everything about one entity, lets you edit it, and shows what it "
            "was before. Links on the Overview, the Graph and in Search lead here."
        )
        return
    page = state.memory().graph.list_entities(
        project_id=state.project(), query=found, status="all", limit=50
    )
    items: list[Part] = [
        part(
            "li",
            "tight",
            part("span", "", each.name, pick=f"{each.project_id}\n{each.id}"),
            part("span", "faint", f"  {each.node_type} \u00b7 {each.project_id}"),
        )
        for each in page.entities
    ]
    picked = show(part("ul", "", *items), key="entity_found")
    shown = len(page.entities)
    said = f"showing 1\u2013{shown} of {number(page.total)}" if shown else "No name has that."
    st.caption(said)
    if picked:
        open_entity(picked)


def _show_deleted(project: str, entity_id: str, seq: int) -> None:
    """Say that the entity is not there, offer to bring it back, and show its past."""
    st.title("This entity is not here any more")
    undo.show_offer()
    show(
        part("p", "", "No entity ", part("strong", "", entity_id), " is in project ", project, "."),
        key="gone",
    )
    try:
        total = (
            state.memory()
            .timelines.list_events(project_id=project, user_id=ALL_USERS, entity=entity_id, limit=1)
            .total
        )
    except (NotFoundError, ConflictError):
        st.write("It never was, or its history was cleared. Look for it by its name:")
        st.query_params.pop("entity", None)
        _finder_link()
        return
    st.write(f"The past knows {format_count(total, 'change')} of it.")
    if st.button("Bring it back", type="primary", key="entity_restore"):
        batch_id = apply_batch(
            "It was not brought back.",
            lambda memory: memory.lifecycle.restore_entity(entity_id, project_id=project),
        )
        if batch_id:
            undo_offer.report_done("An entity was brought back.", batch_id)
    show_history(project, entity_id, seq)


def _finder_link() -> None:
    if st.button("Find an entity", key="entity_other"):
        st.rerun()


@st.cache_data(show_spinner=False, max_entries=64)
def _card(project: str, entity_id: str, seq: int) -> EntityCard:
    return state.memory().atlas.card(entity_id, project_id=project, facts=1, edges=RELATIONS)


page()
