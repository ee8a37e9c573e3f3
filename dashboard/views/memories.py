"""Entries: one sentence with five tags each, to read, mend, retag and delete."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

import streamlit as st

from dashboard import state, tables, undo_offer
from dashboard.changes import carried_out
from dashboard.cursors import SIZE, Pages
from dashboard.elements import part, show
from dashboard.entry_card import chunk_parts, entry_parts
from dashboard.words import counted, number
from memory_core import Memory, MemoryCoreError, VersionConflict, as_one_batch, new_id
from memory_core.model.entries import CATEGORIES, Entry, EntryCounts, EntryPage
from memory_core.model.scope import Scope

CHUNKS = 20
STATUSES = ("active", "duplicate", "superseded", "all")
NOBODY = "nobody's own"


class Asked(NamedTuple):
    """Which entries are listed."""

    project: str
    user: str
    query: str
    category: str
    tag: str
    status: str


def page() -> None:
    project, seq = state.project(), state.version()
    heading = st.container()
    undo_offer.offer()
    _failures()
    asked = _filters(project, seq)
    counts = _counts(project, asked.user, seq)
    with heading:
        st.title(_sentence(counts))
        _figures(counts)
    listed, marked = st.tabs(["Entries", f"Marked as duplicates ({number(counts.duplicates)})"])
    with listed:
        _list(asked, seq)
    with marked:
        _duplicates(asked, seq)


def _sentence(counts: EntryCounts) -> str:
    if not counts.entries:
        return "No entry can be found yet"
    said = f"{counted(counts.entries, 'entry', 'entries')} can be found"
    if counts.duplicates:
        said += f", {counted(counts.duplicates, 'duplicate is', 'duplicates are')} marked"
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
    users = [NOBODY, *_users(project, seq)]
    with st.container(horizontal=True):
        query = st.text_input("Part of what it says", width=260)
        tag = st.text_input("Tag", width=150)
        category = st.selectbox(
            "Category", ["", *CATEGORIES], format_func=lambda c: c or "All", width=150
        )
        status = st.selectbox("Status", STATUSES, width=140)
        # An entry that carries a user is that user's alone, here as for an assistant.
        user = st.selectbox("User", users, width=170) if len(users) > 1 else NOBODY
    return Asked(
        project, "" if user == NOBODY else str(user), query.strip(), category, tag.strip(), status
    )


def _list(asked: Asked, seq: int) -> None:
    pages = Pages("entries", asked)
    found = _entries(asked, pages.cursor, seq)
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
            "Says": st.column_config.TextColumn(width=430),
            "Tags": st.column_config.ListColumn(width=210),
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
    known = state.memory().entries.by_ids(st.session_state.get("entries_picked", []))
    if len(known) == 1:
        _entry(next(iter(known.values())))
    elif known:
        _several(list(known.values()))
    else:
        st.caption("Pick an entry to read and edit it, or several to change them at once.")


def _empty(asked: Asked) -> None:
    if asked.query or asked.tag or asked.category or asked.status != "active":
        st.write("No entry fits these filters. Take one of them away.")
        return
    st.write(
        "An entry is one sentence with five tags and a category, and longer text beside it if "
        "there is any. Assistants write entries with memory_write, and find them by meaning with "
        "memory_query; the first one stands here as soon as it is written."
    )


def _entry(entry: Entry) -> None:
    st.divider()
    show(*entry_parts(entry, state.memory().db.clock()), key="entry")
    with st.container(horizontal=True):
        if st.button("Close"):
            _close()
            st.rerun()
        if st.button("Delete"):
            _delete([entry])
    edit, context = st.tabs(["Edit", f"Longer text ({number(entry.total_chunks)})"])
    with edit:
        _edit(entry)
    with context:
        _context(entry)


def _edit(entry: Entry) -> None:
    """Let the entry be changed, as it was when it was opened."""
    shown: dict[str, int] = st.session_state.setdefault("entry_versions", {})
    version = shown.setdefault(entry.id, state.memory().entries.version(entry.id))
    key = f"edit_{entry.id}_{version}"
    with st.form(key, border=False):
        summary = st.text_input("What it says", entry.summary, max_chars=200, key=f"{key}_says")
        columns = st.columns(5)
        tags = [
            column.text_input(f"Tag {place}", tag, max_chars=100, key=f"{key}_tag{place}")
            for place, (column, tag) in enumerate(zip(columns, _five(entry), strict=True), 1)
        ]
        left, middle, right = st.columns(3, vertical_alignment="bottom")
        category = left.selectbox("Category", CATEGORIES, _place_of(entry), key=f"{key}_category")
        days = middle.number_input("Days until it goes; 0: as it is", 0, 36_500, 0, key=f"{key}_d")
        sensitive = right.checkbox("Goes by itself", entry.is_time_sensitive, key=f"{key}_goes")
        sent = st.form_submit_button("Save", type="primary")
    if not sent:
        return
    try:
        with state.editing() as memory:
            written = memory.entries.update(
                entry.id,
                summary=summary,
                tags=tags,
                category=category,
                is_time_sensitive=sensitive,
                ttl_days=int(days),
                expected_version=version,
                scope=_scope(entry),
            )
    except VersionConflict as error:
        state.failed("It was changed elsewhere since you opened it. Nothing was saved.", error)
        st.button("Show it as it is now", on_click=_read_again, args=(entry.id,))
    except MemoryCoreError as error:
        state.failed("It was not saved, and is as it was.", error)
    else:
        shown[entry.id] = written.version
        undo_offer.done(f"Saved {written.summary!r}.", written.batch_id)


def _read_again(id: str) -> None:
    st.session_state["entry_versions"].pop(id, None)


def _context(entry: Entry) -> None:
    if not entry.total_chunks:
        st.write("There is no longer text with it.")
        return
    last = (entry.total_chunks - 1) // CHUNKS + 1
    at = int(st.number_input("Page", 1, last, 1)) if last > 1 else 1
    found = state.memory().entry_query.context(
        entry.id, offset=(at - 1) * CHUNKS, limit=CHUNKS, scope=_scope(entry)
    )
    show(*chunk_parts(found.chunks), key="entry_chunks")
    first = (at - 1) * CHUNKS + 1
    st.caption(f"showing {first}\u2013{first + len(found.chunks) - 1} of {entry.total_chunks}")


def _several(entries: Sequence[Entry]) -> None:
    st.divider()
    st.subheader(f"{number(len(entries))} entries picked")
    retag, category, delete = st.tabs(["Retag", "Category", "Delete"])
    with retag, st.form("retag", border=False):
        frequent = Counter(tag for entry in entries for tag in entry.tags)
        old = st.selectbox(
            "Tag", [tag for tag, _ in frequent.most_common()], format_func=_with_count(frequent)
        )
        new = st.text_input("Becomes", max_chars=100)
        if st.form_submit_button("Retag", type="primary"):
            having = [entry for entry in entries if old in entry.tags]
            _change(having, "retagged", lambda m, e: _retag(m, e, str(old), new))
    with category, st.form("recategorise", border=False):
        chosen = st.selectbox("New category", CATEGORIES)
        other = [entry for entry in entries if entry.category != chosen]
        if st.form_submit_button("Change the category"):
            _change(
                other,
                "changed",
                lambda m, e: m.entries.update(e.id, category=chosen, scope=_scope(e)),
            )
    with delete:
        chunks = sum(entry.total_chunks for entry in entries)
        st.write(
            f"Deletes {number(len(entries))} entries with {counted(chunks, 'chunk')} of longer "
            "text. Undo brings them back."
        )
        if st.button("Delete them"):
            _delete(entries)


def _with_count(counts: Counter[str]) -> Callable[[str], str]:
    return lambda tag: f"{tag} ({counts[tag]})"


def _retag(memory: Memory, entry: Entry, old: str, new: str) -> None:
    tags = [new if tag == old else tag for tag in entry.tags]
    memory.entries.update(entry.id, tags=tags, scope=_scope(entry))


def _delete(entries: Sequence[Entry]) -> None:
    _close()
    _change(entries, "deleted", lambda m, e: m.entries.delete(e.id, force=True, scope=_scope(e)))


def _change(entries: Sequence[Entry], done: str, act: Callable[[Memory, Entry], object]) -> None:
    """Change each entry for itself, all in one batch: what cannot be keeps no other back."""
    batch, failures = new_id(), []
    for entry in entries:
        try:
            with state.editing() as memory, as_one_batch(batch):
                act(memory, entry)
        except MemoryCoreError as error:
            failures.append(f"{entry.summary}: {error}")
    st.session_state["entry_failures"] = failures
    st.session_state.pop("entry_versions", None)
    count = len(entries) - len(failures)
    said = f"{counted(count, 'entry', 'entries')} {done}."
    if len(entries) == count == 1:
        said = f"{done.capitalize()}: {entries[0].summary}"
    undo_offer.done(said, batch if count else "")


def _failures() -> None:
    failures = st.session_state.pop("entry_failures", [])
    if failures:
        some = counted(len(failures), "entry is", "entries are")
        st.error(f"{some} as before: the change breaks a rule or came too late.")
        st.code("\n".join(failures), language=None, wrap_lines=True)


def _duplicates(asked: Asked, seq: int) -> None:
    st.write(
        "Of two entries that say the same, the older one takes over what the newer one says, and "
        "the newer one is marked and no longer found. Keep both if they are not the same after "
        "all: they are then never merged again."
    )
    if st.button("Look for duplicates"):
        _look()
    pages = Pages("duplicates", asked)
    found = _entries(asked._replace(status="duplicate"), pages.cursor, seq)
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
                lambda m: m.entry_upkeep.keep_apart(entry.id, scope=_scope(entry)),
            )
            if batch:
                undo_offer.done(f"Kept apart: {entry.summary}", batch)
        if st.button("Merge", key=f"merge_{entry.id}", help="Delete the marked one."):
            _delete([entry])


def _look() -> None:
    try:
        with st.spinner("Comparing what the entries say"), state.editing() as memory:
            found = memory.entry_upkeep.mark_duplicates()
    except MemoryCoreError as error:
        state.failed("The entries were not all compared.", error)
        return
    marked = counted(len(found), "entry is", "entries are")
    undo_offer.done(f"{marked} marked as saying what an older one says." if found else NO_TWINS)


NO_TWINS = "No two entries say the same."


def _close() -> None:
    st.session_state["entries_picked"] = []
    # A table of another key has nothing selected.
    st.session_state["entries_closed"] = st.session_state.get("entries_closed", 0) + 1


def _five(entry: Entry) -> list[str]:
    return [*entry.tags, *[""] * 5][:5]


def _place_of(entry: Entry) -> int:
    names: list[str] = list(CATEGORIES)
    return names.index(entry.category) if entry.category in names else 0


def _scope(entry: Entry) -> Scope:
    return Scope(project_id=entry.project_id, user_id=entry.user_id)


@st.cache_data(show_spinner=False, max_entries=32)
def _users(project: str, seq: int) -> list[str]:
    owners = state.memory().entry_status.owners()
    mine = {o.user_id for o in owners if project in (state.EVERY_PROJECT, o.project_id)}
    return sorted(mine - {""})


@st.cache_data(show_spinner=False, max_entries=32)
def _counts(project: str, user: str, seq: int) -> EntryCounts:
    scope = Scope(project_id=project, user_id=user)
    return state.memory().entry_status.status(scope=scope).counts


@st.cache_data(show_spinner=False, max_entries=32)
def _entries(asked: Asked, cursor: str, seq: int) -> EntryPage:
    return state.memory().entries.entries(
        scope=Scope(project_id=asked.project, user_id=asked.user),
        query=asked.query,
        category=asked.category,
        tag=asked.tag,
        status=asked.status,
        limit=SIZE,
        cursor=cursor,
    )


page()
