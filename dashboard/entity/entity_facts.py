"""Observations and relations of one entity, editable in place."""

from __future__ import annotations

from typing import Any

import streamlit as st

from memory_core.model.graph.bulk_edit import Edit, ObservationRow
from memory_core.model.graph.entities import Entity, Observation
from memory_core.model.graph.graph_view import EntityCard, EntityCardRelation

from .. import state
from ..components.colours import SHAPES, mark
from ..components.elements import Part, part, show
from ..components.formatting import ago, exact, readable
from ..components.links import open_entity
from ..components.paging import offset_of, pager
from ..components.rows import side_by_side
from ..saving import apply, undo_offer
from ..saving.apply import apply_batch

SIZE = 20
OPEN = "fact_open"


def show_observations(card: EntityCard) -> None:
    """Show the observations page by page; one at a time can be open for editing."""
    entity = card.entity
    everything = st.toggle("Superseded ones too", key="facts_superseded")
    offset = offset_of("facts", entity.row_id, everything)
    page = state.memory().curation.list_observations(
        project_id=entity.project_id,
        entity_id=entity.id,
        status="all" if everything else "active",
        limit=SIZE,
        offset=offset,
    )
    if not page.total:
        st.write("Nothing was observed of it yet. Write the first fact below.")
    for row in page.rows:
        _show_observation(row, page.seq)
    pager("facts", len(page.rows), page.total, size=SIZE)
    _new_observation_form(entity)


def _show_observation(row: ObservationRow, seq: int) -> None:
    fact = row.observation
    opened = st.session_state.get(OPEN)
    with st.container(border=True):
        if opened and opened[0].id == fact.id:
            _edit_fact(opened[0], opened[1], row.project_id, newest=fact)
            return
        said, acts = side_by_side(f"fact_{fact.id}")
        with said:
            show(*_observation_parts(fact), key=f"fact_{fact.id}")
        edit = acts.button("Edit", key=f"fact_edit_{fact.id}")
        if edit:
            st.session_state[OPEN] = (fact, seq)
            st.rerun()


def _observation_parts(fact: Observation) -> list[Part]:
    said = fact.occurred_at or fact.created_at
    now = state.memory().db.clock()
    more = [ago(said, now), fact.source, fact.certainty * (fact.certainty != "confirmed")]
    superseded = fact.status == "superseded"
    until = f"superseded, true until {exact(fact.valid_to)}" if superseded and fact.valid_to else ""
    faint = " \u00b7 ".join(word for word in [*more, until] if word)
    return [
        part("div", "quote gone" if superseded else "quote", fact.content),
        part("div", "faint", faint, title=exact(said)),
    ]


def _edit_fact(fact: Observation, seen: int, project_id: str, *, newest: Observation) -> None:
    """Correct, replace or delete one fact, as it was when the form was opened."""
    if newest != fact:
        st.warning("This fact was changed while you were editing it. It now says:")
        st.code(newest.content, language=None, wrap_lines=True)
    key = f"{fact.id}_{fact.updated_at}"
    with st.form(f"fact_form_{fact.id}", border=False):
        content = st.text_area("Wording", fact.content, key=f"fact_text_{key}")
        left, right = st.columns(2)
        certainty = left.text_input("Certainty", fact.certainty, key=f"fact_sure_{key}")
        source = right.text_input("Source", fact.source, key=f"fact_from_{key}")
        with st.container(horizontal=True):
            correct = st.form_submit_button("Save correction", type="primary")
            replace = st.form_submit_button(
                "No longer true: replace", help="Keep the old wording as superseded."
            )
            delete = st.form_submit_button("Delete")
            cancel = st.form_submit_button("Cancel", type="tertiary")
    common: dict[str, Any] = {
        "kind": "observation",
        "id": fact.id,
        "project_id": project_id,
        "seen": seen,
    }
    if correct:
        edit = Edit(act="change", content=content, certainty=certainty, source=source, **common)
        apply.save_edits([edit], "An observation was corrected.", forget=[OPEN])
    if replace:
        edit = Edit(act="supersede", content=content, **common)
        apply.save_edits([edit], "An observation was replaced by a newer one.", forget=[OPEN])
    if delete:
        apply.save_edits(
            [Edit(act="delete", **common)], "An observation was deleted.", forget=[OPEN]
        )
    if cancel:
        st.session_state.pop(OPEN)
        st.rerun()
    if newest != fact:
        _choice_buttons(fact, newest, seen)


def _choice_buttons(fact: Observation, newest: Observation, seen: int) -> None:
    """Let what was typed stand against what came meanwhile, or take that."""
    now = state.version()
    with st.container(horizontal=True):
        if seen != now and st.button("Keep mine", key="fact_mine", help="Then save it."):
            st.session_state[OPEN] = (fact, now)
            st.rerun()
        if st.button("Keep theirs", key="fact_newest"):
            st.session_state[OPEN] = (newest, now)
            st.rerun()


def _new_observation_form(entity: Entity) -> None:
    added = st.session_state.setdefault("facts_added", 0)
    with st.form(f"fact_add_{entity.row_id}_{added}"):
        content = st.text_area("A new observation", height=80)
        sent = st.form_submit_button("Add it")
    if not sent:
        return
    common: dict[str, Any] = {
        "kind": "observation",
        "id": entity.id,
        "project_id": entity.project_id,
    }
    st.session_state["facts_added"] += 1
    apply.save_edits([Edit(act="add", content=content, **common)], "An observation was added.")
    # Still here, so it was not saved: the form keeps what was typed.
    st.session_state["facts_added"] -= 1


def show_relations(card: EntityCard) -> None:
    """Show the relations page by page, each with its end; add one."""
    entity = card.entity
    if not card.relation_count:
        st.write("It is not related to anything yet. Relate it to another entity below.")
    offset = offset_of("edges", entity.row_id)
    page = card.relations[offset : offset + SIZE]
    for edge in page:
        _show_relation(entity, edge)
    pager("edges", len(page), len(card.relations), size=SIZE)
    _new_relation_form(entity)


def _show_relation(entity: Entity, edge: EntityCardRelation) -> None:
    colour, shape = mark(edge.other.node_type, state.theme())
    arrow = "\u2192" if edge.outgoing else "\u2190"
    said, acts = side_by_side(f"edge_{edge.relation.id}")
    with said:
        picked = show(
            part(
                "div",
                "line",
                part("span", "faint", f"{arrow} {readable(edge.relation.relationship_type)}"),
                part("span", "", SHAPES[shape], colour=colour, title=edge.other.node_type),
                part("span", "", edge.other.name, pick=f"{edge.other.project_id}\n{edge.other.id}"),
                part("span", "faint", edge.other.node_type),
            ),
            key=f"edge_{edge.relation.id}",
        )
    delete = acts.button("Delete", key=f"edge_delete_{edge.relation.id}")
    if delete:
        _delete_relation(entity, edge)
    if picked:
        open_entity(picked)


def _delete_relation(entity: Entity, edge: EntityCardRelation) -> None:
    relation, other = edge.relation, edge.other
    there = other.id if other.project_id == entity.project_id else f"{other.project_id}::{other.id}"
    ends = (entity.id, there) if edge.outgoing else (there, entity.id)
    batch_id = apply_batch(
        "The relation was not deleted.",
        lambda memory: memory.relations.delete_relation(
            *ends, relation.relationship_type, project_id=entity.project_id
        ),
    )
    if batch_id:
        undo_offer.report_done(f"The relation to {other.name} was deleted.", batch_id)


def _new_relation_form(entity: Entity) -> None:
    """Find another entity by its name, and relate this one to it."""
    with st.container(border=True):
        left, middle, right = st.columns([2, 2, 3], vertical_alignment="bottom")
        found = right.text_input("Other entity", placeholder="A part of its name", key="edge_find")
        kinds = [each.name for each in state.memory().graph.ontology.relation_types]
        kind = left.selectbox("Relation", kinds, format_func=readable, key="edge_kind")
        way = middle.selectbox("Direction", ["from this one", "to this one"], key="edge_way")
        if not found:
            return
        near = state.memory().graph.list_entities(
            project_id=entity.project_id, query=found, limit=20
        )
        others = {each.id: each.name for each in near.entities if each.row_id != entity.row_id}
        if not others:
            st.write("No other entity of this project has that in its name.")
            return
        other = st.selectbox("Which one", list(others), format_func=others.__getitem__)
        if not st.button("Relate them", type="primary", key="edge_add"):
            return
    ends = (entity.id, other) if way == "from this one" else (other, entity.id)
    batch_id = apply_batch(
        "The two were not related.",
        lambda memory: memory.relations.create_relation(*ends, kind, project_id=entity.project_id),
    )
    if batch_id:
        undo_offer.report_done(f"{entity.name} was related to {others[other]}.", batch_id)
