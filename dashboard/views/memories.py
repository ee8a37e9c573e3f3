"""Page Memories: entries, and facts by scope with their history."""

from __future__ import annotations

from typing import NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard import state, tables
from dashboard.components.cursors import SIZE, Pages
from dashboard.components.formatting import format_count, number
from dashboard.entries.bulk import show_selected
from dashboard.entries.duplicates import show_duplicate_scan, show_duplicates
from dashboard.entries.edit import show_entry
from dashboard.entries.new_entry import show_new_entry_form
from dashboard.facts.facts import show_facts
from dashboard.facts.jobs import show_jobs
from dashboard.facts.merges import show_merges
from dashboard.saving import undo
from memory_core.model.facts.entries import CATEGORIES, EntryCounts, EntryPage
from memory_core.model.scope import Scope

STATUSES = ("active", "duplicate", "superseded", "all")
NO_USER = "No user"
PARTS = {
    "entries": "Entries",
    "facts": "Facts",
    "jobs": "Conversations",
    "merged": "Merged facts",
}

_SHOWING = {"facts": show_facts, "jobs": show_jobs, "merged": show_merges}


class Asked(NamedTuple):
    """Which entries are listed."""

    project: str
    user: str
    query: str
    category: str
    tag: str
    status: str


def page() -> None:
    heading = st.container()
    shown = _part()
    undo.show_offer()
    _SHOWING.get(shown, _entries_part)(heading)


def _part() -> str:
    """Let a part of the page be picked; the address says which one is shown."""
    wanted = st.query_params.get("show", "")
    st.session_state.setdefault("show", wanted if wanted in PARTS else "entries")
    picked = st.segmented_control(
        "Show",
        list(PARTS),
        format_func=PARTS.__getitem__,
        required=True,
        label_visibility="collapsed",
        key="show",
    )
    shown = str(picked or "entries")
    if shown != "entries":
        st.query_params["show"] = shown
    else:
        st.query_params.pop("show", None)
    return shown


def _entries_part(heading: DeltaGenerator) -> None:
    project, seq = state.project(), state.version()
    asked = _filters(project, seq)
    counts = _counts(project, asked.user, seq, state.last_expiry())
    with heading:
        st.title(_sentence(counts))
        _figures(counts)
    tabs = ["Entries", "Write", f"Marked as duplicates ({number(counts.duplicates)})"]
    listed, written, marked = st.tabs(tabs)
    with listed:
        _list(asked, seq)
    with written:
        show_new_entry_form(project, asked.user)
    with marked:
        show_duplicate_scan()
        pages = Pages("duplicates", asked)
        show_duplicates(_page(asked._replace(status="duplicate"), pages.cursor, seq), pages)


def _sentence(counts: EntryCounts) -> str:
    if not counts.entries:
        return "No entry can be found yet"
    said = f"{format_count(counts.entries, 'entry', 'entries')} can be found"
    if counts.duplicates:
        said += f", {format_count(counts.duplicates, 'duplicate is', 'duplicates are')} marked"
    return said


def _figures(counts: EntryCounts) -> None:
    figures = (
        ("Entries", counts.entries),
        ("Different tags", counts.tags),
        ("Chunks of longer text", counts.context_chunks),
        ("Groups", counts.groups),
    )
    with st.container(horizontal=True):
        for label, count in figures:
            st.metric(label, number(count), width=170)


def _filters(project: str, seq: int) -> Asked:
    users = [NO_USER, *_users(project, seq)]
    with st.container(horizontal=True):
        query = st.text_input("Part of what it says", width=260)
        tag = st.text_input("Tag", width=150)
        category = st.selectbox(
            "Category", ["", *CATEGORIES], format_func=lambda c: c.capitalize() or "All", width=150
        )
        status = st.selectbox("Status", STATUSES, format_func=str.capitalize, width=140)
        # An entry that carries a user is that user's alone, here as for an assistant.
        user = st.selectbox("User", users, width=170) if len(users) > 1 else NO_USER
    return Asked(
        project, "" if user == NO_USER else str(user), query.strip(), category, tag.strip(), status
    )


def _list(asked: Asked, seq: int) -> None:
    pages = Pages("entries", asked)
    found = _page(asked, pages.cursor, seq)
    if not found.entries:
        _empty(asked)
        return
    closed = st.session_state.get("entries_closed", 0)
    event = st.dataframe(
        tables.entries_table(found.entries, state.memory().db.clock()),
        hide_index=True,
        on_select="rerun",
        selection_mode="multi-row",
        column_config={
            "Text": st.column_config.TextColumn(width=430),
            "Tags": st.column_config.ListColumn(width=180),
            "Expires": st.column_config.TextColumn(width=90),
        },
        key=f"entries_{closed}_{hash(asked)}_{pages.cursor}",
    )
    pages.footer(len(found.entries), found.total, found.cursor)
    # A row may be gone between the click and this run.
    rows = [row for row in event.selection.rows if row < len(found.entries)]
    if rows:
        st.session_state["entries_picked"] = [found.entries[row].id for row in rows]
    elif st.session_state.pop("entries_selected", False):
        st.session_state["entries_picked"] = []
    st.session_state["entries_selected"] = bool(rows)
    known = state.memory().entries.entries_by_ids(st.session_state.get("entries_picked", []))
    if len(known) == 1:
        show_entry(next(iter(known.values())))
    elif known:
        show_selected(list(known.values()))
    else:
        st.caption("Pick an entry to read and edit it, or several to change them at once.")


def _empty(asked: Asked) -> None:
    if asked.query or asked.tag or asked.category or asked.status != "active":
        st.write("No entry fits these filters. Take one of them away.")
        return
    st.write(
        "An entry is one sentence with five tags and a category, and longer text if "
        "there is any. Assistants write entries with memory_write, and find them by meaning with "
        "memory_query; the tab Write makes one by hand. The first one stands here as soon as it is "
        "written."
    )


@st.cache_data(show_spinner=False, max_entries=32)
def _users(project: str, seq: int) -> list[str]:
    owners = state.memory().entry_status.owners()
    mine = {o.user for o in owners if project in (state.EVERY_PROJECT, o.project_id)}
    return sorted(mine - {""})


@st.cache_data(show_spinner=False, max_entries=32)
def _counts(project: str, user: str, seq: int, expired: str) -> EntryCounts:
    scope = Scope(project_id=project, user_id=user)
    return state.memory().entry_status.status(scope=scope).counts


def _page(asked: Asked, cursor: str, seq: int) -> EntryPage:
    return _entries(asked, cursor, seq, state.last_expiry())


@st.cache_data(show_spinner=False, max_entries=32)
def _entries(asked: Asked, cursor: str, seq: int, expired: str) -> EntryPage:
    return state.memory().entries.list_entries(
        scope=Scope(project_id=asked.project, user_id=asked.user),
        query=asked.query,
        category=asked.category,
        tag=asked.tag,
        status=asked.status,
        limit=SIZE,
        cursor=cursor,
    )


page()
