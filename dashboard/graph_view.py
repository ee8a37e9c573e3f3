"""
A map of the graph, drawn: positions, a pyvis network, a page to keep, an element to click on.

1. Positions are computed here, with a seed; the browser only paints. What was placed once
   stays where it was, and what is new settles around it.
2. Names reach the browser as JSON and are painted on a canvas: no markup in them is ever read.
   The ids of nodes are the store's own, never a person's.
3. Nothing is loaded from another machine: vis-network comes out of the pyvis package.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from memory_core.model.atlas import GraphMap, MapNode

from .colours import Theme, mark
from .words import shortened

Positions = dict[str, tuple[float, float]]

# Pixels between two neighbours, about; where there are few nodes, the names of relations fit in.
SPACING = 95.0
WIDE_SPACING = 150.0
FRAME = 600.0
LABEL_LENGTH = 36
# Up to so many edges, each carries its type in writing.
LABELLED_EDGES = 40
# Canvas work grows with the nodes: from here on edges rest while the view is dragged.
MANY_NODES = 300
SEED = 7
# Screens are wider than high.
FLATTENED = 0.92

INK: Mapping[Theme, tuple[str, str, str]] = {
    # text, edge, background
    "light": ("#0f141c", "#b4bcc8", "#fcfcfd"),
    "dark": ("#e3e7ed", "#4a5463", "#101318"),
}

_LIBRARY = files("pyvis") / "templates" / "lib" / "vis-9.1.2"
_OUTSIDE = re.compile(
    r"<link[^>]*https?://[^>]*>|<script[^>]*https?://[^>]*>\s*</script>|<!-- <link.*?-->", re.DOTALL
)
_POLICY = (
    '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
    "script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:\">"
)


def positions_of(drawn: GraphMap, known: Mapping[str, tuple[float, float]]) -> Positions:
    """Place every node; those in *known* stay if they are most of the map."""
    ids = [node.row_id for node in drawn.nodes]
    kept = {row_id: known[row_id] for row_id in ids if row_id in known}
    if len(kept) == len(ids):
        return kept
    pairs = [(edge.from_row_id, edge.to_row_id) for edge in drawn.edges]
    if len(kept) * 2 < len(ids):
        return _packed(ids, pairs)
    return _settled(ids, pairs, kept)


def network(drawn: GraphMap, positions: Positions, theme: Theme, picked: str = "") -> Any:
    """Return the map as a pyvis network; the node *picked* is ringed."""
    from pyvis.network import Network

    ink, line, paper = INK[theme]
    # Directed, for pyvis compares each new edge of an undirected network with all others.
    net = Network(
        height="720px",
        width="100%",
        directed=True,
        bgcolor=paper,
        font_color=ink,
        cdn_resources="in_line",
    )
    for node in drawn.nodes:
        x, y = positions[node.row_id]
        net.add_node(node.row_id, **_node(node, theme, picked=node.row_id == picked), x=x, y=y)
    labelled = len(drawn.edges) <= LABELLED_EDGES
    for edge in drawn.edges:
        words = edge.relationship_type.replace("_", " ").lower()
        net.add_edge(
            edge.from_row_id,
            edge.to_row_id,
            title=words,
            label=words if labelled else "",
            color=line,
            width=1,
        )
    net.set_options(json.dumps(options(len(drawn.nodes), theme)))
    return net


def options(nodes: int, theme: Theme) -> dict[str, Any]:
    """Return how vis-network is to paint and to behave."""
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
    """Return the network as one page that needs nothing else and asks nobody."""
    page = _OUTSIDE.sub("", net.generate_html())
    heading = title.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    head = f'<meta charset="utf-8">{_POLICY}<title>{heading}</title>'
    return str(page).replace('<meta charset="utf-8">', head, 1)


def element_data(net: Any, *, nodes: int, theme: Theme, picked: str) -> dict[str, Any]:
    """Return what the clickable element paints; it writes the names itself, where there is room."""
    ink, _, paper = INK[theme]
    named = [{**node, "name": node["label"], "label": ""} for node in net.nodes]
    return {
        "nodes": named,
        "edges": [{**edge, "id": number} for number, edge in enumerate(net.edges)],
        "options": options(nodes, theme),
        "ink": ink,
        "paper": paper,
        "picked": picked,
        "label": f"Graph of {nodes} entities. The table below lists the same entities.",
    }


@cache
def element_source() -> dict[str, str]:
    """Return the html, css and js of the clickable element, for st.components.v2."""
    library = (_LIBRARY / "vis-network.min.js").read_text(encoding="utf-8")
    # The bundle fills whatever `exports` it is given; here, an object of its own.
    wrapped = (
        "const vis = {};\n(function (exports, module, define) {"
        f"{library}\n}}).call({{}}, vis, {{}}, undefined);\n"
    )
    return {
        "html": '<div id="graph" tabindex="0" role="application"></div>',
        "css": "/* graph */\n" + (_LIBRARY / "vis-network.css").read_text(encoding="utf-8") + _CSS,
        "js": wrapped + _JS,
    }


_CSS = """
#graph {
  height: 620px;
  border: 1px solid var(--st-border-color);
  border-radius: var(--st-base-radius);
  background: var(--st-background-color);
}
#graph .vis-network:focus-visible {
  outline: 2px solid var(--st-primary-color);
  outline-offset: -2px;
}
#graph.pointed .vis-network:focus, #graph.pointed .vis-network:focus-visible { outline: none; }
div.vis-tooltip {
  font: 12px/1.4 var(--st-font);
  color: var(--st-text-color);
  background: var(--st-secondary-background-color);
  border: 1px solid var(--st-border-color);
  box-shadow: none;
  white-space: pre-line;
}
@media (max-width: 640px) { #graph { height: 420px; } }
"""

# Names keep their size on the screen at any zoom, the most salient first; one that would cover
# another waits until there is room.
_JS = """
const drawn = new WeakMap();
const SIZE = 12;

function nameNodes(net, data, state) {
  return (context) => {
    const scale = net.getScale();
    const from = net.DOMtoCanvas({ x: 0, y: 0 });
    const frame = net.canvas.frame.canvas;
    const to = net.DOMtoCanvas({ x: frame.clientWidth, y: frame.clientHeight });
    const places = net.getPositions();
    const first = data.nodes.filter(n => n.id === state.picked || n.id === state.hovered);
    const taken = [];
    context.font = `${SIZE / scale}px ${state.font}`;
    context.textAlign = 'center';
    context.textBaseline = 'top';
    context.lineJoin = 'round';
    context.lineWidth = 3 / scale;
    context.strokeStyle = data.paper;
    context.fillStyle = data.ink;
    for (const node of [...first, ...data.nodes]) {
      const at = places[node.id];
      if (at.x < from.x || at.x > to.x || at.y < from.y || at.y > to.y) continue;
      const half = (node.wide ??= node.name.length * SIZE * 0.29) / scale;
      const top = at.y + node.size + 3 / scale;
      const x = Math.min(Math.max(at.x, from.x + half), to.x - half);
      const box = [x - half, top, x + half, top + (SIZE + 2) / scale];
      if (taken.some(t => box[0] < t[2] && box[2] > t[0] && box[1] < t[3] && box[3] > t[1]))
        continue;
      taken.push(box);
      context.strokeText(node.name, x, top);
      context.fillText(node.name, x, top);
    }
  };
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const box = parentElement.querySelector('#graph');
  const paint = JSON.stringify([data.nodes, data.edges, data.options]);
  const ids = data.nodes.map(n => n.id).join();
  let known = drawn.get(box);
  if (!known || known.paint !== paint) {
    const view = known && known.ids === ids
      ? { position: known.net.getViewPosition(), scale: known.net.getScale() } : null;
    if (known) known.net.destroy();
    const net = new vis.Network(
      box,
      { nodes: new vis.DataSet(data.nodes), edges: new vis.DataSet(data.edges) },
      data.options);
    const state = { picked: '', hovered: '', font: getComputedStyle(box).fontFamily };
    net.on('afterDrawing', nameNodes(net, data, state));
    net.on('hoverNode', e => { state.hovered = e.node; });
    net.on('blurNode', () => { state.hovered = ''; });
    net.on('click', e => { if (e.nodes.length) setTriggerValue('picked', e.nodes[0]); });
    net.on('doubleClick', e => { if (e.nodes.length) setTriggerValue('centred', e.nodes[0]); });
    if (view) net.moveTo(view); else net.fit({ animation: false, maxZoomLevel: 1.1 });
    // vis-network takes the focus on a click; the ring is for those who came by keyboard.
    box.onpointerdown = () => box.classList.add('pointed');
    box.onkeydown = () => box.classList.remove('pointed');
    known = { net, paint, ids, state };
    drawn.set(box, known);
    window.memoryGraph = net;
  }
  box.setAttribute('aria-label', data.label);
  known.state.picked = data.picked;
  if (data.picked && known.net.body.nodes[data.picked]) known.net.selectNodes([data.picked]);
  else known.net.unselectAll();
  known.net.redraw();
}
"""


def _node(node: MapNode, theme: Theme, *, picked: bool) -> dict[str, Any]:
    colour, shape = mark(node.node_type, theme)
    ink = INK[theme][0]
    archived = node.status == "archived"
    words = f"{node.name}\n{node.node_type}{', archived' if archived else ''}"
    return {
        "label": shortened(node.name, LABEL_LENGTH),
        "title": f"{words}\n{node.observations} observations, {node.degree} relations",
        "shape": shape,
        "size": round(7 + 18 * node.salience, 1),
        "color": {
            "background": colour,
            "border": ink if picked else colour,
            "highlight": {"background": colour, "border": ink},
            "hover": {"background": colour, "border": ink},
        },
        "opacity": 0.45 if archived else 1.0,
    }


def _packed(ids: list[str], pairs: list[tuple[str, str]]) -> Positions:
    """Lay out each connected part by itself, then set the parts side by side in columns."""
    if not ids:
        return {}
    placed: Positions = {}
    parts = [_spring(part, pairs) for part in _parts(ids, pairs)]
    height = max(_extent(part)[1] for part in parts)
    x = y = column = 0.0
    for part in parts:
        width, depth = _extent(part)
        if y and y + depth > height:
            x, y, column = x + column + SPACING, 0.0, 0.0
        for row_id, (left, top) in part.items():
            placed[row_id] = (round(x + left, 1), round(y + top, 1))
        y += depth + SPACING
        column = max(column, width)
    return placed


def _extent(part: Positions) -> tuple[float, float]:
    return max(x for x, _ in part.values()), max(y for _, y in part.values())


def _parts(ids: list[str], pairs: list[tuple[str, str]]) -> list[list[str]]:
    """Return the connected parts, the largest first."""
    import rustworkx

    graph = _graph(ids, pairs)
    parts = [sorted(part) for part in rustworkx.connected_components(graph)]
    parts.sort(key=lambda part: (-len(part), part))
    return [[ids[index] for index in part] for part in parts]


def _spring(ids: list[str], pairs: list[tuple[str, str]]) -> Positions:
    """Lay out one connected part inside a square whose side grows with the root of its size."""
    import rustworkx

    if len(ids) == 1:
        return {ids[0]: (SPACING / 2, SPACING / 2)}
    root = math.sqrt(len(ids))
    half = max(SPACING, min(WIDE_SPACING, FRAME / root)) * root / 2
    found = rustworkx.spring_layout(
        _graph(ids, pairs),
        seed=SEED,
        num_iter=_rounds(len(ids)),
        scale=half,  # type: ignore[arg-type] # the stub says int, the library takes a float
        center=(half, half),
    )
    across = _spread([float(found[index][0]) for index in range(len(ids))])
    down = _spread([float(found[index][1]) for index in range(len(ids))])
    return {row_id: (across[n], down[n] * FLATTENED) for n, row_id in enumerate(ids)}


def _spread(values: list[float]) -> list[float]:
    """Thin out where nodes crowd: half of each place is its rank among the others."""
    low, high = min(values), max(values)
    ranks = {
        index: rank for rank, index in enumerate(sorted(range(len(values)), key=values.__getitem__))
    }
    step = (high - low) / max(len(values) - 1, 1)
    return [(value + low + ranks[index] * step) / 2 for index, value in enumerate(values)]


def _settled(ids: list[str], pairs: list[tuple[str, str]], kept: Positions) -> Positions:
    """Place what is new beside its neighbours; what was there does not move."""
    near: dict[str, list[str]] = {}
    for one, other in pairs:
        near.setdefault(one, []).append(other)
        near.setdefault(other, []).append(one)
    placed = dict(kept)
    below = max((y for _, y in kept.values()), default=0.0) + SPACING
    for count, row_id in enumerate(row_id for row_id in ids if row_id not in kept):
        around = [placed[other] for other in near.get(row_id, ()) if other in placed]
        turn = count * 2.399963  # the golden angle: neighbours of one node never coincide
        if around:
            x = sum(x for x, _ in around) / len(around) + SPACING * 0.8 * math.cos(turn)
            y = sum(y for _, y in around) / len(around) + SPACING * 0.8 * math.sin(turn)
        else:
            x, y = count * SPACING, below
        placed[row_id] = (round(x, 1), round(y, 1))
    return placed


def _graph(ids: list[str], pairs: Iterable[tuple[str, str]]) -> Any:
    import rustworkx

    index = {row_id: number for number, row_id in enumerate(ids)}
    graph = rustworkx.PyGraph(multigraph=False)
    graph.add_nodes_from(ids)
    graph.add_edges_from([(index[a], index[b], 1.0) for a, b in pairs if a in index and b in index])
    return graph


def _rounds(nodes: int) -> int:
    """Return iterations that stay well under a second: each costs the square of the nodes."""
    return max(40, min(300, 40_000_000 // (nodes * nodes + 1)))
