"""
Text from memory, set well and read as text only.

A page describes what it shows as parts: a tag, a class, and texts or parts inside. The browser
builds them one by one from a list of harmless tags, and every text becomes a text node, so no
name or fact can load an image or run a script. Streamlit's own markdown would.
"""

from __future__ import annotations

import re
from typing import Any

import streamlit as st

Part = dict[str, Any] | str

_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")


def part(tag: str, kind: str = "", *inside: Part, **more: str) -> Part:
    """
    Return one part of a page.

    Keywords: ``title`` (shown on hover), ``colour`` (of the text), ``pick`` (what a click on it
    tells the page), ``label`` (read out instead of the text).
    """
    if "colour" in more and not _COLOUR.fullmatch(more["colour"]):
        raise ValueError(f"{more['colour']!r} is no colour.")
    return {"tag": tag, "class": kind, "inside": list(inside), **more}


def show(*parts: Part, key: str) -> str:
    """Show the parts; return what was picked in this run, or nothing."""
    result = _renderer()(
        data={"parts": list(parts)}, key=key, on_picked_change=lambda: None, height="content"
    )
    return str(result.picked or "")


@st.cache_resource(show_spinner=False)
def _renderer() -> Any:
    # Registered once in a process; the names here are ours, never a person's.
    return st.components.v2.component("memory_text", html='<div id="root"></div>', css=_CSS, js=_JS)


_JS = """
const TAGS = new Set(['div', 'span', 'p', 'ul', 'ol', 'li', 'mark', 'strong', 'em', 'h2', 'h3',
  'time', 'del', 'dl', 'dt', 'dd', 'section', 'article']);

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const build = (described) => {
    if (typeof described === 'string') return document.createTextNode(described);
    const tag = TAGS.has(described.tag) ? described.tag : 'span';
    const made = document.createElement(described.pick ? 'button' : tag);
    if (described.class) made.className = described.class;
    if (described.title) made.title = described.title;
    if (described.label) made.setAttribute('aria-label', described.label);
    if (described.colour) made.style.color = described.colour;
    if (described.pick) {
      made.type = 'button';
      made.addEventListener('click', () => setTriggerValue('picked', described.pick));
    }
    made.replaceChildren(...described.inside.map(build));
    return made;
  };
  parentElement.querySelector('#root').replaceChildren(...data.parts.map(build));
}
"""

_CSS = """/* text */
#root { font: 14px/1.5 var(--st-font); color: var(--st-text-color); overflow-wrap: anywhere; }
#root h2, #root h3, #root p, #root ul, #root ol, #root dl, #root dd { margin: 0; padding: 0; }
h2 { font-size: 1.2rem; font-weight: 600; line-height: 1.3; }
h3 { font-size: 0.8rem; font-weight: 600; color: var(--st-gray-text-color); }
#root h3 { margin: 0.9rem 0 0.25rem; }
ul, ol { list-style: none; }
button { font: inherit; color: var(--st-link-color); background: none; border: 0; padding: 0;
  cursor: pointer; text-align: left; overflow-wrap: anywhere; }
button:hover { text-decoration: underline; }
button:focus-visible { outline: 2px solid var(--st-primary-color); outline-offset: 2px;
  border-radius: 2px; }
mark { background: var(--st-yellow-background-color); color: inherit; font-weight: 600;
  border-radius: 2px; padding: 0 1px; }
.faint { color: var(--st-gray-text-color); font-size: 0.85rem; }
.number { font-variant-numeric: tabular-nums; text-align: right; white-space: nowrap; }
.row { display: flex; gap: 0.6rem; align-items: baseline; justify-content: space-between; }
.row > :first-child { min-width: 0; }
.inline { display: flex; gap: 0.4rem; align-items: baseline; }
.inline > :first-child { flex: none; }
@media (max-width: 640px) {
  .inline { display: block; }
  .row.stacked { flex-direction: column; gap: 0; }
}
.line { display: flex; flex-wrap: wrap; gap: 0.1rem 0.7rem; align-items: baseline; }
.item { padding: 0.55rem 0; border-top: 1px solid var(--st-border-color-light,
  var(--st-border-color)); }
.item:first-child { border-top: 0; }
.tight { padding: 0.28rem 0; }
.strong { font-weight: 600; }
.quote { white-space: pre-line; margin-top: 0.15rem; }
.gone { opacity: 0.65; text-decoration: line-through; }
.chip { font-size: 0.78rem; padding: 0 0.4rem; border-radius: 999px; white-space: nowrap;
  background: var(--st-gray-background-color); color: var(--st-gray-text-color); }
.chip.amber { background: var(--st-orange-background-color); color: var(--st-orange-text-color); }
.chip.blue { background: var(--st-blue-background-color); color: var(--st-blue-text-color); }
.chip.green { background: var(--st-green-background-color); color: var(--st-green-text-color); }
.chip.red { background: var(--st-red-background-color); color: var(--st-red-text-color); }
.legend { font-size: 0.85rem; display: flex; flex-wrap: wrap; gap: 0.15rem 1rem; }
.legend li { white-space: nowrap; }
.mono { font-family: var(--st-code-font); font-size: 0.85em; }
.checks { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 0.6rem; }
.check { padding: 0.4rem 0.6rem; border: 1px solid var(--st-border-color);
  border-radius: var(--st-base-radius); }
.dot { font-size: 0.9em; }
.dot.green { color: #2f9e6e; }
.dot.amber { color: #d98a1f; }
.dot.red { color: #d6455d; }
"""
