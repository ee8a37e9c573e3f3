"""Graph of an earlier moment, with the changes since."""

from __future__ import annotations

from datetime import datetime

import streamlit as st

from memory_core.model.graph.graph_view import GraphMap, MapNode
from memory_core.model.history import Difference, SnapshotNodes

from .. import state
from ..components.change_view import then_parts
from ..components.cursors import Pages
from ..components.elements import part, show
from ..components.formatting import exact, number
from ..components.lazy_tabs import fold
from ..components.links import open_entity
from ..entity_snapshot import entity_then
from ..graph import graph_element, graph_view
from ..graph.legend import legend_parts
from ..layout import Positions, positions_of
from .history_tables import then_relations_table, then_table, tint_changes
from .restore_panel import narrow_change_row

PAGE = 50
FIRST, MORE = 150, 500
PICKED = "then_picked"


def show_past_graph(
    project: str, start: datetime, end: datetime, seq: int, found: Difference
) -> None:
    """Show the graph, the card of the selected node, and the same data as tables."""
    limit = int(st.session_state.get("then_limit", FIRST))
    drawn = _map(project, start, end, limit, seq)
    if not drawn.nodes:
        st.write("There was no data at the first moment. Choose a later one.")
        return
    canvas, side = st.columns([7, 3], gap="medium")
    with canvas:
        picked = _canvas(project, drawn, repr((project, start, end, limit, seq)))
        _footer(drawn, limit)
    # Where the columns are stacked, an empty one of that height would be a gap.
    with side, st.container(height=620 if picked else "content", border=False):
        _card(picked, start, seq, found)
    fold("As a table", lambda: _tables(project, start, seq, found, drawn), key="then_as_table")


def _canvas(project: str, drawn: GraphMap, what: str) -> MapNode | None:
    """Draw the graph; return the selected node."""
    place = repr(("then", project))
    positions = positions_of(drawn, state.remembered_positions(place))
    state.remember_positions(place, positions)
    look = graph_view.Look(state.theme(), "change")
    nodes = {node.row_id: node for node in drawn.nodes}
    picked = st.session_state.get(PICKED, "")
    painted = _component_data(what, look.theme, drawn, positions, look)
    clicked = graph_element.draw(painted, key="then_graph", picked=picked, frame=place)
    chosen = clicked.picked or clicked.centred
    if chosen in nodes and chosen != picked:
        st.session_state[PICKED] = chosen
        st.rerun()
    show(*legend_parts(drawn, look.theme, "change"), key="then_legend")
    return nodes.get(picked)


def _footer(drawn: GraphMap, limit: int) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(
            f"showing {number(len(drawn.nodes))} of {number(drawn.total)} \u00b7 changed first"
        )
        if limit < MORE and drawn.total > len(drawn.nodes) and st.button("More", key="then_more"):
            st.session_state["then_limit"] = MORE
            st.rerun()


def _card(node: MapNode | None, start: datetime, seq: int, found: Difference) -> None:
    """Show a node as it was, and each difference since with its restore actions."""
    if node is None:
        show(
            part("p", "faint", "Select a node by click or keyboard to see its earlier state."),
            key="then_card",
        )
        return
    then = entity_then(node.project_id, node.id, start.isoformat(), seq)
    parts = (
        then_parts(then, state.theme())
        if then
        else [
            part("div", "strong", node.name),
            part("p", "faint", f"Did not exist at {exact(start)}; added since."),
        ]
    )
    changes = [
        change
        for change in found.changes
        if (change.project_id, change.entity_id) == (node.project_id, node.id)
    ]
    if changes:
        show(part("h3", "", f"Changes to {node.name} since"), key="then_since")
    now = state.memory().db.clock()
    for change in reversed(changes):
        narrow_change_row(change, now, found.from_seq, place="then")
    show(part("h3", "", f"State at {exact(start)}"), *parts, key="then_card")
    if st.button("Open entity", key="then_open"):
        open_entity(f"{node.project_id}\n{node.id}")


def _tables(project: str, start: datetime, seq: int, found: Difference, drawn: GraphMap) -> None:
    """Show all entities of that moment, paged, and the relations drawn."""
    pages = Pages("then", (project, start))
    page = _entities(project, start, pages.cursor, seq)
    table = st.dataframe(
        tint_changes(then_table(page.nodes, found.changes)),
        hide_index=True,
        key=f"then_{page.seq}_{pages.cursor}",
        on_select="rerun",
        selection_mode="single-row",
    )
    pages.footer(len(page.nodes), _count(project, start, seq), page.cursor, size=PAGE)
    if found.cursor:
        st.caption(f'"Changes since" covers the first {number(len(found.changes))} changes only.')
    chosen = table.selection.rows if table else []
    if chosen and st.button("Open entity", key="then_open_row"):
        node = page.nodes[chosen[0]]
        open_entity(f"{node.project_id}\n{node.id}")
    st.dataframe(tint_changes(then_relations_table(drawn)), hide_index=True, key="then_relations")


@st.cache_data(show_spinner=False, max_entries=16)
def _map(project: str, start: datetime, end: datetime, limit: int, seq: int) -> GraphMap:
    return state.memory().history.past_graph(start, end, project_id=project, limit=limit)


@st.cache_data(show_spinner=False, max_entries=16)
def _component_data(
    what: str, theme: str, _drawn: GraphMap, _positions: Positions, _look: graph_view.Look
) -> dict[str, object]:
    """Return the component data; *what* and *theme* form the cache key."""
    net = graph_view.network(_drawn, _positions, _look)
    return graph_view.element_data(net, _drawn, _look)


@st.cache_data(show_spinner=False, max_entries=32)
def _entities(project: str, start: datetime, cursor: str, seq: int) -> SnapshotNodes:
    return state.memory().history.list_entities(
        start, project_id=project, limit=PAGE, cursor=cursor
    )


@st.cache_data(show_spinner=False, max_entries=32)
def _count(project: str, start: datetime, seq: int) -> int:
    return state.memory().history.count_entities(start, project_id=project)
