"""Lists that are paged by place: where one is, and the buttons that lead on."""

from __future__ import annotations

from typing import Any

import streamlit as st

from .formatting import number


def offset_of(name: str, *filters: Any) -> int:
    """Return where the page of a list begins; other filters lead back to its start."""
    kept = st.session_state.get(_key(name))
    if kept is None or kept[0] != filters:
        st.session_state[_key(name)] = kept = (filters, 0)
    return int(kept[1])


def pager(name: str, shown: int, total: int, *, size: int) -> None:
    """Show "showing 1-50 of 3 412", and buttons where there is more."""
    filters, offset = st.session_state[_key(name)]
    if not shown and offset:
        # What stood on this page is gone: the last page that has something is shown instead.
        _turn(name, filters, max(total - 1, 0) // size * size)
        st.rerun()
    if not total:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(f"showing {number(offset + 1)}\u2013{number(offset + shown)} of {number(total)}")
        if total > size:
            st.button(
                "Back",
                key=f"{name}_back",
                disabled=not offset,
                on_click=_turn,
                args=(name, filters, max(offset - size, 0)),
            )
            st.button(
                "Next",
                key=f"{name}_next",
                disabled=offset + shown >= total,
                on_click=_turn,
                args=(name, filters, offset + size),
            )


def _turn(name: str, filters: tuple[Any, ...], offset: int) -> None:
    st.session_state[_key(name)] = (filters, offset)


def _key(name: str) -> str:
    return f"{name}_offset"
