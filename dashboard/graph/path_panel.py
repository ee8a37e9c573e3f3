"""Panel for the shortest path between two nodes."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from memory_core import MemoryCoreError
from memory_core.model.graph.graph_view import GraphPath

from .. import state
from ..components.elements import Part, part, show
from ..components.formatting import format_count, readable

ENDS = {"way_from": "From", "way_to": "To"}
OFFERED = 8
# Separates project and id where the project is explicit.
APART = "::"
End = tuple[str, str]


def use_as_end(end: str, project: str, entity_id: str) -> None:
    """Use an entity as one end of the path; a callback, because the fields are drawn earlier."""
    st.session_state[end] = f"{project}{APART}{entity_id}"


def missing_end() -> str:
    """Return a hint while only one end is set; the panel itself is far below the canvas."""
    start, goal = (bool(st.session_state.get(end)) for end in ENDS)
    if start == goal:
        return "The steps of the path are listed below the map." if start else ""
    return f"Now click the other node, then {'Path to it' if start else 'Path from it'}."


def forget_ends() -> None:
    for end in ENDS:
        st.session_state[end] = ""


def show_path_panel(project: str, relation_types: Sequence[str], seq: int) -> GraphPath | None:
    """Show the panel; return the path to draw, if both ends are set and a path exists."""
    asked = any(st.session_state.get(end) for end in ENDS)
    with st.expander("Path between two nodes", expanded=asked):
        columns = st.columns([3, 3, 2], vertical_alignment="bottom")
        ends = [_end(key, project, seq, at=columns[at]) for at, key in enumerate(ENDS)]
        with columns[2]:
            archived = st.checkbox(
                "Include archived", key="way_archived", help="Allow archived entities on the path."
            )
        start, goal = ends
        if not start or not goal:
            st.caption("Enter two nodes by name or id to see the shortest path over relations.")
            return None
        try:
            way = _shortest_path(start, goal, tuple(relation_types), archived, seq)
        except MemoryCoreError as error:
            state.show_error("The path search failed. Nothing was changed.", error)
            return None
        show(*_sentence(way, bool(relation_types)), key="way_said")
        if way.steps:
            st.dataframe(steps_table(way), hide_index=True, key="way_steps")
        st.button("Clear the path", on_click=forget_ends, key="way_clear")
    return way if way.nodes else None


def steps_table(way: GraphPath) -> pd.DataFrame:
    """Return the steps of a path with relation type and direction."""
    names = {node.row_id: node.name for node in way.nodes}
    return pd.DataFrame(
        {
            "Step": list(range(1, len(way.steps) + 1)),
            "From": [names[step.from_row_id] for step in way.steps],
            "Relation": [readable(step.relationship_type) for step in way.steps],
            "Direction": [
                "\u2192 forward" if step.forward else "\u2190 backward" for step in way.steps
            ],
            "To": [names[step.to_row_id] for step in way.steps],
        }
    )


def _end(key: str, project: str, seq: int, *, at: st.delta_generator.DeltaGenerator) -> End | None:
    """Show the field for one end, and a choice where the name is ambiguous."""
    with at:
        text = st.text_input(ENDS[key], placeholder="A name or an id", key=key).strip()
        if not text:
            return None
        found = _find_candidates(project, text, seq)
        if not found:
            st.caption("No entity has this name or id.")
            return None
        if len(found) == 1:
            return found[0][0]
        return st.selectbox(
            "Which one",
            [end for end, _ in found],
            format_func=dict(found).__getitem__,
            key=f"{key}_of",
        )


def _sentence(way: GraphPath, narrowed: bool) -> list[Part]:
    """Describe the path found, or how far was searched without a result."""
    start, goal = (part("span", "strong", node.name) for node in (way.start, way.goal))
    if way.nodes:
        return [part("p", "", f"{format_count(len(way.steps), 'hop')} from ", start, " to ", goal)]
    looked = format_count(way.searched, "entity", "entities")
    why = (
        f"Everything reachable from either node was searched: {looked}."
        if way.exhausted
        else f"No path has {format_count(way.hops, 'hop')} or fewer; {looked} were searched, "
        "the limit of one search."
    )
    also = " Only relations of the types selected above were used." if narrowed else ""
    return [part("p", "", "No path leads from ", start, " to ", goal, f". {why}{also}")]


@st.cache_data(show_spinner=False, max_entries=64)
def _find_candidates(project: str, text: str, seq: int) -> list[tuple[End, str]]:
    """Return candidate entities with a label each; exact matches win."""
    graph = state.memory().graph
    place, _, rest = text.rpartition(APART)
    try:
        entity = graph.get_entity(rest if place else text, project_id=place or project).entity
        return [((entity.project_id, entity.id), entity.name)]
    except MemoryCoreError:
        # A partial name, or a search in all projects.
        page = graph.list_entities(project_id=project, query=text, status="all", limit=OFFERED)
    several = project == state.EVERY_PROJECT
    return [
        (
            (each.project_id, each.id),
            f"{each.name} \u00b7 {each.project_id if several else each.node_type}",
        )
        for each in page.entities
    ]


@st.cache_data(show_spinner="Searching for a path", max_entries=64)
def _shortest_path(
    start: End, goal: End, relation_types: tuple[str, ...], archived: bool, seq: int
) -> GraphPath:
    return state.memory().atlas.path(
        start, goal, relation_types=relation_types, include_archived=archived
    )
