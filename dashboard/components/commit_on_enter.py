"""
Enter and Tab in a cell of a table, handed on only when the table has seen what was typed.

The table takes what its last drawing knew when Enter comes. If the key follows the typing so
closely that nothing was drawn in between, as on a busy machine or after pasting, the old text
is taken again and the edit is gone without a word. Here the key waits for two drawings.
"""

from __future__ import annotations

from typing import Any

import streamlit as st


def careful_enter() -> None:
    """Make Enter and Tab careful for as long as this page shows tables to edit."""
    _component()(key="careful_enter", height="content")


@st.cache_resource(show_spinner=False)
def _component() -> Any:
    return st.components.v2.component("careful_enter", html="<span></span>", js=_JS)


_JS = """
const ENDS = new Set(['Enter', 'Tab']);

export default function () {
  let waiting = false;
  const later = (event) => {
    const field = event.target;
    if (!event.isTrusted || !(field instanceof Element) || !field.matches('.gdg-input')) return;
    const ends = ENDS.has(event.key) && !event.isComposing
      && !(event.key === 'Enter' && event.shiftKey);
    if (!ends && !waiting) return;
    // While it waits, what is typed for the next cell must not end up in this one either.
    event.stopImmediatePropagation();
    event.preventDefault();
    if (waiting) return;
    waiting = true;
    const { key, code, keyCode, shiftKey } = event;
    const again = new KeyboardEvent('keydown',
      { key, code, keyCode, shiftKey, bubbles: true, cancelable: true });
    let handed = false;
    const hand = () => {
      if (handed) return;
      handed = true;
      waiting = false;
      if (field.isConnected) field.dispatchEvent(again);
    };
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(hand)));
    // A tab that is not looked at draws nothing.
    setTimeout(hand, 250);
  };
  window.addEventListener('keydown', later, { capture: true });
  return () => window.removeEventListener('keydown', later, { capture: true });
}
"""
