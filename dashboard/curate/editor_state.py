"""
Editor state for one page of rows: loaded rows, unsaved cell edits, newer versions.

A page of rows is read once and edited as it was then. What is typed belongs to its row and not to
the widget: it outlives another page, other filters and a rebuilt table.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

import pandas as pd
import streamlit as st

from memory_core.model.graph.bulk_edit import (
    Edit,
    EditProblem,
    EntityRow,
    EntityRows,
    ObservationRow,
    ObservationRows,
)

from ..saving.undo_offer import edits_done
from . import edits as curating
from .edits import ID, PROJECT

SHEETS_KEY, _CURRENT_KEY, _START_KEY = "curate_sheets", "curate_sheet", "curate_begun"
MAX_SHEETS = 20
Rows = EntityRows | ObservationRows
Place = tuple[str, str]
_NUMBERS = count(1)


@dataclass(frozen=True)
class Sheet:
    """One page of rows, and the cells that differ from it."""

    rows: Rows
    typed: Mapping[Place, Mapping[str, Any]] = field(default_factory=dict)
    # Rows of which another change than the page's was the last one that their author saw.
    seen: Mapping[Place, int] = field(default_factory=dict)
    # Edits that this session had finished when the rows were read.
    edits: int = field(default_factory=edits_done)
    # The widget of this sheet; a sheet that begins with other cells has another one.
    number: int = field(default_factory=_NUMBERS.__next__)

    def with_seen(self, edits: Sequence[Edit]) -> list[Edit]:
        """Return the edits, with what their author has seen."""
        return [
            edit.model_copy(update={"seen": self.seen.get(_edit_place(edit), edit.seen)})
            for edit in edits
        ]


def open_sheet(asked: Hashable, read: Callable[[], Rows]) -> Sheet:
    """Return the sheet of a page: as it was left if something was typed there, else read now."""
    sheets: dict[Hashable, Sheet] = st.session_state.setdefault(SHEETS_KEY, {})
    known = sheets.get(asked)
    if known is None or (st.session_state.get(_CURRENT_KEY) != asked and not known.typed):
        known = Sheet(read())
    elif known.edits != edits_done():
        # An own edit, or its undo, has changed the rows; what was typed meanwhile stays.
        known = _read_again(known, read, set(known.typed))
    elif st.session_state.get(_CURRENT_KEY) != asked:
        # Its widget is gone, and its state with it.
        known = replace(known, number=next(_NUMBERS))
    _store_sheet(asked, known)
    st.session_state[_CURRENT_KEY] = asked
    return known


def editor_frames(sheet: Sheet) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the rows as they were read, and as the widget begins: with what was typed before."""
    read = curating.page_frame(sheet.rows)
    # A widget whose first cells change is another widget, and forgets.
    if sheet.number in (held := st.session_state.get(_START_KEY, {})):
        return read, held[sheet.number]
    start = read.copy()
    for at in range(len(start)):
        for column, value in sheet.typed.get(_row_place(start, at), {}).items():
            start.loc[start.index[at], column] = value
    st.session_state[_START_KEY] = {sheet.number: start}
    return read, start


def record_edits(asked: Hashable, sheet: Sheet, read: pd.DataFrame, edited: pd.DataFrame) -> Sheet:
    """Remember what has been typed; the widget goes on as it is."""
    typed = {}
    for at in range(len(read)):
        cells = {
            column: edited[column].iloc[at]
            for column in read.columns
            if edited[column].iloc[at] != read[column].iloc[at]
        }
        if cells:
            typed[_row_place(read, at)] = cells
    sheet = replace(sheet, typed=typed)
    _store_sheet(asked, sheet)
    return sheet


def keep_mine(asked: Hashable, sheet: Sheet, edit: Edit, problem: EditProblem) -> None:
    """Let what was typed stand against the change that was in the way, and against no later one."""
    _store_sheet(asked, replace(sheet, seen={**sheet.seen, _edit_place(edit): problem.newest}))


def keep_theirs(asked: Hashable, sheet: Sheet, edit: Edit, problem: EditProblem) -> None:
    """Take what was typed in a row away, and show the row as it is stored."""
    place = _edit_place(edit)
    shown = Sheet(
        rows=_replace_stored(sheet.rows, edit, problem.stored),
        typed={at: cells for at, cells in sheet.typed.items() if at != place},
        seen={**sheet.seen, place: problem.newest},
    )
    _store_sheet(asked, shown)


def unsaved_elsewhere(asked: Hashable) -> int:
    """Return how many rows with something typed into them stand on other pages."""
    sheets: dict[Hashable, Sheet] = st.session_state.get(SHEETS_KEY, {})
    return sum(len(sheet.typed) for other, sheet in sheets.items() if other != asked)


def discard_sheet(asked: Hashable) -> None:
    """Read a page again when it is shown next; what was typed there goes."""
    st.session_state.get(SHEETS_KEY, {}).pop(asked, None)


def reload_sheet(asked: Hashable, sheet: Sheet, read: Callable[[], Rows], left: set[Place]) -> None:
    """Read a page again; what was typed into the rows that are *left* stays as it is."""
    _store_sheet(asked, _read_again(sheet, read, left))


def _read_again(sheet: Sheet, read: Callable[[], Rows], left: set[Place]) -> Sheet:
    kept = {place: cells for place, cells in sheet.typed.items() if place in left}
    seen = {place: sheet.seen.get(place, sheet.rows.seq) for place in kept}
    return Sheet(read(), typed=kept, seen=seen)


def _store_sheet(asked: Hashable, sheet: Sheet) -> None:
    sheets: dict[Hashable, Sheet] = st.session_state.setdefault(SHEETS_KEY, {})
    sheets.pop(asked, None)
    sheets[asked] = sheet
    untouched = [other for other, each in sheets.items() if other != asked and not each.typed]
    for other in [*untouched, *list(sheets)[:-MAX_SHEETS]]:
        sheets.pop(other, None)


def _replace_stored(rows: Rows, edit: Edit, stored: Mapping[str, str]) -> Rows:
    if isinstance(rows, EntityRows):
        return rows.model_copy(
            update={"rows": [_replace_entity(r, edit, stored) for r in rows.rows]}
        )
    return rows.model_copy(
        update={"rows": [_replace_observation(r, edit, stored) for r in rows.rows]}
    )


def _replace_entity(row: EntityRow, edit: Edit, stored: Mapping[str, str]) -> EntityRow:
    if (row.entity.project_id, row.entity.id) != _edit_place(edit):
        return row
    return row.model_copy(update={"entity": row.entity.model_copy(update=dict(stored))})


def _replace_observation(
    row: ObservationRow, edit: Edit, stored: Mapping[str, str]
) -> ObservationRow:
    if (row.project_id, row.observation.id) != _edit_place(edit):
        return row
    fact = row.observation.model_copy(update=dict(stored))
    return row.model_copy(update={"observation": fact})


def _edit_place(edit: Edit) -> Place:
    return edit.project_id, edit.id


def _row_place(shown: pd.DataFrame, at: int) -> Place:
    return str(shown[PROJECT].iloc[at]), str(shown[ID].iloc[at])
