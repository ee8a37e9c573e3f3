"""Edit one or many entries in one batch, and report each failure."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from memory_core import Memory, new_id
from memory_core.model.facts.entries import CATEGORIES, Entry
from memory_core.model.scope import Scope

from .. import messages
from ..components.formatting import format_count
from ..saving import undo_offer
from ..saving.apply import apply_edit
from ..saving.versioned_form import close_form

# Prefix of the session keys of an entry's form.
KIND = "entry"


def apply_to_entries(
    entries: Sequence[Entry], done: str, edit: Callable[[Memory, Entry], object]
) -> None:
    """Edit each entry separately in one batch: a failure does not block the others."""
    messages.clear_messages()
    batch, failures = new_id(), []
    for entry in entries:

        def edit_entry(memory: Memory, entry: Entry = entry) -> object:
            return edit(memory, entry)

        outcome = apply_edit("", edit_entry, batch_id=batch)
        if outcome.error:
            failures.append(f"{entry.summary}: {outcome.error}")
    if failures:
        some = format_count(len(failures), "entry was", "entries were")
        messages.keep_message(
            f"{some} not changed: the edit is invalid or the entry has a newer version.", failures
        )
    close_form(KIND)
    count = len(entries) - len(failures)
    message = f"{format_count(count, 'entry', 'entries')} {done}."
    if len(entries) == count == 1:
        message = f"{done.capitalize()}: {entries[0].summary}"
    undo_offer.report_done(message, batch if count else "")


def delete_entries(entries: Sequence[Entry]) -> None:
    close_entries()
    apply_to_entries(
        entries, "deleted", lambda m, e: m.entries.delete_entry(e.id, force=True, scope=scope_of(e))
    )


def close_entries() -> None:
    st.session_state["entries_picked"] = []
    # A new key clears the selection of the table.
    st.session_state["entries_closed"] = st.session_state.get("entries_closed", 0) + 1


def tag_inputs(tags: Sequence[str], *, key: str) -> list[str]:
    """Show one input per tag, in as many columns as the page has room for."""
    with st.container(horizontal=True):
        return [
            st.text_input(f"Tag {place}", tag, max_chars=100, key=f"{key}_tag{place}", width=176)
            for place, tag in enumerate(tags, start=1)
        ]


def padded_tags(entry: Entry) -> list[str]:
    return [*entry.tags, *[""] * 5][:5]


def category_index(entry: Entry) -> int:
    names: list[str] = list(CATEGORIES)
    return names.index(entry.category) if entry.category in names else 0


def scope_of(entry: Entry) -> Scope:
    return Scope(project_id=entry.project_id, user_id=entry.user_id)
