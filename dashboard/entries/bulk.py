"""Bulk actions on selected entries: retag, change the category, delete."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import streamlit as st

from memory_core import Memory
from memory_core.model.facts.entries import CATEGORIES, Entry

from ..components.formatting import format_count, number
from .actions import apply_to_entries, delete_entries, scope_of


def show_selected(entries: Sequence[Entry]) -> None:
    st.divider()
    st.subheader(f"{number(len(entries))} entries selected")
    retag, category, deleting = st.tabs(["Retag", "Category", "Delete"])
    with retag, st.form("retag", border=False):
        frequent = Counter(tag for entry in entries for tag in entry.tags)
        old = st.selectbox(
            "Tag", [tag for tag, _ in frequent.most_common()], format_func=_with_count(frequent)
        )
        new = st.text_input("New tag", max_chars=100)
        if st.form_submit_button("Retag", type="primary"):
            tagged = [entry for entry in entries if old in entry.tags]
            apply_to_entries(tagged, "retagged", lambda m, e: _retag(m, e, str(old), new))
    with category, st.form("recategorise", border=False):
        chosen = st.selectbox("New category", CATEGORIES)
        other = [entry for entry in entries if entry.category != chosen]
        if st.form_submit_button("Change category"):
            apply_to_entries(
                other,
                "changed",
                lambda m, e: m.entries.update_entry(e.id, category=chosen, scope=scope_of(e)),
            )
    with deleting:
        chunks = sum(entry.total_chunks for entry in entries)
        st.write(
            f"Deletes {number(len(entries))} entries with {format_count(chunks, 'chunk')} of "
            "longer text. Undo restores them."
        )
        if st.button("Delete entries"):
            delete_entries(entries)


def _with_count(counts: Counter[str]) -> Callable[[str], str]:
    return lambda tag: f"{tag} ({counts[tag]})"


def _retag(memory: Memory, entry: Entry, old: str, new: str) -> None:
    tags = [new if tag == old else tag for tag in entry.tags]
    memory.entries.update_entry(entry.id, tags=tags, scope=scope_of(entry))
