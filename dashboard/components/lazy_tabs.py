"""Tabs and expanders that render their content on first use.

A page that opens reads and draws only what is seen of it. What was opened once stays for as long
as the page does, for Streamlit forgets what is typed into a field that a run leaves out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import streamlit as st

Shown = TypeVar("Shown")


def tabs(bodies: Mapping[str, Callable[[], Any]], *, key: str) -> dict[str, Any]:
    """Show a tab for each body; return what the opened ones returned, by the names of the tabs."""
    fresh = key not in st.session_state
    places = st.tabs(list(bodies), key=key, on_change="rerun")
    opened = _opened_tabs(key, {n for n, place in enumerate(places) if place.open}, fresh=fresh)
    found = {}
    for number, (name, place) in enumerate(zip(bodies, places, strict=True)):
        if number in opened:
            with place:
                found[name] = bodies[name]()
    return found


def fold(
    label: str, body: Callable[[], Shown], *, key: str, expanded: bool = False
) -> Shown | None:
    """Show what can be unfolded; return what its body did, nothing before it was."""
    fresh = key not in st.session_state
    place = st.expander(label, expanded, key=key, on_change="rerun")
    if not _opened_tabs(key, {0} if place.open else set(), fresh=fresh):
        return None
    with place:
        return body()


def _opened_tabs(key: str, now: set[int], *, fresh: bool) -> set[int]:
    """Return all that was opened on this visit; Streamlit drops the key of what is not shown."""
    kept = f"{key}_opened"
    before: set[int] = set() if fresh else st.session_state.get(kept, set())
    st.session_state[kept] = before | now
    return before | now
