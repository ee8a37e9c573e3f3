"""Apply the edits of all pages: one batch each, with one outcome for conflicts and failures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import streamlit as st

from memory_core import (
    Memory,
    MemoryCoreError,
    VersionConflictError,
    as_one_batch,
    new_id,
)
from memory_core.model.graph.bulk_edit import BulkEditResult, Edit, EditProblem

from .. import messages, state
from ..components.elements import Part, part, show
from ..components.formatting import counted_change, format_count
from . import undo_offer

MAX_SHOWN = 20

Result = TypeVar("Result")


@dataclass(frozen=True)
class EditOutcome(Generic[Result]):
    """
    Result of `apply_edit()`.

    `batch_id` is empty unless the edit was saved. `conflicts` lists the rows with a newer version
    and the rows that cannot be saved; `error` is any other failure.
    """

    value: Result | None = None
    batch_id: str = ""
    conflicts: Sequence[EditProblem] = ()
    error: MemoryCoreError | None = None


def apply_edit(
    failure: str,
    edit: Callable[[Memory], Result],
    *,
    batch_id: str = "",
    resolves_conflict: bool = False,
    is_preview: bool = False,
) -> EditOutcome[Result]:
    """
    Run *edit* as one batch signed "dashboard".

    A failure is reported as *failure*, followed by its reason; an empty *failure* reports nothing.
    With *resolves_conflict*, a newer version of the row is left to the caller. The report stays
    until the next action, but that of a preview only while the preview is shown.
    """
    if not batch_id and not is_preview:
        messages.clear_messages()
    batch_id = batch_id or new_id()
    try:
        with state.editing() as memory, as_one_batch(batch_id):
            value = edit(memory)
        if isinstance(value, BulkEditResult) and not value.saved:
            return EditOutcome(value, conflicts=value.problems)
        return EditOutcome(value, batch_id)
    except VersionConflictError as error:
        why = f"Changed by {error.by} at {error.at}"
        problem = EditProblem(place=0, id="", why=why, stale=True, newest=error.version)
        outcome = EditOutcome[Result](conflicts=[problem], error=error)
    except MemoryCoreError as error:
        outcome = EditOutcome(error=error)
    if failure and outcome.error and not (outcome.conflicts and resolves_conflict):
        said = f"{failure} Nothing was changed."
        state.show_error(said, outcome.error)
        if not is_preview:
            messages.keep_message(said, [str(outcome.error)])
    return outcome


def apply_batch(failure: str, edit: Callable[[Memory], object]) -> str:
    """Apply an edit; return its batch id, or "" if it failed."""
    return apply_edit(failure, edit).batch_id


def run_operation(failure: str, operation: Callable[[Memory], Any]) -> Any:
    """Run a backup, export or similar operation that is not an edit; return None on failure."""
    try:
        with state.editing() as memory:
            return operation(memory)
    except MemoryCoreError as error:
        state.show_error(failure, error)
        return None


def reload_pages(message: str) -> None:
    """Clear all cached data: after a restore or purge, change numbers may have a new meaning."""
    st.cache_data.clear()
    for key in ("checkup", "optimised"):
        st.session_state.pop(key, None)
    undo_offer.report_done(message)


def preview_edits(edits: Sequence[Edit]) -> BulkEditResult | None:
    """Return the effect of saving the edits; report a failure and return None."""
    try:
        with state.editing() as memory:
            return memory.curation.apply_edits(edits, dry_run=True)
    except MemoryCoreError as error:
        state.show_error("No preview is available. Nothing was changed.", error)
        return None


def save_edits(
    edits: Sequence[Edit],
    message: str,
    *,
    forget: Sequence[str] = (),
    then: Callable[[], None] = lambda: None,
) -> None:
    """Save the edits as one batch, drop the session keys in *forget*, call *then*, offer undo."""
    outcome = apply_edit(
        "The edits were not saved.", lambda memory: memory.curation.apply_edits(edits)
    )
    if outcome.batch_id and outcome.value:
        for name in forget:
            st.session_state.pop(name, None)
        then()
        undo_offer.report_done(message, outcome.value.batch_id)
    show_problems(outcome.conflicts, key="problems")


def show_problems(problems: Sequence[EditProblem], *, key: str, listed: bool = True) -> None:
    """Report conflicts and invalid edits; `listed=False` when the caller shows each of them."""
    if not problems:
        return
    verb = "conflicts" if len(problems) == 1 else "conflict"
    what = f"{format_count(len(problems), 'row')} {verb} with newer versions or cannot be saved"
    if not listed:
        st.warning(f"{what}. Choose a version below; nothing is saved yet.")
        return
    st.error(f"Nothing was saved: {what}. Your input is still here.")
    lines: list[Part] = [part("li", "tight", problem.why) for problem in problems[:MAX_SHOWN]]
    if len(problems) > MAX_SHOWN:
        lines.append(part("li", "faint", f"and {len(problems) - MAX_SHOWN} more"))
    show(part("ul", "", *lines), key=key)


def row_count_parts(done: BulkEditResult) -> Part:
    """Return the number of affected rows by kind, as parts."""
    chips = [part("span", "", counted_change(what, count)) for what, count in done.rows.items()]
    return part("div", "line", *(chips or ["No changes."]))
