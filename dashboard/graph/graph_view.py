"""
Styling of the graph: pyvis network, node and edge styles, HTML export.

1. Colour encodes one thing at a time: type, community, or change. The same is also a word or a
   sign in the legend, in the tooltip or before the name.
2. Names are JSON, painted on a canvas: markup in them is never parsed. Node ids are row ids of
   the database, never user input.
3. A path between two nodes is highlighted by width and rings; the rest is dimmed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memory_core.model.graph.graph_view import GraphMap, GraphPath, MapEdge, MapNode

from ..components.colours import ColourBy, Theme, became_mark, community_colour, mark
from ..components.formatting import format_count, readable, shorten
from ..layout import Positions

LABEL_LENGTH = 36
# Edges are labelled with their type up to this count.
LABELLED_EDGES = 40
# Canvas work grows with the nodes: from here on edges are hidden while the view is dragged.
MANY_NODES = 300
# Opacity of nodes and edges that are not on the path.
STEPPED_BACK = 0.22

INK: Mapping[Theme, tuple[str, str, str]] = {
    # text, edge, background
    "light": ("#0f141c", "#b4bcc8", "#fcfcfd"),
    "dark": ("#e3e7ed", "#4a5463", "#101318"),
}

_OUTSIDE = re.compile(
    r"<link[^>]*https?://[^>]*>|<script[^>]*https?://[^>]*>\s*</script>|<!-- <link.*?-->", re.DOTALL
)
_POLICY = (
    '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
    "script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:\">"
)


@dataclass(frozen=True)
class Look:
    """Style of a map: theme, meaning of the colours, highlighted path."""

    theme: Theme
    colour_by: ColourBy = "type"
    way: GraphPath | None = None

    def ends(self) -> set[str]:
        return {node.row_id for node in self.way.nodes} if self.way else set()

    def steps(self) -> set[tuple[str, str, str]]:
        """Return the relations of the path as (from, to, type)."""
        return {
            (
                *((s.from_row_id, s.to_row_id) if s.forward else (s.to_row_id, s.from_row_id)),
                s.relationship_type,
            )
            for s in (self.way.steps if self.way else ())
        }


def network(drawn: GraphMap, positions: Positions, look: Look) -> Any:
    from pyvis.network import Network

    ink, _, paper = INK[look.theme]
    # Directed: pyvis compares each new edge of an undirected network with all others.
    net = Network(
        height="720px",
        width="100%",
        directed=True,
        bgcolor=paper,
        font_color=ink,
        cdn_resources="in_line",
    )
    on_path, used = look.ends(), look.steps()
    for node in drawn.nodes:
        x, y = positions[node.row_id]
        net.add_node(node.row_id, **_node(node, look, on_path), x=x, y=y)
    labelled = len(drawn.edges) <= LABELLED_EDGES
    for edge in drawn.edges:
        net.add_edge(edge.from_row_id, edge.to_row_id, **_edge(edge, look, used, labelled=labelled))
    net.set_options(json.dumps(options(len(drawn.nodes), look.theme)))
    return net


def options(nodes: int, theme: Theme) -> dict[str, Any]:
    """Return the vis-network options."""
    ink, line, paper = INK[theme]
    return {
        "physics": {"enabled": False},
        "nodes": {
            "font": {"color": ink, "size": 13, "strokeWidth": 3, "strokeColor": paper},
            "borderWidth": 1,
            "borderWidthSelected": 3,
        },
        "edges": {
            "smooth": False,
            "selectionWidth": 0.6,
            "hoverWidth": 0.6,
            "chosen": {"edge": True, "label": False},
            "color": {"color": line, "highlight": ink, "hover": ink},
            "arrows": {"to": {"enabled": True, "scaleFactor": 0.4}},
            "font": {
                "color": ink,
                "size": 10,
                "strokeWidth": 3,
                "strokeColor": paper,
                "align": "middle",
            },
        },
        "interaction": {
            "hover": True,
            "tooltipDelay": 350,
            "hideEdgesOnDrag": nodes > MANY_NODES,
            "keyboard": {"enabled": True, "bindToWindow": False},
        },
    }


def export_html(net: Any, title: str) -> str:
    """Return the network as one self-contained HTML page that sends no requests."""
    page = _OUTSIDE.sub("", net.generate_html())
    heading = title.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    head = f'<meta charset="utf-8">{_POLICY}<title>{heading}</title>'
    return str(page).replace('<meta charset="utf-8">', head, 1)


def element_data(net: Any, drawn: GraphMap, look: Look) -> dict[str, Any]:
    """Return the data for the component, which paints the labels itself where they fit."""
    ink, _, paper = INK[look.theme]
    count = len(drawn.nodes)
    named = [{**node, "name": node["label"], "label": ""} for node in net.nodes]
    return {
        "nodes": named,
        "edges": [{**edge, "id": number} for number, edge in enumerate(net.edges)],
        "options": options(count, look.theme),
        "ink": ink,
        "paper": paper,
        "focus": [node.row_id for node in look.way.nodes] if look.way else [],
        "label": f"Graph of {format_count(count, 'entity', 'entities')} and "
        f"{format_count(len(drawn.edges), 'relation')}. N and P move between nodes, "
        "Enter opens the card. The table below lists the same nodes.",
    }


def _node(node: MapNode, look: Look, on_path: set[str]) -> dict[str, Any]:
    ink = INK[look.theme][0]
    shape = mark(node.node_type, look.theme).shape
    colour = _colour(node, look)
    sign = became_mark(node.became, look.theme).sign if node.became else ""
    faded = bool(on_path) and node.row_id not in on_path
    chosen = node.row_id in on_path
    return {
        "label": f"{sign} {shorten(node.name, LABEL_LENGTH)}".strip(),
        "title": _tooltip(node),
        "shape": shape,
        "size": round(7 + 18 * node.salience, 1),
        "borderWidth": 3 if chosen else 1,
        "color": {
            "background": colour,
            "border": ink if chosen else colour,
            "highlight": {"background": colour, "border": ink},
            "hover": {"background": colour, "border": ink},
        },
        "opacity": STEPPED_BACK if faded else 0.45 if node.status == "archived" else 1.0,
    }


def _colour(node: MapNode, look: Look) -> str:
    if look.colour_by == "community":
        return community_colour(node.community, look.theme)
    if look.colour_by == "change":
        return became_mark(node.became, look.theme).colour
    return mark(node.node_type, look.theme).colour


def _tooltip(node: MapNode) -> str:
    archived = ", archived" if node.status == "archived" else ""
    lines = [node.name, f"{node.node_type}{archived}"]
    if node.became:
        lines.append(f"{node.became} since")
    if node.community >= 0:
        lines.append(f"community {node.community + 1}")
    facts = format_count(node.observations, "observation")
    return "\n".join([*lines, f"{facts}, {format_count(node.degree, 'relation')}"])


def _edge(
    edge: MapEdge, look: Look, used: set[tuple[str, str, str]], *, labelled: bool
) -> dict[str, Any]:
    ink, line, _ = INK[look.theme]
    words = readable(edge.relationship_type)
    on_path = (edge.from_row_id, edge.to_row_id, edge.relationship_type) in used
    colour: Any = line
    if on_path:
        colour = ink
    elif used:
        colour = {"color": line, "opacity": STEPPED_BACK}
    elif edge.became:
        words = f"{became_mark(edge.became, look.theme).sign} {words}"
        colour = became_mark(edge.became, look.theme).colour
    return {
        "title": f"{words}, {edge.became} since" if edge.became else words,
        "label": words if on_path or (labelled and not used) else "",
        "color": colour,
        "width": 4 if on_path else 2 if edge.became else 1,
        "dashes": edge.became == "removed",
    }
