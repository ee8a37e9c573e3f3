"""One fact: read, corrected as it was when it was opened, and deleted."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from memory_core import MemoryCoreError, VersionConflict
from memory_core.model.conversation import Fact

from . import state, undo_offer
from .elements import Part, part, show
from .fact_scope import owner_parts, scope_of
from .past import written
from .words import ago, day, exact

PICKED = "fact_picked"
OPENED, CONFLICT = "fact_opened", "fact_conflict"
CHIPS = {"duplicate": "amber", "superseded": "blue"}


@dataclass(frozen=True)
class Opened:
    """A fact as its editor saw it, and the newest change that they know."""

    fact: Fact
    seen: int
    key: str


@dataclass(frozen=True)
class Conflict:
    """What somebody else did to a fact before what was typed could be saved."""

    id: str
    said: str
    version: int
    typed: str


def one_fact(fact: Fact) -> None:
    """Show a fact with all that can be done to it."""
    st.divider()
    show(*_parts(fact), key="fact")
    with st.container(horizontal=True):
        if st.button("Close", key="fact_close"):
            close()
            st.rerun()
        if st.button("Delete", key="fact_delete"):
            _delete(fact)
    opened = _opened(fact)
    # A place that stays: the form must not move while somebody types into it.
    with st.container():
        conflict: Conflict | None = st.session_state.get(CONFLICT)
        if conflict and conflict.id == fact.id:
            _decide(opened, fact, conflict)
    with st.form(opened.key, border=False):
        typed = st.text_area("What it says", opened.fact.content, key=f"{opened.key}_says")
        sent = st.form_submit_button("Save", type="primary")
    if sent:
        _save(opened, typed)


def close() -> None:
    """Have no fact picked."""
    st.session_state.pop(PICKED, None)
    # A table of another key has nothing selected.
    st.session_state["facts_closed"] = st.session_state.get("facts_closed", 0) + 1


def _parts(fact: Fact) -> list[Part]:
    now = state.memory().db.clock()
    marked = fact.status in CHIPS
    times = [
        part("time", "", f"remembered {ago(fact.created_at, now)}", title=exact(fact.created_at)),
        part("time", "", f"changed {ago(fact.updated_at, now)}", title=exact(fact.updated_at)),
    ]
    if fact.occurred_at:
        times.insert(0, part("time", "", f"of {day(fact.occurred_at)}"))
    parts: list[Part] = [
        part("h2", "gone" if fact.status == "duplicate" else "", fact.content),
        part(
            "div",
            "line",
            *([part("span", f"chip {CHIPS[fact.status]}", fact.status)] if marked else []),
            *([part("span", "chip blue", fact.category)] if fact.category else []),
            *owner_parts(scope_of(fact), state.EVERY_PROJECT),
        ),
        part("div", "line faint", *times),
    ]
    if heir_id := fact.superseded_by or fact.duplicate_of:
        heir = state.memory().fact_review.by_ids([heir_id]).get(heir_id)
        word = "Replaced by" if fact.superseded_by else "Says the same as"
        said = heir.content if heir else "a fact that is gone"
        parts.append(part("div", "line", part("span", "faint", word), part("span", "", said)))
    parts += [
        part("div", "row tight", part("span", "faint", name), part("span", "", str(value)))
        for name, value in fact.metadata.items()
    ]
    return parts


def _delete(fact: Fact) -> None:
    try:
        with state.editing() as memory:
            gone = memory.conversation.delete(fact.id, scope_of(fact))
    except MemoryCoreError as error:
        state.failed("It was not deleted.", error)
        return
    close()
    undo_offer.done(f"Deleted: {gone.content}", gone.batch_id)


def _opened(fact: Fact) -> Opened:
    """Return the fact as it was when its form was opened first."""
    opened: Opened | None = st.session_state.get(OPENED)
    seen = state.memory().fact_review.version(fact.id)
    same = opened is not None and opened.fact.id == fact.id
    # Where nothing was typed, nothing can be lost: the form follows what is stored.
    if opened is None or not same or (opened.seen != seen and not _touched(opened)):
        opened = Opened(fact, seen, f"fact_{fact.id}_{seen}")
        st.session_state[OPENED] = opened
        st.session_state.pop(CONFLICT, None)
    return opened


def _touched(opened: Opened) -> bool:
    said = opened.fact.content
    return bool(st.session_state.get(f"{opened.key}_says", said) != said)


def _save(opened: Opened, typed: str) -> None:
    """Save what was typed; if somebody was faster, nothing is, and both are shown."""
    fact = opened.fact
    try:
        with state.editing() as memory:
            saved = memory.conversation.update(
                fact.id, typed, scope_of(fact), expected_version=opened.seen
            )
    except VersionConflict as error:
        said = f"Changed by {error.by} at {error.at}"
        st.session_state[CONFLICT] = Conflict(fact.id, said, error.version, typed)
        st.rerun()
    except MemoryCoreError as error:
        state.failed("It was not saved, and is as it was.", error)
        return
    _forget()
    undo_offer.done(f"Saved: {saved.content}", saved.batch_id)


def _decide(opened: Opened, stored: Fact, conflict: Conflict) -> None:
    """Show what was, is and was typed, and let one of the last two be chosen."""
    st.warning("It was changed elsewhere since you opened it. Nothing was saved.")
    versions = (
        ("when you opened it", opened.fact.content),
        ("stored now", stored.content),
        ("yours", conflict.typed),
    )
    show(
        part("div", "faint", conflict.said),
        *[
            part("div", "line", part("span", "faint", whose), written(text, 400))
            for whose, text in versions
        ],
        key="fact_conflict_parts",
    )
    with st.container(horizontal=True):
        if st.button("Keep mine", key="fact_mine"):
            opened = replace(opened, seen=conflict.version)
            st.session_state[OPENED] = opened
            st.session_state.pop(CONFLICT)
            _save(opened, conflict.typed)
        st.button("Keep theirs", key="fact_theirs", on_click=_forget)


def _forget() -> None:
    """Open the fact anew, as it is stored."""
    st.session_state.pop(OPENED, None)
    st.session_state.pop(CONFLICT, None)
