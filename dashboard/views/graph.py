"""The graph: the part that matters most, or what lies around one node, and the card of it."""

from __future__ import annotations

from typing import Any

import streamlit as st

from dashboard import state, tables
from dashboard.components.elements import Part, part, show
from dashboard.components.formatting import format_count, number
from dashboard.components.lazy_tabs import fold
from dashboard.graph import graph_element, graph_view
from dashboard.graph.legend import community_names, legend_parts
from dashboard.graph.map_filters import FIRST, MORE, MOST, GraphQuery, describe_dates, filters
from dashboard.graph.node_card import card_actions, node_card
from dashboard.graph.path_panel import forget_ends, show_path_panel
from dashboard.layout import positions_of
from dashboard.saving import undo
from memory_core import NotFoundError
from memory_core.model.graph.graph_view import GraphMap, GraphPath, MapFilter


def page() -> None:
    project, seq = state.project(), state.version()
    _follow_link(project)
    heading = st.container()
    types = list(_types(project, seq))
    if not types:
        _empty()
        return
    undo.show_offer()
    undo.confirm_undo()
    _finder(project)
    try:
        # The part that opens: what is drawn through any filter stands where it stands there.
        whole = _load_map(project, seq, _opening(), ())
        asked = filters(types, list(whole.relation_counts))
        picture, side = st.columns([7, 3], gap="medium")
        below = st.container()
        # What it finds is drawn above it.
        with below:
            way = show_path_panel(project, asked.wanted.relation_types, seq)
        also = tuple(node.row_id for node in way.nodes) if way else ()
        drawn = _load_map(project, seq, asked, also)
    except NotFoundError:
        # It was deleted meanwhile; the whole graph is still there.
        st.session_state["graph_centre"] = None
        st.rerun()
    with heading:
        st.title(_sentence(drawn, asked))
    with picture:
        net = _canvas(project, seq, asked, drawn, whole, way)
    with below:
        _exports(drawn, net)
    with side:
        _side(seq)


def _side(seq: int) -> None:
    picked = st.session_state.get("graph_picked")
    if picked and card_actions(picked, seq):
        _centre(*picked)
    with st.container(height=560, border=False):
        other = node_card(picked, seq)
    if other:
        _pick(*other.split("\n", 1))
        st.rerun()


def _opening() -> GraphQuery:
    """Return what the page shows before any filter is set, around the same node."""
    centre = st.session_state.get("graph_centre")
    hops = st.session_state.get("map_hops", 1) if centre else 1
    return GraphQuery(centre=centre, hops=hops, wanted=MapFilter(), limit=FIRST, colour_by="type")


def _finder(project: str) -> None:
    """Offer the entities of a name; the one picked becomes the centre."""
    found = st.text_input(
        "Find a node", placeholder="A name, or a part of one", key="find", width=320
    )
    if not found:
        return
    page = state.memory().graph.list_entities(project_id=project, query=found, limit=8)
    offered: list[Part] = [
        part(
            "li",
            "tight",
            part("span", "", entity.name, pick=f"{entity.project_id}\n{entity.id}"),
            part("span", "faint", f"  {entity.node_type}"),
        )
        for entity in page.entities
    ]
    with st.container(border=True):
        picked = show(
            part("ul", "", *offered) if offered else part("p", "faint", "No name has that."),
            key="found",
        )
    if picked:
        _pick(*picked.split("\n", 1))
        _centre(*picked.split("\n", 1))


def _canvas(
    project: str,
    seq: int,
    asked: GraphQuery,
    drawn: GraphMap,
    whole: GraphMap,
    way: GraphPath | None,
) -> Any:
    """Draw the map; a click picks a node, a double click draws what is around it."""
    place = repr((project, asked.centre))
    known = state.remembered_positions(place)
    if not known:
        state.remember_positions(place, positions_of(whole, {}))
        known = state.remembered_positions(place)
    positions = positions_of(drawn, known)
    state.remember_positions(place, positions)
    look = graph_view.Look(state.theme(), asked.colour_by, way)
    painted = _paint_map(repr((project, seq, asked, way)), look.theme, drawn, positions, look)
    picked = _row_id_of(drawn, st.session_state.get("graph_picked"))
    clicked = graph_element.draw(painted, key="graph", picked=picked, frame=place)
    show(*legend_parts(drawn, look.theme, asked.colour_by), key="legend")
    _under(drawn, asked, len(way.nodes) if way else 0)
    nodes = {node.row_id: node for node in drawn.nodes}
    if clicked.centred in nodes:
        node = nodes[clicked.centred]
        _pick(node.project_id, node.id)
        _centre(node.project_id, node.id)
    if clicked.picked in nodes and clicked.picked != picked:
        _pick(nodes[clicked.picked].project_id, nodes[clicked.picked].id)
        st.rerun()
    return lambda: graph_view.network(drawn, positions, look)


def _under(drawn: GraphMap, asked: GraphQuery, on_way: int) -> None:
    """Say how much is shown, and offer more of it."""
    order = "nearest first" if asked.centre else "most salient first"
    shown = min(len(drawn.nodes), drawn.total)
    notes = [f"showing {number(shown)} of {number(drawn.total)}", order]
    if len(drawn.nodes) > drawn.total:
        notes.append(f"and {number(len(drawn.nodes) - drawn.total)} of the path")
    elif on_way:
        notes.append("the path among them")
    if dates := describe_dates(asked.wanted):
        notes.append(dates)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(" \u00b7 ".join(notes))
        wider = next((limit for limit in (MORE, MOST) if limit > asked.limit), 0)
        if wider and drawn.total > asked.limit and st.button("More", key="more"):
            st.session_state["graph_limit"] = wider
            st.rerun()
        if asked.centre and st.button("Whole graph", key="whole"):
            st.session_state["graph_centre"] = None
            st.rerun()


def _exports(drawn: GraphMap, net: Any) -> None:
    """Show the same as tables, a row of which opens the card too; offer a page to keep."""
    ticked = fold("As a table", lambda: _tables(drawn), key="map_as_table")
    if ticked and ticked[0] < len(drawn.nodes):
        node = drawn.nodes[ticked[0]]
        # Only a new tick: the node that was picked in the drawing since then stays picked.
        if st.session_state.get("graph_ticked") != (node.project_id, node.id):
            st.session_state["graph_ticked"] = (node.project_id, node.id)
            _pick(node.project_id, node.id)
            st.rerun()
    elif not ticked:
        st.session_state["graph_ticked"] = None
    st.download_button(
        "Export HTML",
        lambda: graph_view.export_html(net(), "Memory graph"),
        file_name="memory-graph.html",
        mime="text/html",
        on_click="ignore",
    )


def _tables(drawn: GraphMap) -> list[int]:
    """Show the same as tables; return which of its rows are ticked."""
    st.caption("Tick a row to open its card.")
    table = st.dataframe(
        tables.entities_table(drawn, community_names(drawn.nodes)),
        hide_index=True,
        key="map_table",
        on_select="rerun",
        selection_mode="single-row",
    )
    st.dataframe(tables.relations_table(drawn), hide_index=True, key="map_relations_table")
    return list(table.selection.rows) if table else []


def _sentence(drawn: GraphMap, asked: GraphQuery) -> str:
    edges = f"{format_count(len(drawn.edges), 'relation')} between them"
    many = number(len(drawn.nodes))
    if asked.centre:
        near = format_count(len(drawn.nodes), "entity", "entities")
        return f"{near} within {format_count(asked.hops, 'hop')}, {edges}"
    if len(drawn.nodes) >= drawn.total:
        return f"{format_count(len(drawn.nodes), 'entity', 'entities')}, {edges}"
    return f"The {many} most salient entities, {edges}"


def _empty() -> None:
    st.title("There is no graph yet")
    st.write(
        "Here the entities of a project are drawn with their relations, and a click on one shows "
        "what is known of it. The Overview has a button that loads a demonstration."
    )
    st.page_link("views/overview.py", label="To the Overview")


def _follow_link(project: str) -> None:
    """Take over an entity that another page, or the address, asks for; forget strangers."""
    asked = st.session_state.pop("graph_asked", None)
    if not asked and "entity" in st.query_params:
        asked = (st.query_params.get("project", "default"), st.query_params["entity"])
        del st.query_params["entity"]
    if asked:
        st.session_state["graph_picked"] = asked
        st.session_state["graph_centre"] = asked
    before = st.session_state.get("graph_project")
    if before != project:
        st.session_state["graph_project"] = project
        if before:
            forget_ends()
        if not asked:
            st.session_state["graph_centre"] = None
            st.session_state["graph_picked"] = None


def _pick(project: str, entity_id: str) -> None:
    st.session_state["graph_picked"] = (project, entity_id)


def _centre(project: str, entity_id: str) -> None:
    st.session_state["graph_centre"] = (project, entity_id)
    st.session_state["graph_limit"] = FIRST
    st.rerun()


def _row_id_of(drawn: GraphMap, picked: tuple[str, str] | None) -> str:
    return next((n.row_id for n in drawn.nodes if (n.project_id, n.id) == picked), "")


@st.cache_data(show_spinner=False, max_entries=32)
def _types(project: str, seq: int) -> list[str]:
    return list(state.memory().overview.list_types(project_id=project, status="all"))


@st.cache_data(show_spinner=False, max_entries=64, hash_funcs={GraphQuery: repr})
def _load_map(project: str, seq: int, asked: GraphQuery, also: tuple[str, ...]) -> GraphMap:
    atlas = state.memory().atlas
    how: Any = {
        "wanted": asked.wanted,
        "limit": asked.limit,
        "communities": asked.colour_by == "community",
        "also": also,
    }
    if asked.centre is None:
        return atlas.most_salient(project_id=project, **how)
    return atlas.around(asked.centre[1], project_id=asked.centre[0], hops=asked.hops, **how)


@st.cache_data(show_spinner=False, max_entries=32)
def _paint_map(
    what: str, theme: str, _drawn: GraphMap, _positions: Any, _look: graph_view.Look
) -> dict[str, Any]:
    """Return what the element paints; everything it depends on is in *what* and *theme*."""
    net = graph_view.network(_drawn, _positions, _look)
    return graph_view.element_data(net, _drawn, _look)


page()
