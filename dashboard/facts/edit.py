"""One fact: read, corrected as it was when it was opened, and deleted."""

from __future__ import annotations

import streamlit as st

from memory_core import Memory
from memory_core.model.facts.facts import Fact

from .. import state
from ..components.change_view import format_value
from ..components.elements import Part, part, show
from ..components.formatting import ago, day, exact
from ..saving import undo_offer
from ..saving.apply import apply_edit
from ..saving.versioned_form import Opened, Saved, VersionedForm
from .scope import owner_parts, scope_of

PICKED = "fact_picked"
CHIPS = {"duplicate": "amber", "superseded": "blue"}


def show_fact(fact: Fact) -> None:
    """Show a fact with all that can be done to it."""
    st.divider()
    show(*_fact_parts(fact), key="fact")
    with st.container(horizontal=True):
        if st.button("Close", key="fact_close"):
            close_fact()
            st.rerun()
        if st.button("Delete", key="fact_delete"):
            _delete_fact(fact)
    opened = FORM.open_row(fact, state.memory().fact_review.fact_version(fact.id))
    FORM.show_conflict(opened, fact)
    with st.form(opened.key, border=False):
        typed = st.text_area("Text", opened.row.content, key=f"{opened.key}_says")
        sent = st.form_submit_button("Save", type="primary")
    if sent:
        FORM.save_row(opened, typed)


def close_fact() -> None:
    """Have no fact picked."""
    st.session_state.pop(PICKED, None)
    # A table of another key has nothing selected.
    st.session_state["facts_closed"] = st.session_state.get("facts_closed", 0) + 1


def _fact_parts(fact: Fact) -> list[Part]:
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
        heir = state.memory().fact_review.facts_by_ids([heir_id]).get(heir_id)
        word = "Replaced by" if fact.superseded_by else "Says the same as"
        said = heir.content if heir else "a fact that is gone"
        parts.append(part("div", "line", part("span", "faint", word), part("span", "", said)))
    parts += [
        part("div", "row tight", part("span", "faint", name), part("span", "", str(value)))
        for name, value in fact.metadata.items()
    ]
    return parts


def _delete_fact(fact: Fact) -> None:
    deleted = apply_edit(
        "The fact was not deleted.", lambda m: m.conversation.delete_fact(fact.id, scope_of(fact))
    ).value
    if deleted:
        close_fact()
        undo_offer.report_done(f"Deleted: {deleted.content}", deleted.batch_id)


def _is_edited(opened: Opened[Fact]) -> bool:
    said = opened.row.content
    return bool(st.session_state.get(f"{opened.key}_says", said) != said)


def _save_fact(memory: Memory, opened: Opened[Fact], typed: str) -> Saved:
    fact = opened.row
    saved = memory.conversation.update_fact(
        fact.id, typed, scope_of(fact), expected_version=opened.seen
    )
    return Saved(f"Saved: {saved.content}", saved.batch_id)


def _version_parts(opened: Fact, stored: Fact, typed: str) -> list[Part]:
    versions = (
        ("when you opened it", opened.content),
        ("stored now", stored.content),
        ("yours", typed),
    )
    return [
        part("div", "line", part("span", "faint", whose), format_value(text, 400))
        for whose, text in versions
    ]


FORM = VersionedForm("fact", is_edited=_is_edited, save=_save_fact, versions=_version_parts)
