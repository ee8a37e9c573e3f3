"""Erasing everything of a scope: counted first, and confirmed by typing its name."""

from __future__ import annotations

import streamlit as st

from memory_core.model.facts.fact_review import FactCounts

from .. import state
from ..components.elements import part, show
from ..components.formatting import format_count
from ..saving.apply import apply_edit, reload_pages
from .scope import NO_USER, FactScope, owner_parts


def show_delete_all(asked: FactScope, counts: FactCounts) -> None:
    """Let all facts of the picked scope be deleted, once that scope is one."""
    if asked.project == state.EVERY_PROJECT or asked.user is None:
        st.write(
            "Pick one project at the left, and above a user or "
            f"\u201c{NO_USER}\u201d: all records of that scope can then be erased at once."
        )
        return
    facts = counts.active + counts.superseded + counts.duplicate
    jobs = state.memory().fact_review.list_jobs(asked.whose, limit=1).total
    entries = _entry_count(asked)
    if not facts + jobs + entries:
        st.write("There is nothing of this scope to erase.")
        return
    show(part("div", "line", *owner_parts(asked.scope, state.EVERY_PROJECT)), key="forget_whose")
    st.write(
        f"This erases {format_count(facts, 'fact')}, "
        f"{format_count(entries, 'entry', 'entries')} and "
        f"{format_count(jobs, 'stored conversation')} permanently, with their history. "
        "The memory is backed up before."
    )
    if not asked.user and not asked.agent and not asked.session:
        st.write("These are the records that belong to no user; records of users stay.")
    _confirmation_form(asked)


def _confirmation_form(asked: FactScope) -> None:
    meant = asked.user or asked.agent or asked.session or asked.project
    count = st.session_state.setdefault("facts_forgotten", 0)
    with st.form(f"forget_{count}_{hash(asked)}", border=False):
        show(
            part("div", "", "To confirm, type ", part("span", "mono strong", meant)),
            key="forget_confirm",
        )
        typed = st.text_input("Name of the scope", width=300, key=f"forget_{count}_typed")
        sent = st.form_submit_button("Erase all of them", type="primary")
    if not sent:
        return
    if typed.strip() != meant:
        st.error("Nothing was erased: what you typed is not that name.")
        return
    with st.spinner("Backing up, then erasing"):
        gone = apply_edit(
            "The records were not erased.",
            lambda m: m.conversation.delete_all_facts(asked.scope, without_scope=True),
        ).value
    if gone is None:
        return
    st.session_state["facts_forgotten"] = count + 1
    reload_pages(
        f"Erased: {format_count(gone.facts, 'fact')}, "
        f"{format_count(gone.entries, 'entry', 'entries')} and "
        f"{format_count(gone.jobs, 'conversation')} of {meant}. {gone.notice}"
    )


def _entry_count(asked: FactScope) -> int:
    return state.memory().entries.list_entries(scope=asked.scope, status="all", limit=1).total
