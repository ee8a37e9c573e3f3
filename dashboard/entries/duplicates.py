"""Find duplicate entries, and keep or merge each pair."""

from __future__ import annotations

import streamlit as st

from memory_core.model.facts.entries import Entry, EntryPage

from .. import state
from ..components.cursors import Pages
from ..components.elements import part, show
from ..components.formatting import format_count
from ..saving import undo_offer
from ..saving.apply import apply_batch, run_operation
from .actions import delete_entries, scope_of
from .card import entry_parts

NO_DUPLICATES = "No duplicates found."


def show_duplicate_scan() -> None:
    st.write(
        "Of two duplicate entries, the older one takes over the content of the newer one. The "
        "newer one is marked as a duplicate and excluded from search. Keep both if they are not "
        "duplicates: they are then never merged again."
    )
    if st.button("Find duplicates"):
        _scan()


def show_duplicates(found: EntryPage, pages: Pages) -> None:
    """Show each marked entry next to the one it duplicates, with the choice between them."""
    if not found.entries:
        st.info("No entry is marked as a duplicate.")
        return
    others = [entry.duplicate_of for entry in found.entries if entry.duplicate_of]
    kept = state.memory().entries.entries_by_ids(others)
    now = state.memory().db.clock()
    for entry in found.entries:
        with st.container(border=True):
            left, right = st.columns(2, gap="large")
            with left:
                show(*entry_parts(entry, now), key=f"marked_{entry.id}")
            with right:
                other = kept.get(entry.duplicate_of or "")
                parts = (
                    entry_parts(other, now)
                    if other
                    else [part("p", "faint", "The entry was deleted.")]
                )
                show(*parts, key=f"kept_{entry.id}")
            _choice_buttons(entry)
    pages.footer(len(found.entries), found.total, found.cursor)


def _choice_buttons(entry: Entry) -> None:
    with st.container(horizontal=True):
        if st.button("Keep both", key=f"apart_{entry.id}"):
            batch = apply_batch(
                "The entries were not separated.",
                lambda m: m.entry_upkeep.keep_apart(entry.id, scope=scope_of(entry)),
            )
            if batch:
                undo_offer.report_done(f"Kept both: {entry.summary}", batch)
        if st.button("Merge", key=f"merge_{entry.id}", help="Delete the marked entry."):
            delete_entries([entry])


def _scan() -> None:
    with st.spinner("Comparing entries"):
        found = run_operation(
            "The search for duplicates did not finish.", lambda m: m.entry_upkeep.mark_duplicates()
        )
    if found is None:
        return
    marked = format_count(len(found), "entry is", "entries are")
    undo_offer.report_done(f"{marked} marked as duplicates." if found else NO_DUPLICATES)
