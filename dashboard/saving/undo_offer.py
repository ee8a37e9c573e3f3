"""The message about the last edit at the top of a page, with its Undo button."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from memory_core import ALL_USERS, MemoryCoreError

from .. import state
from ..components.elements import Part, part, show
from ..components.formatting import format_count

_KEY = "act_done"


@dataclass(frozen=True)
class _Done:
    """A finished edit; the message may quote memory, and undo reverts the batch."""

    message: str
    batch_id: str = ""
    button: str = "Undo"


def report_done(message: str, batch_id: str = "") -> None:
    """Rerun the page with *message* and Undo at its top until the next edit."""
    st.session_state[_KEY] = _Done(message, batch_id)
    st.rerun()


def show_offer() -> None:
    """Show the last message; call it once, above everything that can edit."""
    done: _Done | None = st.session_state.get(_KEY)
    if done is None:
        return
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        with st.container():
            show(part("div", "", done.message), key="act_said")
        if done.batch_id and st.button(done.button, key="act_undo"):
            _undo(done)
        if st.button("Dismiss", key="act_dismiss", type="tertiary"):
            st.session_state.pop(_KEY)
            st.rerun()


def _undo(done: _Done) -> None:
    try:
        with state.editing() as memory:
            undone = memory.undo.undo(
                done.batch_id, project_id=state.EVERY_PROJECT, user_id=ALL_USERS
            )
    except MemoryCoreError as error:
        state.show_error("The undo failed. Nothing was changed.", error)
        return
    message = f"Undone: {done.message}"
    if not undone.reverted:
        message = f"Nothing left to undo: {done.message}"
    if undone.left_alone:
        first = undone.left_alone[0]
        skipped = format_count(undone.left_alone_count, "row was", "rows were")
        message += f" {skipped} skipped; {first.kind} {first.title!r}: {first.why}."
    button = "Undo" if done.button == "Redo" else "Redo"
    st.session_state[_KEY] = _Done(message, undone.batch_id, button)
    st.rerun()


def row_count_parts(rows: dict[str, int]) -> Part:
    """Return row counts by kind, as parts."""
    items = [
        part(
            "span",
            "",
            f"{kind.replace('_', ' ')} ",
            part("span", "strong number", f"{count:,}".replace(",", "\u2009")),
        )
        for kind, count in rows.items()
        if count
    ]
    return part("div", "line", *(items or ["nothing"]))
