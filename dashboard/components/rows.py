"""A thing and what can be done with it, side by side however narrow the page is."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

# Streamlit lays columns one below the other on a narrow page, and a button alone on its line
# makes a list twice as long. What stands in a row of this module keeps its place.
CSS = """<style>
[class*="st-key-beside_"] { flex-wrap: nowrap; }
[class*="st-key-beside_"] > :first-child { min-width: 0; }
</style>"""


def side_by_side(key: str) -> tuple[DeltaGenerator, DeltaGenerator]:
    """Return the place of a thing, which takes the room there is, and that of its buttons."""
    with st.container(horizontal=True, vertical_alignment="center", key=f"beside_{key}"):
        thing = st.container(width="stretch")
        buttons = st.container(width="content", horizontal=True, gap="small")
    return thing, buttons
