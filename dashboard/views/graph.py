"""The graph: the part that matters most, or what lies around one node, and the card of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from dashboard import graph_view, state, tables
from dashboard.card import card_parts, legend_parts
from dashboard.elements import Part, part, show
from dashboard.links import open_entity
from dashboard.words import counted, number, readable
from memory_core import NotFound
from memory_core.model.atlas import Card, GraphMap, MapFilter

FIRST, MORE, MOST = 150, 400, 800
STATUSES = {"active": "Active", "archived": "Archived", "all": "All"}


def page() -> None:
    project, seq = state.project(), state.version()
    _follow_link(project)
    counts = _drawn(project, seq, "", 1, (), (), "all", 1)
    if not counts.total:
        _empty()
        return
    heading = st.container()
    filters = _filters(counts)
    try:
        drawn = _drawn(project, seq, *filters)
    except NotFound:
        # It was deleted meanwhile; the whole graph is still there.
        st.session_state["graph_centre"] = ""
        st.rerun()
    with heading:
        st.title(_sentence(drawn, filters[0], filters[1]))
    canvas, side = st.columns([7, 3], gap="medium")
    with canvas:
        net = _canvas(drawn, repr((project, *filters)))
        show(*legend_parts(drawn, state.theme()), key="legend")
        _under(drawn)
        _exports(drawn, net)
    with side, st.container(height=620, border=False):
        _card(seq)


def _filters(counts: GraphMap) -> tuple[str, int, Sequence[str], Sequence[str], str, int]:
    """Show the filters; return centre, hops, types, relations, status and how many to draw."""
    centre = st.session_state.get("graph_centre", "")
    with st.container(horizontal=True):
        found = st.text_input(
            "Find a node", placeholder="A name, or a part of one", key="find", width=220
        )
        types = st.multiselect("Types", list(counts.type_counts), placeholder="All", width=180)
        relations = st.multiselect(
            "Relations",
            list(counts.relation_counts),
            format_func=readable,
            placeholder="All",
            width=180,
        )
        status = st.selectbox("Status", list(STATUSES), format_func=STATUSES.__getitem__, width=110)
        hops = st.selectbox("Hops", [1, 2, 3], disabled=not centre, width=80)
    if found:
        _found(found)
    limit = int(st.session_state.get("graph_limit", FIRST))
    return centre, hops, tuple(types), tuple(relations), status, limit


def _found(text: str) -> None:
    """Offer the entities of that name; the one picked becomes the centre."""
    page = state.memory().graph.list_entities(project_id=state.project(), query=text, limit=8)
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
        project, entity_id = picked.split("\n", 1)
        _pick(project, entity_id)
        _centre(project, entity_id)


def _canvas(drawn: GraphMap, filter_key: str) -> Any:
    """Draw the map; a click picks a node, a double click draws what is around it."""
    theme = state.theme()
    positions = graph_view.positions_of(drawn, state.remembered_positions(filter_key))
    state.remember_positions(filter_key, positions)
    picked = _row_id_of(drawn, st.session_state.get("graph_picked"))
    net = graph_view.network(drawn, positions, theme)
    clicked = _element()(
        data=graph_view.element_data(net, nodes=len(drawn.nodes), theme=theme, picked=picked),
        key="graph",
        height="content",
        on_picked_change=lambda: None,
        on_centred_change=lambda: None,
    )
    nodes = {node.row_id: node for node in drawn.nodes}
    if clicked.centred in nodes:
        node = nodes[clicked.centred]
        _pick(node.project_id, node.id)
        _centre(node.project_id, node.id)
    if clicked.picked in nodes and clicked.picked != picked:
        _pick(nodes[clicked.picked].project_id, nodes[clicked.picked].id)
        st.rerun()
    return net


def _under(drawn: GraphMap) -> None:
    """Say how much is shown, and offer more of it."""
    centre = bool(st.session_state.get("graph_centre"))
    order = "nearest first" if centre else "most salient first"
    columns = st.columns([4, 1, 1.4])
    columns[0].caption(
        f"showing {number(len(drawn.nodes))} of {number(drawn.total)} \u00b7 {order}"
    )
    shown = int(st.session_state.get("graph_limit", FIRST))
    wider = next((limit for limit in (MORE, MOST) if limit > shown), 0)
    if wider and drawn.total > len(drawn.nodes) and columns[1].button("More"):
        st.session_state["graph_limit"] = wider
        st.rerun()
    if centre and columns[2].button("Whole graph"):
        st.session_state["graph_centre"] = ""
        st.rerun()


def _exports(drawn: GraphMap, net: Any) -> None:
    with st.expander("As a table"):
        st.dataframe(tables.entities_table(drawn), hide_index=True)
        st.dataframe(tables.relations_table(drawn), hide_index=True)
    st.download_button(
        "Export HTML",
        lambda: graph_view.export_html(net, "Memory graph"),
        file_name="memory-graph.html",
        mime="text/html",
        on_click="ignore",
    )


def _card(seq: int) -> None:
    """Show the card of the picked node."""
    picked = st.session_state.get("graph_picked")
    if not picked:
        show(part("p", "faint", "Click a node to see what is known of it."), key="card")
        return
    try:
        card = _card_of(picked[0], picked[1], seq)
    except NotFound:
        st.session_state["graph_picked"] = None
        show(part("p", "faint", "The entity that was picked is gone."), key="card")
        return
    now = state.memory().db.clock()
    other = show(*card_parts(card, now, state.theme()), key="card")
    with st.container(horizontal=True):
        if st.button("Open", key="open", help="Everything about it, to be mended in place."):
            open_entity("\n".join(picked))
        if st.button("Draw around it", key="around"):
            _centre(*picked)
    if other:
        _pick(*other.split("\n", 1))
        st.rerun()


def _sentence(drawn: GraphMap, centre: str, hops: int) -> str:
    edges = counted(len(drawn.edges), "relation")
    if centre:
        near = counted(len(drawn.nodes), "entity", "entities")
        return f"{near} within {counted(hops, 'hop')}, {edges}"
    whole = len(drawn.nodes) == drawn.total
    many = number(len(drawn.nodes))
    return f"{many} entities, {edges}" if whole else f"The {many} most salient entities, {edges}"


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
        st.session_state["graph_centre"] = "\n".join(asked)
    if st.session_state.get("graph_project") != project:
        st.session_state["graph_project"] = project
        if not asked:
            st.session_state["graph_centre"] = ""
            st.session_state["graph_picked"] = None


def _pick(project: str, entity_id: str) -> None:
    st.session_state["graph_picked"] = (project, entity_id)


def _centre(project: str, entity_id: str) -> None:
    st.session_state["graph_centre"] = f"{project}\n{entity_id}"
    st.session_state["graph_limit"] = FIRST
    st.rerun()


def _row_id_of(drawn: GraphMap, picked: tuple[str, str] | None) -> str:
    return next((n.row_id for n in drawn.nodes if (n.project_id, n.id) == picked), "")


@st.cache_data(show_spinner=False, max_entries=64)
def _drawn(
    project: str,
    seq: int,
    centre: str,
    hops: int,
    types: Sequence[str],
    relations: Sequence[str],
    status: str,
    limit: int,
) -> GraphMap:
    atlas = state.memory().atlas
    wanted = MapFilter(node_types=tuple(types), relation_types=tuple(relations), status=status)
    if not centre:
        return atlas.most_salient(project_id=project, wanted=wanted, limit=limit)
    project, entity_id = centre.split("\n", 1)
    return atlas.around(entity_id, project_id=project, hops=hops, wanted=wanted, limit=limit)


@st.cache_data(show_spinner=False, max_entries=256)
def _card_of(project: str, entity_id: str, seq: int) -> Card:
    return state.memory().atlas.card(entity_id, project_id=project)


@st.cache_resource(show_spinner=False)
def _element() -> Any:
    source = graph_view.element_source()
    return st.components.v2.component(
        "memory_graph", html=source["html"], css=source["css"], js=source["js"]
    )


page()
