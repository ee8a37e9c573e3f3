"""A form to add a fact by hand; it is compared with what is known like any other."""

from __future__ import annotations

import streamlit as st

from memory_core.model.facts.entries import CATEGORIES
from memory_core.model.facts.facts import RememberResult
from memory_core.model.scope import Scope

from .. import state
from ..saving import undo_offer
from ..saving.apply import apply_edit
from .scope import FactScope

COUNT = "facts_written"
_OUTCOMES = {
    "stored": "Remembered",
    "updated": "An older fact says it now",
    "merged": "Merged with what was known",
    "kept_both": "Stored in addition to a similar fact",
    "deferred": "Remembered; it is compared with what is known later",
    "outdated": "Kept as superseded, for something newer is known",
    "duplicate": "Known already, nothing was written",
}


def show_new_fact_form(asked: FactScope) -> None:
    """Let a fact be added; what was typed stays until it has been saved."""
    count = st.session_state.setdefault(COUNT, 0)
    key = f"add_fact_{count}_{hash(asked)}"
    st.write(
        "One sentence in the third person that can be understood alone. What is known already "
        "is not written twice, and what it contradicts gives way to it."
    )
    with st.form(key, border=False):
        says = st.text_area("The fact", height=80, max_chars=1000, key=f"{key}_says")
        columns = iter(st.columns(5, vertical_alignment="bottom"))
        category = next(columns).selectbox("Category", CATEGORIES, key=f"{key}_category")
        user = next(columns).text_input("Of user", asked.user or "", key=f"{key}_user")
        agent = next(columns).text_input("Of agent", asked.agent, key=f"{key}_agent")
        session = next(columns).text_input("Of session", asked.session, key=f"{key}_session")
        project = "default" if asked.project == state.EVERY_PROJECT else asked.project
        into = next(columns).text_input("In project", project, key=f"{key}_into")
        sent = st.form_submit_button("Add", type="primary")
    if not sent:
        return
    scope = Scope(
        project_id=into.strip(),
        user_id=user.strip(),
        agent_id=agent.strip(),
        session_id=session.strip(),
    )
    fact = {"content": says, "category": category}
    done = apply_edit(
        "The fact was not added. Your input is still here.",
        lambda m: m.conversation.add_facts([fact], scope),
    ).value
    if done:
        st.session_state[COUNT] = count + 1
        undo_offer.report_done(outcome_text(done), done.batch_id)


def outcome_text(done: RememberResult) -> str:
    """Return what became of each fact, in words that quote them."""
    if not done.facts:
        return "No fact was worth keeping: nothing was written."
    return " ".join(f"{_OUTCOMES[fact.outcome]}: {fact.content}" for fact in done.facts[:5]) + (
        f" and {len(done.facts) - 5} more" if len(done.facts) > 5 else ""
    )
