"""
Streamlit component that renders the graph with vis-network and reports clicks.

1. Names reach the browser as JSON and are painted on a canvas: markup in them is never parsed.
2. Nothing is loaded over the network: vis-network is part of the pyvis package.
3. The viewport is kept: while ``frame`` is the same, new data keeps the pan and zoom.
4. Every pointer action has a key: keys move between nodes and select one, and a live region
   announces each.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import streamlit as st

_LIBRARY = files("pyvis") / "templates" / "lib" / "vis-9.1.2"


def draw(painted: Mapping[str, Any], *, key: str, picked: str, frame: str) -> Any:
    """Draw a graph; the result holds the node ``picked`` or ``centred`` by this click."""
    return _element()(
        data={**painted, "picked": picked, "frame": frame},
        key=key,
        height="content",
        on_picked_change=lambda: None,
        on_centred_change=lambda: None,
    )


@st.cache_resource(show_spinner=False)
def _element() -> Any:
    source = element_source()
    return st.components.v2.component(
        "memory_graph", html=source["html"], css=source["css"], js=source["js"]
    )


@cache
def element_source() -> dict[str, str]:
    """Return the HTML, CSS and JavaScript for st.components.v2."""
    library = (_LIBRARY / "vis-network.min.js").read_text(encoding="utf-8")
    # The bundle assigns to `exports`: give it an object of its own.
    wrapped = (
        "const vis = {};\n(function (exports, module, define) {"
        f"{library}\n}}).call({{}}, vis, {{}}, undefined);\n"
    )
    return {
        "html": _HTML,
        "css": "/* graph */\n" + (_LIBRARY / "vis-network.css").read_text(encoding="utf-8") + _CSS,
        "js": wrapped + _JS,
    }


_HTML = """
<div id="frame">
  <div id="graph"></div>
  <div id="keys">N next, P previous, Enter opens the card; arrows pan, + and &minus; zoom</div>
  <div id="status" role="status"></div>
  <button id="fit" type="button" title="Fit the whole graph">Fit</button>
</div>
"""

_CSS = """
#frame { position: relative; }
#fit {
  position: absolute; top: 8px; right: 8px; z-index: 1;
  font: 12px/1.4 var(--st-font); padding: 2px 10px; cursor: pointer;
  color: var(--st-text-color);
  background: var(--st-background-color);
  border: 1px solid var(--st-border-color);
  border-radius: var(--st-base-radius);
}
#fit:focus-visible { outline: 2px solid var(--st-primary-color); outline-offset: 1px; }
#keys, #status { position: absolute; font: 12px/1.4 var(--st-font); }
#keys {
  display: none; left: 8px; bottom: 8px; max-width: calc(100% - 16px); padding: 2px 8px;
  pointer-events: none;
  color: var(--st-text-color);
  background: var(--st-secondary-background-color);
  border-radius: var(--st-base-radius);
}
#graph:not(.pointed):has(.vis-network:focus-visible) ~ #keys { display: block; }
#status { width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
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

# Labels have a constant size on the screen at any zoom. The most salient come first; a label that
# would overlap another is skipped.
_JS = """
const drawn = new WeakMap();
const SIZE = 12;
// Nodes fainter than this are not on the path and get no label.
const FAINT = 0.3;

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
    for (const node of [...first, ...data.nodes.filter(n => n.opacity > FAINT)]) {
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

// Key handler: move from node to node, the most salient first, and select the current one.
function keyHandler(net, data, state, status, pick) {
  const go = (step) => {
    const count = data.nodes.length;
    const at = data.nodes.findIndex(n => n.id === (state.hovered || state.picked));
    const place = at < 0 && step < 0 ? count - 1 : (at + step + count) % count;
    const node = data.nodes[place];
    const before = net.body.nodes[state.hovered];
    if (before) before.hover = false;
    state.hovered = node.id;
    net.body.nodes[node.id].hover = true;
    const on = net.canvasToDOM(net.getPosition(node.id));
    const frame = net.canvas.frame;
    if (on.x < 0 || on.y < 0 || on.x > frame.clientWidth || on.y > frame.clientHeight) {
      net.moveTo({ position: net.getPosition(node.id) });
      state.moved = true;
    }
    net.redraw();
    status.textContent = `${place + 1} of ${count}: ${node.title}`;
  };
  return (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || !data.nodes.length) return;
    if (event.key === 'n' || event.key === 'N') go(1);
    else if (event.key === 'p' || event.key === 'P') go(-1);
    else if (event.key === 'Enter' && state.hovered) pick(state.hovered);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const box = parentElement.querySelector('#graph');
  const paint = JSON.stringify([data.nodes, data.edges, data.options]);
  let known = drawn.get(box);
  if (!known || known.paint !== paint) {
    // Keep a viewport that the user moved; otherwise fit the whole graph.
    const view = known && known.frame === data.frame && known.state.moved
      ? { position: known.net.getViewPosition(), scale: known.net.getScale() } : null;
    if (known) known.net.destroy();
    const net = new vis.Network(
      box,
      { nodes: new vis.DataSet(data.nodes), edges: new vis.DataSet(data.edges) },
      data.options);
    const fit = (nodes) => net.fit({
      animation: false, maxZoomLevel: 1.1, ...(nodes && nodes.length ? { nodes } : {}) });
    const state = { picked: '', hovered: '', moved: !!view };
    state.font = getComputedStyle(box).fontFamily;
    net.on('afterDrawing', nameNodes(net, data, state));
    net.on('hoverNode', e => { state.hovered = e.node; });
    net.on('blurNode', () => { state.hovered = ''; });
    net.on('zoom', () => { state.moved = true; });
    net.on('dragEnd', () => { state.moved = true; });
    // In an inactive tab the box has no size yet.
    net.on('resize', () => { if (!state.moved) fit(data.focus); });
    net.on('click', e => { if (e.nodes.length) setTriggerValue('picked', e.nodes[0]); });
    net.on('doubleClick', e => { if (e.nodes.length) setTriggerValue('centred', e.nodes[0]); });
    if (view) net.moveTo(view); else fit(data.focus);
    parentElement.querySelector('#fit').onclick = () => { fit(); state.moved = false; };
    // vis-network takes the focus on a click; the focus ring is for keyboard users only.
    box.onpointerdown = () => box.classList.add('pointed');
    const status = parentElement.querySelector('#status');
    const keys = keyHandler(net, data, state, status, node => setTriggerValue('picked', node));
    box.onkeydown = event => { box.classList.remove('pointed'); keys(event); };
    known = { net, paint, frame: data.frame, state };
    drawn.set(box, known);
    window.memoryGraph = net;
  }
  const frame = known.net.canvas.frame;
  frame.tabIndex = 0;
  frame.setAttribute('role', 'application');
  frame.setAttribute('aria-label', data.label);
  known.state.picked = data.picked;
  if (data.picked && known.net.body.nodes[data.picked]) known.net.selectNodes([data.picked]);
  else known.net.unselectAll();
  known.net.redraw();
}
"""
