"""A form to write an entry by hand, by the rules that hold for assistants."""

from __future__ import annotations

import streamlit as st

from memory_core import MemoryCoreError
from memory_core.model.facts.entries import CATEGORIES
from memory_core.model.scope import Scope

from .. import state
from ..saving import undo_offer
from .actions import tag_fields

COUNT = "entries_written"


def write_form(project: str, user: str) -> None:
    """Let an entry be written; what was typed stays until it has been saved."""
    count = st.session_state.setdefault(COUNT, 0)
    key = f"write_{count}"
    st.write(
        "One sentence that stands for itself, five tags by which it is found, and longer text "
        "beside it if there is any."
    )
    with st.form(key, border=False):
        summary = st.text_area("What it says", max_chars=200, height=80, key=f"{key}_says")
        tags = tag_fields([""] * 5, key=key)
        left, middle, right = st.columns(3, vertical_alignment="bottom")
        category = left.selectbox("Category", CATEGORIES, key=f"{key}_category")
        days = middle.number_input(
            "Expires in days", 0, 36_500, 0, key=f"{key}_days", help="0 keeps it for good."
        )
        into = right.text_input("Project", _project(project), key=f"{key}_project_{project}")
        context = st.text_area("Longer text", height=120, key=f"{key}_context")
        sent = st.form_submit_button("Write", type="primary")
    if not sent:
        return
    try:
        with state.editing() as memory:
            written = memory.entries.write(
                summary,
                tags,
                category=category,
                context_text=context,
                is_time_sensitive=days > 0,
                ttl_days=int(days),
                scope=Scope(project_id=into.strip(), user_id=user),
            )
    except MemoryCoreError as error:
        state.failed("It was not written. What you typed is still here.", error)
        return
    st.session_state[COUNT] = count + 1
    undo_offer.done(f"Written: {written.summary}", written.batch_id)


def _project(project: str) -> str:
    return "default" if project == state.EVERY_PROJECT else project
