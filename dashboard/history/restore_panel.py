"""One changed row with its Restore and Undo actions."""

from __future__ import annotations

from datetime import datetime

import streamlit as st

from memory_core.model.history import RowChange

from ..components.change_view import row_parts
from ..components.elements import show
from ..components.formatting import format_count
from ..components.links import open_entity
from ..components.rows import side_by_side
from ..saving import undo, undo_offer
from ..saving.apply import apply_edit

SEEN = "travel_seen"


def change_row(change: RowChange, now: datetime, from_seq: int, *, place: str) -> None:
    """Show a changed row; *place* keeps widget keys of several lists on a page unique."""
    text, buttons = side_by_side(_key(change, place))
    with text:
        _show_change(change, now, place)
    with buttons:
        _restore_actions(change, from_seq, place)


def narrow_change_row(change: RowChange, now: datetime, from_seq: int, *, place: str) -> None:
    """Show the same in one narrow column."""
    _show_change(change, now, place)
    with st.container(horizontal=True, gap="small"):
        _restore_actions(change, from_seq, place)


def _show_change(change: RowChange, now: datetime, place: str) -> None:
    picked = show(row_parts(change, now), key=f"row_{_key(change, place)}")
    if picked:
        open_entity(picked)


def _restore_actions(change: RowChange, from_seq: int, place: str) -> None:
    key = _key(change, place)
    help_ = "Restore its state at the first moment."
    if can_be_restored(change) and st.button("Restore", key=f"restore_{key}", help=help_):
        restore(change, from_seq)
    if st.button("Undo", key=f"undo_{key}", help="Undo its last change."):
        undo.request_undo(change.seq)
        st.rerun()


def _key(change: RowChange, place: str) -> str:
    return f"{place}_{change.kind}_{change.project_id}_{change.id}"


def can_be_restored(change: RowChange) -> bool:
    """Return whether a row existed at the first moment; additions are undone instead."""
    return change.change != "added"


def restore(change: RowChange, from_seq: int) -> None:
    """Restore the state of a row after change *from_seq* and report the outcome."""
    done = apply_edit(
        "Restore failed.",
        lambda memory: memory.undo.put_back(
            change.kind,
            change.id,
            as_of_seq=from_seq,
            seen=st.session_state.get(SEEN, 0),
            project_id=change.project_id,
        ),
    ).value
    if done is None:
        return
    if not done.batch_id:
        undo_offer.report_done(f"{change.title} already has that state.")
    said = f"{change.title} was restored."
    if done.left_alone:
        first = done.left_alone[0]
        left = format_count(done.left_alone_count, "row", "rows")
        said += f" {left} did not come back with it; {first.kind} {first.title!r}: {first.why}."
    undo_offer.report_done(said, done.batch_id)
