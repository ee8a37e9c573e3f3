"""Several entries picked in a list: retagged, put into another category or deleted in one act."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import streamlit as st

from memory_core import Memory
from memory_core.model.facts.entries import CATEGORIES, Entry

from ..components.formatting import counted, number
from .actions import change, delete, scope_of


def several(entries: Sequence[Entry]) -> None:
    st.divider()
    st.subheader(f"{number(len(entries))} entries picked")
    retag, category, deleting = st.tabs(["Retag", "Category", "Delete"])
    with retag, st.form("retag", border=False):
        frequent = Counter(tag for entry in entries for tag in entry.tags)
        old = st.selectbox(
            "Tag", [tag for tag, _ in frequent.most_common()], format_func=_with_count(frequent)
        )
        new = st.text_input("Becomes", max_chars=100)
        if st.form_submit_button("Retag", type="primary"):
            having = [entry for entry in entries if old in entry.tags]
            change(having, "retagged", lambda m, e: _retag(m, e, str(old), new))
    with category, st.form("recategorise", border=False):
        chosen = st.selectbox("New category", CATEGORIES)
        other = [entry for entry in entries if entry.category != chosen]
        if st.form_submit_button("Change the category"):
            change(
                other,
                "changed",
                lambda m, e: m.entries.update(e.id, category=chosen, scope=scope_of(e)),
            )
    with deleting:
        chunks = sum(entry.total_chunks for entry in entries)
        st.write(
            f"Deletes {number(len(entries))} entries with {counted(chunks, 'chunk')} of longer "
            "text. Undo brings them back."
        )
        if st.button("Delete them"):
            delete(entries)


def _with_count(counts: Counter[str]) -> Callable[[str], str]:
    return lambda tag: f"{tag} ({counts[tag]})"


def _retag(memory: Memory, entry: Entry, old: str, new: str) -> None:
    tags = [new if tag == old else tag for tag in entry.tags]
    memory.entries.update(entry.id, tags=tags, scope=scope_of(entry))
