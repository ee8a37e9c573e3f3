"""Saving what was mended by hand: what stands in the way is named, and what was typed stays."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from memory_core import ALL_USERS, MemoryCoreError
from memory_core.model.graph.bulk_edit import Curated, Edit, Problem

from .. import state
from ..components.elements import Part, part, show
from ..components.formatting import counted, counted_change
from . import undo_offer

ASKED = "undo_asked"
SHOWN = 20


def tried(edits: Sequence[Edit]) -> Curated | None:
    """Return what saving the edits would do; say so if that cannot be found out."""
    try:
        with state.editing() as memory:
            return memory.curation.apply(edits, dry_run=True)
    except MemoryCoreError as error:
        state.failed("There is no preview, and nothing was changed.", error)
        return None


def save(
    edits: Sequence[Edit],
    said: str,
    *,
    forget: Sequence[str] = (),
    then: Callable[[], None] = lambda: None,
) -> list[Problem]:
    """Save the edits as one act, *forget* the forms, do *then* and offer undo; or say why not."""
    try:
        with state.editing() as memory:
            done = memory.curation.apply(edits)
    except MemoryCoreError as error:
        state.failed("Nothing was saved.", error)
        return []
    if done.saved:
        for name in forget:
            st.session_state.pop(name, None)
        then()
        undo_offer.done(said, done.batch_id)
    show_problems(done.problems, key="problems")
    return done.problems


def show_problems(problems: Sequence[Problem], *, key: str, named: bool = True) -> None:
    """Say that something stands in the way of saving, and what unless it is *named* elsewhere."""
    if not problems:
        return
    if not named:
        what = counted(len(problems), "row")
        st.warning(f"{what} changed meanwhile or cannot be so: decide here. Nothing is saved yet.")
        return
    st.error(
        f"Nothing was saved: {counted(len(problems), 'row')} changed meanwhile or cannot be so. "
        "What you typed is still here."
    )
    lines: list[Part] = [part("li", "tight", problem.why) for problem in problems[:SHOWN]]
    if len(problems) > SHOWN:
        lines.append(part("li", "faint", f"and {len(problems) - SHOWN} more"))
    show(part("ul", "", *lines), key=key)


def counts_parts(done: Curated) -> Part:
    """Return how many rows of each kind an act touches."""
    chips = [part("span", "", counted_change(what, count)) for what, count in done.rows.items()]
    return part("div", "line", *(chips or ["No row would change."]))


def ask_to_take_back(seq: int) -> None:
    """Open the preview of taking one change back."""
    st.session_state[ASKED] = seq
    # The button may be far below the place where the answer appears.
    st.toast("What taking it back would do stands at the top of the page; confirm it there.")


def confirm_taking_back() -> None:
    """Show what taking the change back would do, and the button that does it."""
    seq = st.session_state.get(ASKED)
    if not seq:
        return
    with st.container(border=True):
        try:
            with state.editing() as memory:
                would = memory.undo.undo(
                    seq=seq, dry_run=True, project_id=state.EVERY_PROJECT, user_id=ALL_USERS
                )
        except MemoryCoreError as error:
            state.failed("This change cannot be taken back. Nothing was changed.", error)
            would = None
        parts: list[Part] = []
        if would:
            rows = sum(would.reverted.values())
            parts.append(part("div", "", f"Taking it back puts {counted(rows, 'row')} back."))
            parts += [
                part("div", "faint", f"{row.kind} {row.title!r} stays as it is: {row.why}")
                for row in would.left_alone
            ]
        show(*parts, key="undo_preview")
        with st.container(horizontal=True):
            able = bool(would and would.reverted)
            if st.button("Take it back", type="primary", key="undo_now", disabled=not able):
                _take_back(seq)
            if st.button("Leave it", key="undo_not"):
                st.session_state.pop(ASKED)
                st.rerun()


def _take_back(seq: int) -> None:
    try:
        with state.editing() as memory:
            undone = memory.undo.undo(seq=seq, project_id=state.EVERY_PROJECT, user_id=ALL_USERS)
    except MemoryCoreError as error:
        state.failed("It was not taken back, and nothing was changed.", error)
        return
    st.session_state.pop(ASKED)
    undo_offer.done("A change was taken back.", undone.batch_id)
