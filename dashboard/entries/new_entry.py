"""Form to create an entry, with the same validation as the MCP tools."""

from __future__ import annotations

import streamlit as st

from memory_core.model.facts.entries import CATEGORIES
from memory_core.model.scope import Scope

from .. import state
from ..saving import undo_offer
from ..saving.apply import apply_edit
from .actions import tag_inputs

COUNT = "entries_written"


def show_new_entry_form(project: str, user: str) -> None:
    """Show the form; the input is kept until it has been saved."""
    count = st.session_state.setdefault(COUNT, 0)
    key = f"write_{count}"
    st.write("One self-contained sentence, five tags for search, and longer text if there is any.")
    with st.form(key, border=False):
        summary = st.text_area("Text", max_chars=200, height=80, key=f"{key}_says")
        tags = tag_inputs([""] * 5, key=key)
        left, middle, right = st.columns(3, vertical_alignment="bottom")
        category = left.selectbox("Category", CATEGORIES, key=f"{key}_category")
        days = middle.number_input(
            "Expires in days", 0, 36_500, 0, key=f"{key}_days", help="0: never expires."
        )
        into = right.text_input(
            "Project", _default_project(project), key=f"{key}_project_{project}"
        )
        context = st.text_area("Longer text", height=120, key=f"{key}_context")
        sent = st.form_submit_button("Save", type="primary")
    if not sent:
        return
    outcome = apply_edit(
        "The entry was not saved. Your input is still here.",
        lambda memory: memory.entries.write_entry(
            summary,
            tags,
            category=category,
            context_text=context,
            is_time_sensitive=days > 0,
            ttl_days=int(days),
            scope=Scope(project_id=into.strip(), user_id=user),
        ),
    )
    if outcome.value is None:
        return
    st.session_state[COUNT] = count + 1
    undo_offer.report_done(f"Saved: {outcome.value.summary}", outcome.value.batch_id)


def _default_project(project: str) -> str:
    return "default" if project == state.EVERY_PROJECT else project
