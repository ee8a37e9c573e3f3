"""What was just done on a page: said at its top, with the button that takes it back."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from memory_core import ALL_USERS, MemoryCoreError

from .. import state
from ..components.elements import Part, part, show
from ..components.formatting import counted

_KEY = "act_done"


@dataclass(frozen=True)
class Act:
    """Something done, in words that may quote memory, and the batch that undo takes back."""

    said: str
    batch_id: str = ""
    back: str = "Undo"


def done(said: str, batch_id: str = "") -> None:
    """Show the page anew, with *said* and Undo above it until something else is done."""
    st.session_state[_KEY] = Act(said, batch_id)
    st.rerun()


def offer() -> None:
    """Show what was done last; call it once, above everything that can do something."""
    act: Act | None = st.session_state.get(_KEY)
    if act is None:
        return
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        with st.container():
            show(part("div", "", act.said), key="act_said")
        if act.batch_id and st.button(act.back, key="act_undo"):
            _take_back(act)
        if st.button("Dismiss", key="act_dismiss", type="tertiary"):
            st.session_state.pop(_KEY)
            st.rerun()


def _take_back(act: Act) -> None:
    try:
        with state.editing() as memory:
            undone = memory.undo.undo(
                act.batch_id, project_id=state.EVERY_PROJECT, user_id=ALL_USERS
            )
    except MemoryCoreError as error:
        state.failed("It was not taken back, and nothing was changed.", error)
        return
    said = f"Taken back: {act.said}"
    if not undone.reverted:
        said = f"Nothing was left to take back of: {act.said}"
    if undone.left_alone:
        first = undone.left_alone[0]
        left = counted(undone.left_alone_count, "row was", "rows were")
        said += f" {left} left as they are; {first.kind} {first.title!r}: {first.why}."
    back = "Undo" if act.back == "Redo" else "Redo"
    st.session_state[_KEY] = Act(said, undone.batch_id, back)
    st.rerun()


def proof(rows: dict[str, int]) -> Part:
    """Return counts of rows by kind, as parts."""
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
