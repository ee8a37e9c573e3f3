"""The panel that asks for a way between two nodes, and tells it step by step."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from memory_core import MemoryCoreError
from memory_core.model.graph.graph_view import Path

from .. import state
from ..components.elements import Part, part, show
from ..components.formatting import counted, readable

ENDS = {"way_from": "From", "way_to": "To"}
OFFERED = 8
# Between a project and an id, where the project has to be said.
APART = "::"
End = tuple[str, str]


def take_as(end: str, project: str, entity_id: str) -> None:
    """Let the way start or end at an entity; a callback, for the fields are drawn before."""
    st.session_state[end] = f"{project}{APART}{entity_id}"


def missing_end() -> str:
    """Say what to do next where a way has one end only; the panel that says it is far below."""
    start, goal = (bool(st.session_state.get(end)) for end in ENDS)
    if start == goal:
        return "The path is told step by step below the map." if start else ""
    return f"Now click the other node, then {'Path to it' if start else 'Path from it'}."


def forget_ends() -> None:
    for end in ENDS:
        st.session_state[end] = ""


def way_panel(project: str, relation_types: Sequence[str], seq: int) -> Path | None:
    """Show the panel; return the way to draw, if both ends are given and there is one."""
    asked = any(st.session_state.get(end) for end in ENDS)
    with st.expander("Path between two nodes", expanded=asked):
        columns = st.columns([3, 3, 2], vertical_alignment="bottom")
        ends = [_end(key, project, seq, at=columns[at]) for at, key in enumerate(ENDS)]
        with columns[2]:
            archived = st.checkbox(
                "Archived too", key="way_archived", help="Let the path lead through them."
            )
        start, goal = ends
        if not start or not goal:
            st.caption(
                "Give two nodes by name or id: the shortest path over relations is drawn and told."
            )
            return None
        try:
            way = _way(start, goal, tuple(relation_types), archived, seq)
        except MemoryCoreError as error:
            state.show_error("No path could be looked for. Nothing was changed.", error)
            return None
        show(*_sentence(way, bool(relation_types)), key="way_said")
        if way.steps:
            st.dataframe(steps_table(way), hide_index=True, key="way_steps")
        st.button("Clear the path", on_click=forget_ends, key="way_clear")
    return way if way.nodes else None


def steps_table(way: Path) -> pd.DataFrame:
    """Return the steps of a way, each relation with its name and its direction."""
    names = {node.row_id: node.name for node in way.nodes}
    return pd.DataFrame(
        {
            "Step": list(range(1, len(way.steps) + 1)),
            "From": [names[step.from_row_id] for step in way.steps],
            "Relation": [readable(step.relationship_type) for step in way.steps],
            "Direction": [
                "\u2192 with the relation" if step.forward else "\u2190 against the relation"
                for step in way.steps
            ],
            "To": [names[step.to_row_id] for step in way.steps],
        }
    )


def _end(key: str, project: str, seq: int, *, at: st.delta_generator.DeltaGenerator) -> End | None:
    """Ask for one end; where a name means several entities, let the person choose."""
    with at:
        text = st.text_input(ENDS[key], placeholder="A name or an id", key=key).strip()
        if not text:
            return None
        found = _named(project, text, seq)
        if not found:
            st.caption("No entity is called so.")
            return None
        if len(found) == 1:
            return found[0][0]
        return st.selectbox(
            "Which one",
            [end for end, _ in found],
            format_func=dict(found).__getitem__,
            key=f"{key}_of",
        )


def _sentence(way: Path, narrowed: bool) -> list[Part]:
    """Return what was found, or how far was searched in vain."""
    start, goal = (part("span", "strong", node.name) for node in (way.start, way.goal))
    if way.nodes:
        return [part("p", "", f"{counted(len(way.steps), 'hop')} from ", start, " to ", goal)]
    looked = counted(way.searched, "entity", "entities")
    why = (
        f"Everything that either of them reaches was searched: {looked}."
        if way.exhausted
        else f"None is {counted(way.hops, 'hop')} long or shorter; {looked} were searched, and "
        "no more than that is searched at once."
    )
    also = " Only relations of the types chosen above count." if narrowed else ""
    return [part("p", "", "No path leads from ", start, " to ", goal, f". {why}{also}")]


@st.cache_data(show_spinner=False, max_entries=64)
def _named(project: str, text: str, seq: int) -> list[tuple[End, str]]:
    """Return the entities that a text may mean with what to call them; those it names exactly."""
    graph = state.memory().graph
    place, _, rest = text.rpartition(APART)
    try:
        entity = graph.entity(rest if place else text, project_id=place or project).entity
        return [((entity.project_id, entity.id), entity.name)]
    except MemoryCoreError:
        # It is a part of a name, or is asked of all projects at once.
        page = graph.list_entities(project_id=project, query=text, status="all", limit=OFFERED)
    several = project == state.EVERY_PROJECT
    return [
        (
            (each.project_id, each.id),
            f"{each.name} \u00b7 {each.project_id if several else each.node_type}",
        )
        for each in page.entities
    ]


@st.cache_data(show_spinner="Looking for a path", max_entries=64)
def _way(start: End, goal: End, relation_types: tuple[str, ...], archived: bool, seq: int) -> Path:
    return state.memory().atlas.path(
        start, goal, relation_types=relation_types, include_archived=archived
    )
