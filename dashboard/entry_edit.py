"""One entry: read, edited as it was when it was opened, and its longer text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from memory_core import MemoryCoreError, VersionConflict
from memory_core.model.entries import CATEGORIES, Entry

from . import state, undo_offer
from .elements import Part, part, show
from .entry_acts import OPENED, close, delete, five_tags, place_of, scope_of
from .entry_card import chunk_parts, entry_parts
from .past import written
from .words import number

CHUNKS = 20
CONFLICT = "entry_conflict"
_WORDS = {"summary": "says", "tags": "tags", "category": "category"}


@dataclass(frozen=True)
class Opened:
    """An entry as its editor saw it, and the newest change that they know."""

    entry: Entry
    seen: int
    key: str


@dataclass(frozen=True)
class Conflict:
    """What somebody else did to an entry before what was typed could be saved."""

    id: str
    said: str
    version: int
    typed: Mapping[str, Any]


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
    opened = _opened(entry)
    # A place that stays: the form must not move while somebody types into it.
    with st.container():
        conflict: Conflict | None = st.session_state.get(CONFLICT)
        if conflict and conflict.id == entry.id:
            _decide(opened, entry, conflict)
    with st.form(opened.key, border=False):
        typed = _fields(opened)
        sent = st.form_submit_button("Save", type="primary")
    if sent:
        _save(opened, typed)


def _opened(entry: Entry) -> Opened:
    """Return the entry as it was when its form was opened first."""
    opened: Opened | None = st.session_state.get(OPENED)
    seen = state.memory().entries.version(entry.id)
    same = opened is not None and opened.entry.id == entry.id
    # Where nothing was typed, nothing can be lost: the form follows what is stored.
    if opened is None or not same or (opened.seen != seen and not _touched(opened)):
        opened = Opened(entry, seen, f"edit_{entry.id}_{seen}")
        st.session_state[OPENED] = opened
        st.session_state.pop(CONFLICT, None)
    return opened


def _touched(opened: Opened) -> bool:
    """Return whether something that was typed has been sent."""
    entry, key = opened.entry, opened.key
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


def _fields(opened: Opened) -> dict[str, Any]:
    entry, key = opened.entry, opened.key
    summary = st.text_input("What it says", entry.summary, max_chars=200, key=f"{key}_says")
    columns = st.columns(5)
    tags = [
        column.text_input(f"Tag {place}", tag, max_chars=100, key=f"{key}_tag{place}")
        for place, (column, tag) in enumerate(zip(columns, five_tags(entry), strict=True), 1)
    ]
    left, middle, right = st.columns(3, vertical_alignment="bottom")
    category = left.selectbox("Category", CATEGORIES, place_of(entry), key=f"{key}_category")
    days = middle.number_input("Days until it goes; 0: as it is", 0, 36_500, 0, key=f"{key}_d")
    sensitive = right.checkbox("Goes by itself", entry.is_time_sensitive, key=f"{key}_goes")
    return {
        "summary": summary,
        "tags": tags,
        "category": category,
        "is_time_sensitive": sensitive,
        "ttl_days": int(days),
    }


def _save(opened: Opened, typed: Mapping[str, Any]) -> None:
    """Save what was typed; if somebody was faster, nothing is, and both are shown."""
    entry = opened.entry
    try:
        with state.editing() as memory:
            saved = memory.entries.update(
                entry.id, **typed, expected_version=opened.seen, scope=scope_of(entry)
            )
    except VersionConflict as error:
        st.session_state[CONFLICT] = Conflict(
            entry.id, f"Changed by {error.by} at {error.at}", error.version, dict(typed)
        )
        st.rerun()
    except MemoryCoreError as error:
        state.failed("It was not saved, and is as it was.", error)
        return
    _forget()
    undo_offer.done(f"Saved {saved.summary!r}.", saved.batch_id)


def _decide(opened: Opened, stored: Entry, conflict: Conflict) -> None:
    """Show what was, is and was typed, and let one of the last two be chosen."""
    st.warning("It was changed elsewhere since you opened it. Nothing was saved.")
    parts: list[Part] = [part("div", "faint", conflict.said)]
    for field, word in _WORDS.items():
        was, now, mine = getattr(opened.entry, field), getattr(stored, field), conflict.typed[field]
        if was != now or mine != was:
            versions = (("when you opened it", was), ("stored now", now), ("yours", mine))
            told = [
                part("span", "", part("span", "faint", f"{whose} "), written(value, 200))
                for whose, value in versions
            ]
            parts.append(part("div", "line", part("span", "faint", word), *told))
    show(*parts, key="entry_conflict_parts")
    with st.container(horizontal=True):
        if st.button("Keep mine", key="entry_mine"):
            opened = replace(opened, seen=conflict.version)
            st.session_state[OPENED] = opened
            st.session_state.pop(CONFLICT)
            _save(opened, conflict.typed)
        st.button("Keep theirs", key="entry_theirs", on_click=_forget)


def _forget() -> None:
    """Open the entry anew, as it is stored."""
    st.session_state.pop(OPENED, None)
    st.session_state.pop(CONFLICT, None)


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
