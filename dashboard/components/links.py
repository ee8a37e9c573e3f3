"""The way from any page to where one thing is shown: an entity, a document, an entry, a fact."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

import streamlit as st

from memory_core.model.search.results import SearchHit

ASKED = "entity_asked"


def open_entity(picked: str) -> NoReturn:
    """Go to the page of an entity, picked as its project and its id on two lines."""
    project, entity_id = picked.split("\n", 1)
    st.session_state[ASKED] = (project, entity_id)
    st.switch_page("views/entity.py")


def target_of(hit: SearchHit) -> str:
    """Return what tells open_target() where a hit is shown whole, or nothing if nowhere."""
    if hit.kind == "bottle":
        return f"bottle\n{hit.project_id}\n{hit.id}"
    if hit.kind == "fact":
        return f"fact\n{hit.project_id}\n{hit.id}"
    if hit.entity:
        return f"entity\n{hit.project_id}\n{hit.entity.id}"
    if hit.document:
        return f"document\n{hit.project_id}\n{hit.document.id}"
    return f"entry\n{hit.project_id}\n{hit.entry.id}" if hit.entry else ""


def open_target(target: str) -> NoReturn:
    """Go to the page that shows a thing whole, and open it there."""
    kind, picked = target.split("\n", 1)
    if kind == "entity":
        open_entity(picked)
    project, id = picked.split("\n", 1)
    if kind == "document":
        st.session_state["document"] = (project, id)
        st.switch_page("views/documents.py")
    if kind == "entry":
        open_entries([id])
    if kind == "bottle":
        st.switch_page("views/bottles.py")
    # What was ticked on an earlier visit is ticked no more, and takes nothing away with it.
    st.session_state.update(show="facts", fact_picked=id, facts_selected=False)
    st.switch_page("views/memories.py")


def open_entries(ids: Sequence[str]) -> NoReturn:
    """Go to the page of memories, and open entries there."""
    st.session_state.update(show="entries", entries_picked=list(ids), entries_selected=False)
    st.switch_page("views/memories.py")


def asked_entity() -> tuple[str, str] | None:
    """Return project and id of the entity that a page or the address asks for."""
    asked = st.session_state.pop(ASKED, None)
    if asked:
        st.query_params["project"], st.query_params["entity"] = asked
    if "entity" not in st.query_params:
        return None
    return st.query_params.get("project", "default"), st.query_params["entity"]
