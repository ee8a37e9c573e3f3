"""One entry: read, edited as it was when it was opened, and its longer text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from memory_core import Memory
from memory_core.model.facts.entries import CATEGORIES, Entry

from .. import state
from ..components.change_view import written
from ..components.elements import Part, part, show
from ..components.formatting import number
from ..saving.versioned_form import ContestedForm, Opened, Saved
from .actions import KIND, close, delete, five_tags, place_of, scope_of, tag_fields
from .card import chunk_parts, entry_parts

CHUNKS = 20
_WORDS = {"summary": "says", "tags": "tags", "category": "category"}


def one_entry(entry: Entry) -> None:
    """Show an entry with all that can be done to it."""
    st.divider()
    show(*entry_parts(entry, state.memory().db.clock()), key="entry")
    with st.container(horizontal=True):
        if st.button("Close"):
            close()
            st.rerun()
        if st.button("Delete"):
            delete([entry])
    edit, context = st.tabs(["Edit", f"Longer text ({number(entry.total_chunks)})"])
    with edit:
        _edit(entry)
    with context:
        _context(entry)


def _edit(entry: Entry) -> None:
    opened = FORM.opened(entry, state.memory().entries.version(entry.id))
    FORM.decide(opened, entry)
    with st.form(opened.key, border=False):
        typed = _fields(opened)
        sent = st.form_submit_button("Save", type="primary")
    if sent:
        FORM.keep(opened, typed)


def _touched(opened: Opened[Entry]) -> bool:
    """Return whether something that was typed has been sent."""
    entry, key = opened.row, opened.key
    standing = {
        "says": entry.summary,
        "category": CATEGORIES[place_of(entry)],
        "d": 0,
        "goes": entry.is_time_sensitive,
        **{f"tag{place}": tag for place, tag in enumerate(five_tags(entry), 1)},
    }
    return any(
        st.session_state.get(f"{key}_{field}", value) != value for field, value in standing.items()
    )


def _fields(opened: Opened[Entry]) -> dict[str, Any]:
    entry, key = opened.row, opened.key
    summary = st.text_area(
        "What it says", entry.summary, max_chars=200, height=80, key=f"{key}_says"
    )
    tags = tag_fields(five_tags(entry), key=key)
    left, middle, right = st.columns(3, vertical_alignment="bottom")
    category = left.selectbox("Category", CATEGORIES, place_of(entry), key=f"{key}_category")
    days = middle.number_input(
        "Expires in days", 0, 36_500, 0, key=f"{key}_d", help="0 leaves its end as it is."
    )
    sensitive = right.checkbox("Expires by itself", entry.is_time_sensitive, key=f"{key}_goes")
    return {
        "summary": summary,
        "tags": tags,
        "category": category,
        "is_time_sensitive": sensitive,
        "ttl_days": int(days),
    }


def _save(memory: Memory, opened: Opened[Entry], typed: Mapping[str, Any]) -> Saved:
    entry = opened.row
    saved = memory.entries.update(
        entry.id, **typed, expected_version=opened.seen, scope=scope_of(entry)
    )
    return Saved(f"Saved {saved.summary!r}.", saved.batch_id)


def _versions(opened: Entry, stored: Entry, typed: Mapping[str, Any]) -> list[Part]:
    """Return what was, is and was typed of each field that is in question, as parts."""
    parts: list[Part] = []
    for field, word in _WORDS.items():
        was, now, mine = getattr(opened, field), getattr(stored, field), typed[field]
        if was != now or mine != was:
            versions = (("when you opened it", was), ("stored now", now), ("yours", mine))
            told = [
                part("span", "", part("span", "faint", f"{whose} "), written(value, 200))
                for whose, value in versions
            ]
            parts.append(part("div", "line", part("span", "faint", word), *told))
    return parts


FORM = ContestedForm(KIND, touched=_touched, save=_save, versions=_versions)


def _context(entry: Entry) -> None:
    if not entry.total_chunks:
        st.write("There is no longer text with it.")
        return
    last = (entry.total_chunks - 1) // CHUNKS + 1
    at = int(st.number_input("Page", 1, last, 1)) if last > 1 else 1
    found = state.memory().entry_query.context(
        entry.id, offset=(at - 1) * CHUNKS, limit=CHUNKS, scope=scope_of(entry)
    )
    show(*chunk_parts(found.chunks), key="entry_chunks")
    first = (at - 1) * CHUNKS + 1
    st.caption(f"showing {first}\u2013{first + len(found.chunks) - 1} of {entry.total_chunks}")
