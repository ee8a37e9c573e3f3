"""The way from any page to the page of one entity."""

from __future__ import annotations

from typing import NoReturn

import streamlit as st

ASKED = "entity_asked"


def open_entity(picked: str) -> NoReturn:
    """Go to the page of an entity, picked as its project and its id on two lines."""
    project, entity_id = picked.split("\n", 1)
    st.session_state[ASKED] = (project, entity_id)
    st.switch_page("views/entity.py")


def asked_entity() -> tuple[str, str] | None:
    """Return project and id of the entity that a page or the address asks for."""
    asked = st.session_state.pop(ASKED, None)
    if asked:
        st.query_params["project"], st.query_params["entity"] = asked
    if "entity" not in st.query_params:
        return None
    return st.query_params.get("project", "default"), st.query_params["entity"]
