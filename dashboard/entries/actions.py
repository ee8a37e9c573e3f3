"""What is done to entries: one or many in a batch, told with Undo, each failure named."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from memory_core import Memory, MemoryCoreError, as_one_batch, new_id
from memory_core.model.facts.entries import CATEGORIES, Entry
from memory_core.model.scope import Scope

from .. import state
from ..components.formatting import counted
from ..saving import undo_offer
from ..saving.versioned_form import forget

# What the keys of an entry's form begin with.
KIND = "entry"


def change(entries: Sequence[Entry], done: str, act: Callable[[Memory, Entry], object]) -> None:
    """Change each entry for itself, all in one batch: what cannot be keeps no other back."""
    batch, failures = new_id(), []
    for entry in entries:
        try:
            with state.editing() as memory, as_one_batch(batch):
                act(memory, entry)
        except MemoryCoreError as error:
            failures.append(f"{entry.summary}: {error}")
    st.session_state["entry_failures"] = failures
    forget(KIND)
    count = len(entries) - len(failures)
    said = f"{counted(count, 'entry', 'entries')} {done}."
    if len(entries) == count == 1:
        said = f"{done.capitalize()}: {entries[0].summary}"
    undo_offer.done(said, batch if count else "")


def delete(entries: Sequence[Entry]) -> None:
    close()
    change(entries, "deleted", lambda m, e: m.entries.delete(e.id, force=True, scope=scope_of(e)))


def failures() -> None:
    failures = st.session_state.pop("entry_failures", [])
    if failures:
        some = counted(len(failures), "entry is", "entries are")
        st.error(f"{some} as before: the change breaks a rule or came too late.")
        st.code("\n".join(failures), language=None, wrap_lines=True)


def close() -> None:
    st.session_state["entries_picked"] = []
    # A table of another key has nothing selected.
    st.session_state["entries_closed"] = st.session_state.get("entries_closed", 0) + 1


def tag_fields(tags: Sequence[str], *, key: str) -> list[str]:
    """Ask for each tag in a field of its own, as many beside each other as the page has room."""
    with st.container(horizontal=True):
        return [
            st.text_input(f"Tag {place}", tag, max_chars=100, key=f"{key}_tag{place}", width=176)
            for place, tag in enumerate(tags, start=1)
        ]


def five_tags(entry: Entry) -> list[str]:
    return [*entry.tags, *[""] * 5][:5]


def place_of(entry: Entry) -> int:
    names: list[str] = list(CATEGORIES)
    return names.index(entry.category) if entry.category in names else 0


def scope_of(entry: Entry) -> Scope:
    return Scope(project_id=entry.project_id, user_id=entry.user_id)
