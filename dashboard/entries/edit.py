"""Detail view of one entry: edit form and longer text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from memory_core import Memory
from memory_core.model.facts.entries import CATEGORIES, Entry

from .. import state
from ..components.change_view import format_value
from ..components.elements import Part, part, show
from ..components.formatting import number
from ..saving.versioned_form import Opened, Saved, VersionedForm
from .actions import (
    KIND,
    category_index,
    close_entries,
    delete_entries,
    padded_tags,
    scope_of,
    tag_inputs,
)
from .card import chunk_parts, entry_parts

CHUNKS = 20
_LABELS = {"summary": "text", "tags": "tags", "category": "category"}


def show_entry(entry: Entry) -> None:
    """Show an entry with its actions."""
    st.divider()
    show(*entry_parts(entry, state.memory().db.clock()), key="entry")
    with st.container(horizontal=True):
        if st.button("Close"):
            close_entries()
            st.rerun()
        if st.button("Delete"):
            delete_entries([entry])
    edit, context = st.tabs(["Edit", f"Longer text ({number(entry.total_chunks)})"])
    with edit:
        _edit_form(entry)
    with context:
        _longer_text(entry)


def _edit_form(entry: Entry) -> None:
    opened = FORM.open_row(entry, state.memory().entries.entry_version(entry.id))
    FORM.show_conflict(opened, entry)
    with st.form(opened.key, border=False):
        typed = _fields(opened)
        sent = st.form_submit_button("Save", type="primary")
    if sent:
        FORM.save_row(opened, typed)


def _is_edited(opened: Opened[Entry]) -> bool:
    entry, key = opened.row, opened.key
    stored = {
        "says": entry.summary,
        "category": CATEGORIES[category_index(entry)],
        "d": 0,
        "goes": entry.is_time_sensitive,
        **{f"tag{place}": tag for place, tag in enumerate(padded_tags(entry), 1)},
    }
    return any(
        st.session_state.get(f"{key}_{field}", value) != value for field, value in stored.items()
    )


def _fields(opened: Opened[Entry]) -> dict[str, Any]:
    entry, key = opened.row, opened.key
    summary = st.text_area("Text", entry.summary, max_chars=200, height=80, key=f"{key}_says")
    tags = tag_inputs(padded_tags(entry), key=key)
    left, middle, right = st.columns(3, vertical_alignment="bottom")
    category = left.selectbox("Category", CATEGORIES, category_index(entry), key=f"{key}_category")
    days = middle.number_input(
        "Expires in days", 0, 36_500, 0, key=f"{key}_d", help="0 keeps the current expiry."
    )
    sensitive = right.checkbox("Expires automatically", entry.is_time_sensitive, key=f"{key}_goes")
    return {
        "summary": summary,
        "tags": tags,
        "category": category,
        "is_time_sensitive": sensitive,
        "ttl_days": int(days),
    }


def _save_entry(memory: Memory, opened: Opened[Entry], typed: Mapping[str, Any]) -> Saved:
    entry = opened.row
    saved = memory.entries.update_entry(
        entry.id, **typed, expected_version=opened.seen, scope=scope_of(entry)
    )
    return Saved(f"Saved {saved.summary!r}.", saved.batch_id)


def _version_parts(opened: Entry, stored: Entry, typed: Mapping[str, Any]) -> list[Part]:
    """Return the opened, stored and typed version of each field that differs, as parts."""
    parts: list[Part] = []
    for field, label in _LABELS.items():
        was, now, mine = getattr(opened, field), getattr(stored, field), typed[field]
        if was != now or mine != was:
            versions = (("when you opened it", was), ("stored now", now), ("yours", mine))
            values = [
                part("span", "", part("span", "faint", f"{name} "), format_value(value, 200))
                for name, value in versions
            ]
            parts.append(part("div", "line", part("span", "faint", label), *values))
    return parts


FORM = VersionedForm(KIND, is_edited=_is_edited, save=_save_entry, versions=_version_parts)


def _longer_text(entry: Entry) -> None:
    if not entry.total_chunks:
        st.write("This entry has no longer text.")
        return
    last = (entry.total_chunks - 1) // CHUNKS + 1
    at = int(st.number_input("Page", 1, last, 1)) if last > 1 else 1
    found = state.memory().entry_query.entry_context(
        entry.id, offset=(at - 1) * CHUNKS, limit=CHUNKS, scope=scope_of(entry)
    )
    show(*chunk_parts(found.chunks), key="entry_chunks")
    first = (at - 1) * CHUNKS + 1
    st.caption(f"showing {first}\u2013{first + len(found.chunks) - 1} of {entry.total_chunks}")
