"""A form for one row, saved only if the row has not changed since the form was opened."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, Protocol, TypeVar

import streamlit as st

from memory_core import Memory
from memory_core.model.graph.bulk_edit import EditProblem

from ..components.elements import Part, part, show
from . import undo_offer
from .apply import apply_edit


class HasId(Protocol):
    @property
    def id(self) -> str: ...


Row = TypeVar("Row", bound=HasId)


@dataclass(frozen=True)
class Opened(Generic[Row]):
    """A row as first shown, the newest change its editor has seen, and the key of its form."""

    row: Row
    seen: int
    key: str


@dataclass(frozen=True)
class Conflict:
    """A newer version of a row, and the input that was not saved over it."""

    id: str
    problem: EditProblem
    typed: Any


@dataclass(frozen=True)
class Saved:
    """A finished save; the message may quote memory, and undo reverts the batch."""

    message: str
    batch_id: str


@dataclass(frozen=True)
class VersionedForm(Generic[Row]):
    """
    Open and save rows of one kind, and resolve conflicts with newer versions.

    Attributes:
        kind: Prefix of the session keys.

        is_edited: Whether submitted fields differ from the row.

        save: Saves the input over the version seen, or raises VersionConflictError.

        versions: The opened, stored and typed versions, as parts.
    """

    kind: str
    is_edited: Callable[[Opened[Row]], bool]
    save: Callable[[Memory, Opened[Row], Any], Saved]
    versions: Callable[[Row, Row, Any], Sequence[Part]]

    def open_row(self, row: Row, seen: int) -> Opened[Row]:
        """Return the row as it was when its form was opened; *seen* is its newest change."""
        opened: Opened[Row] | None = st.session_state.get(self._opened_key)
        same = opened is not None and opened.row.id == row.id
        # Without edits nothing can be lost: the form follows the stored row.
        if opened is None or not same or (opened.seen != seen and not self.is_edited(opened)):
            opened = Opened(row, seen, f"{self.kind}_{row.id}_{seen}")
            st.session_state[self._opened_key] = opened
            st.session_state.pop(self._conflict_key, None)
        return opened

    def show_conflict(self, opened: Opened[Row], stored: Row) -> None:
        """Show all versions of a conflicting row, with a choice between two."""
        # Always present, so that the form does not move while the user types into it.
        with st.container():
            conflict: Conflict | None = st.session_state.get(self._conflict_key)
            if conflict and conflict.id == stored.id:
                self._show_versions(opened, stored, conflict)

    def save_row(self, opened: Opened[Row], typed: Any) -> None:
        """Save the input; on a conflict nothing is saved and the versions are shown."""
        outcome = apply_edit(
            "The row was not saved.",
            lambda m: self.save(m, opened, typed),
            resolves_conflict=True,
        )
        if outcome.conflicts:
            conflict = Conflict(opened.row.id, outcome.conflicts[0], typed)
            st.session_state[self._conflict_key] = conflict
            st.rerun()
        if outcome.value:
            self.close()
            undo_offer.report_done(outcome.value.message, outcome.value.batch_id)

    def close(self) -> None:
        """Discard the input, so that the form opens with the stored row."""
        close_form(self.kind)

    def _show_versions(self, opened: Opened[Row], stored: Row, conflict: Conflict) -> None:
        st.warning("The row changed after you opened it. Nothing was saved.")
        versions = self.versions(opened.row, stored, conflict.typed)
        show(part("div", "faint", conflict.problem.why), *versions, key=f"{self.kind}_versions")
        with st.container(horizontal=True):
            if st.button("Keep mine", key=f"{self.kind}_mine"):
                opened = replace(opened, seen=conflict.problem.newest)
                st.session_state[self._opened_key] = opened
                st.session_state.pop(self._conflict_key)
                self.save_row(opened, conflict.typed)
            st.button("Keep theirs", key=f"{self.kind}_theirs", on_click=self.close)

    @property
    def _opened_key(self) -> str:
        return _opened_key(self.kind)

    @property
    def _conflict_key(self) -> str:
        return _conflict_key(self.kind)


def close_form(kind: str) -> None:
    """Discard the input of the form for rows of this kind."""
    st.session_state.pop(_opened_key(kind), None)
    st.session_state.pop(_conflict_key(kind), None)


def _opened_key(kind: str) -> str:
    return f"{kind}_opened"


def _conflict_key(kind: str) -> str:
    return f"{kind}_conflict"
