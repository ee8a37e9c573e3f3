"""Pages of a list: where one stands, and the way to the next."""

from __future__ import annotations

from collections.abc import Hashable

import streamlit as st

from .formatting import number

SIZE = 50


class Pages:
    """The cursors of the pages before this one; other filters begin at the first page."""

    def __init__(self, key: str, of: Hashable) -> None:
        self._key = f"{key}_pages"
        known = st.session_state.get(self._key)
        self._cursors: tuple[str, ...] = known[1] if known and known[0] == of else ()
        self._of = of
        self._keep(self._cursors)

    @property
    def cursor(self) -> str:
        return self._cursors[-1] if self._cursors else ""

    def footer(self, shown: int, total: int, after: str, *, size: int = SIZE) -> None:
        """Say which part is shown of how many; offer the pages before and after."""
        first = len(self._cursors) * size + 1
        with st.container(horizontal=True, vertical_alignment="center"):
            said = f"showing {number(first)}\u2013{number(first + shown - 1)} of {number(total)}"
            st.caption(said if shown else f"showing 0 of {number(total)}")
            if self._cursors and st.button("Back", key=f"{self._key}_back"):
                self._go(self._cursors[:-1])
            if after and st.button("Next", key=f"{self._key}_next"):
                self._go((*self._cursors, after))

    def _go(self, cursors: tuple[str, ...]) -> None:
        self._keep(cursors)
        st.rerun()

    def _keep(self, cursors: tuple[str, ...]) -> None:
        st.session_state[self._key] = (self._of, cursors)
