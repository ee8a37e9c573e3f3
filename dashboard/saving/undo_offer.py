"""The message about the last edit, shown at the top of a page by `undo.show_offer()`."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from ..components.elements import Part, part

OFFER = "act_done"
# Number of finished edits in this session: pages that keep rows read them again.
EDITS = "edits_done"


@dataclass(frozen=True)
class Done:
    """A finished edit; the message may quote memory, and undo reverts the batch."""

    message: str
    batch_id: str = ""
    button: str = "Undo"


def report_done(message: str, batch_id: str = "", button: str = "Undo") -> None:
    """Rerun the page with *message* and Undo at its top until the next edit."""
    st.session_state[OFFER] = Done(message, batch_id, button)
    st.session_state[EDITS] = edits_done() + 1
    st.rerun()


def edits_done() -> int:
    return int(st.session_state.get(EDITS, 0))


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
