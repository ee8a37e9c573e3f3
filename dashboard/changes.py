"""Changes that a page makes: signed, and one batch, whatever they consist of."""

from __future__ import annotations

from collections.abc import Callable

from memory_core import Memory, MemoryCoreError, as_one_batch, new_id

from . import state


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
