"""One entity as of a moment, on its own page and next to the historical graph."""

from __future__ import annotations

from datetime import datetime

import streamlit as st

from memory_core import NotFoundError
from memory_core.model.history import EntitySnapshot

from . import state


@st.cache_data(show_spinner=False, max_entries=64)
def entity_then(project: str, entity_id: str, moment: str, seq: int) -> EntitySnapshot | None:
    """Return what was known of an entity as of change *seq*; None if it was not there."""
    try:
        page = state.memory().history.as_of(
            datetime.fromisoformat(moment), project_id=project, entity_id=entity_id
        )
    except NotFoundError:
        return None
    return page.entities[0]
