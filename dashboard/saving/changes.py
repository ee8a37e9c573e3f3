"""Changes that a page makes: signed, and one batch, whatever they consist of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from memory_core import Memory, MemoryCoreError, as_one_batch, new_id

from .. import state
from . import undo_offer


def carried_out(failing: str, act: Callable[[Memory], object]) -> str:
    """Do something as one batch and return its id; say *failing* and return "" if it fails."""
    batch_id = new_id()
    try:
        with state.editing() as memory, as_one_batch(batch_id):
            act(memory)
    except MemoryCoreError as error:
        state.failed(f"{failing} Nothing was changed.", error)
        return ""
    return batch_id


def tried(failing: str, act: Callable[[Memory], Any]) -> Any:
    """Do something in the name of the dashboard; say *failing* and return None if it fails."""
    try:
        with state.editing() as memory:
            return act(memory)
    except MemoryCoreError as error:
        state.failed(failing, error)
        return None


def start_over(said: str) -> None:
    """Forget all that was read before: numbers of changes may mean something else now."""
    st.cache_data.clear()
    for key in ("checkup", "optimised"):
        st.session_state.pop(key, None)
    undo_offer.done(said)
