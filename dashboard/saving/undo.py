"""Undo: the preview of one change, and the Undo button of the last edit."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from memory_core import ALL_USERS
from memory_core.model.undo import UndoResult

from .. import state
from ..components.elements import Part, part, show
from ..components.formatting import format_count
from .apply import apply_edit
from .undo_offer import OFFER, Done, report_done

REQUESTED = "undo_requested"


def undo(
    failure: str, *, batch_id: str = "", seq: int = 0, dry_run: bool = False
) -> UndoResult | None:
    """Undo one batch or one change as an edit; report a failure and return None."""
    return apply_edit(
        failure,
        lambda memory: memory.undo.undo(
            batch_id, seq=seq, dry_run=dry_run, project_id=state.EVERY_PROJECT, user_id=ALL_USERS
        ),
        is_preview=dry_run,
    ).value


def request_undo(seq: int) -> None:
    """Open the preview of undoing one change."""
    st.session_state[REQUESTED] = seq
    # The button may be far below the place where the preview appears.
    st.toast("Review and confirm the undo at the top of the page.")


def confirm_undo() -> None:
    """Show the preview of the requested undo with its buttons."""
    if seq := st.session_state.get(REQUESTED):
        with st.container(border=True):
            show_confirmation("undo", "A change was undone.", close=close_confirmation, seq=seq)


def close_confirmation() -> None:
    st.session_state.pop(REQUESTED, None)


def show_confirmation(
    key: str, message: str, *, close: Callable[[], None], batch_id: str = "", seq: int = 0
) -> None:
    """Preview an undo and offer to confirm it; *message* reports it, *close* ends the preview."""
    preview = undo("This cannot be undone.", batch_id=batch_id, seq=seq, dry_run=True)
    if preview:
        show(*_preview_parts(preview), key=f"{key}_preview")
    with st.container(horizontal=True):
        can_undo = bool(preview and preview.reverted)
        if st.button("Confirm undo", type="primary", key=f"{key}_now", disabled=not can_undo):
            undone = undo("The undo failed.", batch_id=batch_id, seq=seq)
            if undone:
                close()
                report_done(message, undone.batch_id)
        if st.button("Cancel", key=f"{key}_not"):
            close()
            st.rerun()


def _preview_parts(preview: UndoResult) -> list[Part]:
    rows = sum(preview.reverted.values())
    return [
        part("div", "", f"Undo reverts {format_count(rows, 'row')}."),
        *[
            part("div", "faint", f"{row.kind} {row.title!r} is left as it is: {row.why}")
            for row in preview.left_alone
        ],
    ]


def show_offer() -> None:
    """Show the message of the last edit; call it once, above everything that can edit."""
    done: Done | None = st.session_state.get(OFFER)
    if done is None:
        return
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        with st.container():
            show(part("div", "", done.message), key="act_said")
        if done.batch_id and st.button(done.button, key="act_undo"):
            _undo_last(done)
        if st.button("Dismiss", key="act_dismiss", type="tertiary"):
            st.session_state.pop(OFFER)
            st.rerun()


def _undo_last(done: Done) -> None:
    undone = undo("The undo failed.", batch_id=done.batch_id)
    if undone is None:
        return
    message = f"Undone: {done.message}"
    if not undone.reverted:
        message = f"Nothing left to undo: {done.message}"
    if undone.left_alone:
        first = undone.left_alone[0]
        skipped = format_count(undone.left_alone_count, "row was", "rows were")
        message += f" {skipped} skipped; {first.kind} {first.title!r}: {first.why}."
    report_done(message, undone.batch_id, "Undo" if done.button == "Redo" else "Redo")
