"""Saved searches of a project: run, save, delete."""

from __future__ import annotations

import streamlit as st

from memory_core import MemoryCoreError
from memory_core.model.search.saved_search import SavedSearch

from .. import state
from ..components.formatting import number
from .query_form import SearchQuery, fill_in

WANTED, DELETING = "search_wanted", "search_deleting"


def fill_in_pending() -> None:
    """Fill the form from the selected search; call before the widgets are created."""
    if saved := st.session_state.pop(WANTED, None):
        fill_in(saved)


def show_saved_searches(asked: SearchQuery | None) -> None:
    """List the saved searches of the project, and offer to save the current one."""
    listed = state.memory().saved_searches.list_searches(state.project())
    with st.expander(f"Saved searches ({number(len(listed))})"):
        if not listed:
            st.write("Save a search with its filters and weights to run it again with one click.")
        else:
            _pick(listed)
        if asked is not None:
            _save(asked)


def _pick(listed: list[SavedSearch]) -> None:
    by_name = {each.name: each for each in listed}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = str(st.selectbox("Saved", list(by_name), key="search_saved", width=320))
        if st.button("Run", key="search_ask_saved"):
            st.session_state[WANTED] = by_name[name]
            st.rerun()
        if st.session_state.get(DELETING) != name:
            if st.button("Delete", key="search_delete"):
                st.session_state[DELETING] = name
                st.rerun()
            return
        if st.button("Delete permanently", key="search_delete_sure"):
            _delete(by_name[name])
        if st.button("Cancel", key="search_delete_not"):
            st.session_state.pop(DELETING)
            st.rerun()


def _save(asked: SearchQuery) -> None:
    with st.form("search_save", border=False):
        name = st.text_input("Save this search as", max_chars=200, width=320)
        sent = st.form_submit_button("Save")
    if not sent:
        return
    try:
        with state.editing() as memory:
            memory.saved_searches.save_search(
                SavedSearch(
                    name=name,
                    project_id=asked.project,
                    query=asked.query,
                    settings=asked.settings,
                )
            )
    except MemoryCoreError as error:
        state.show_error("The search was not saved.", error)
        return
    st.rerun()


def _delete(saved: SavedSearch) -> None:
    st.session_state.pop(DELETING, None)
    try:
        with state.editing() as memory:
            memory.saved_searches.delete_search(saved.name, project_id=saved.project_id)
    except MemoryCoreError as error:
        state.show_error("The search was not deleted.", error)
        return
    st.rerun()
