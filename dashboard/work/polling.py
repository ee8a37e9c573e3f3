"""Fragments that refresh themselves, and the rerun when they are done."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st


def poll(look: Callable[[], bool], *, every: float | None) -> None:
    """
    Show what *look* shows, again *every* so many seconds, and rerun the page once it returns True.

    Never in the run that shows it first: a click may have started that run, and Streamlit
    forgets a click whose run is left before it has come to the button.
    """
    shown = False

    def again() -> None:
        nonlocal shown
        over = look()
        if over and shown:
            st.rerun()
        shown = True

    st.fragment(again, run_every=every)()
