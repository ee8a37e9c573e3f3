"""Entries marked as saying what an older one says: looked for, kept apart or merged."""

from __future__ import annotations

import streamlit as st

from memory_core import MemoryCoreError
from memory_core.model.facts.entries import Entry, EntryPage

from .. import state
from ..components.cursors import Pages
from ..components.elements import part, show
from ..components.formatting import counted
from ..saving import undo_offer
from ..saving.changes import carried_out
from .actions import delete, scope_of
from .card import entry_parts

NO_TWINS = "No two entries say the same."


def look_for_duplicates() -> None:
    """Say what marks are for, and look for more."""
    st.write(
        "Of two entries that say the same, the older one takes over what the newer one says, and "
        "the newer one is marked and no longer found. Keep both if they are not the same after "
        "all: they are then never merged again."
    )
    if st.button("Look for duplicates"):
        _look()


def duplicates(found: EntryPage, pages: Pages) -> None:
    """Show each marked entry beside the one that says the same, to be decided on."""
    if not found.entries:
        st.info("No entry is marked as a duplicate.")
        return
    others = [entry.duplicate_of for entry in found.entries if entry.duplicate_of]
    kept = state.memory().entries.by_ids(others)
    now = state.memory().db.clock()
    for entry in found.entries:
        with st.container(border=True):
            left, right = st.columns(2, gap="large")
            with left:
                show(*entry_parts(entry, now), key=f"marked_{entry.id}")
            with right:
                other = kept.get(entry.duplicate_of or "")
                parts = entry_parts(other, now) if other else [part("p", "faint", "It is gone.")]
                show(*parts, key=f"kept_{entry.id}")
            _decide(entry)
    pages.footer(len(found.entries), found.total, found.cursor)


def _decide(entry: Entry) -> None:
    with st.container(horizontal=True):
        if st.button("Keep both", key=f"apart_{entry.id}"):
            batch = carried_out(
                "They were not taken apart.",
                lambda m: m.entry_upkeep.keep_apart(entry.id, scope=scope_of(entry)),
            )
            if batch:
                undo_offer.done(f"Kept apart: {entry.summary}", batch)
        if st.button("Merge", key=f"merge_{entry.id}", help="Delete the marked one."):
            delete([entry])


def _look() -> None:
    try:
        with st.spinner("Comparing what the entries say"), state.editing() as memory:
            found = memory.entry_upkeep.mark_duplicates()
    except MemoryCoreError as error:
        state.failed("The entries were not all compared.", error)
        return
    marked = counted(len(found), "entry is", "entries are")
    undo_offer.done(f"{marked} marked as saying what an older one says." if found else NO_TWINS)
