"""One row in a form: as it was when it was opened, and saved only if nobody was faster."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, Protocol, TypeVar

import streamlit as st

from memory_core import Memory, MemoryCoreError, VersionConflictError

from .. import state
from ..components.elements import Part, part, show
from . import undo_offer


class HasId(Protocol):
    """What every row has."""

    @property
    def id(self) -> str: ...


Row = TypeVar("Row", bound=HasId)


@dataclass(frozen=True)
class Opened(Generic[Row]):
    """A row as its editor saw it, the newest change that they know, and the key of its form."""

    row: Row
    seen: int
    key: str


@dataclass(frozen=True)
class Conflict:
    """What somebody else did to a row before what was typed could be saved."""

    id: str
    said: str
    version: int
    typed: Any


@dataclass(frozen=True)
class Saved:
    """What was saved, in words that may quote memory, and the batch that undo takes back."""

    said: str
    batch_id: str


@dataclass(frozen=True)
class ContestedForm(Generic[Row]):
    """
    How rows of one kind are opened, saved, and decided upon when two changed one.

    Attributes:
        kind: What its keys in the session begin with.

        touched: Whether something that was typed has been sent.

        save: Saves what was typed over the state that was seen, or raises VersionConflictError.

        versions: What was, is and was typed, as parts.
    """

    kind: str
    touched: Callable[[Opened[Row]], bool]
    save: Callable[[Memory, Opened[Row], Any], Saved]
    versions: Callable[[Row, Row, Any], Sequence[Part]]

    def opened(self, row: Row, seen: int) -> Opened[Row]:
        """Return the row as it was when its form was opened first; *seen* is its newest change."""
        opened: Opened[Row] | None = st.session_state.get(self._opened)
        same = opened is not None and opened.row.id == row.id
        # Where nothing was typed, nothing can be lost: the form follows what is stored.
        if opened is None or not same or (opened.seen != seen and not self.touched(opened)):
            opened = Opened(row, seen, f"{self.kind}_{row.id}_{seen}")
            st.session_state[self._opened] = opened
            st.session_state.pop(self._conflict, None)
        return opened

    def decide(self, opened: Opened[Row], stored: Row) -> None:
        """Where two changed it, show all versions and let one of the two be chosen."""
        # A place that stays: the form must not move while somebody types into it.
        with st.container():
            conflict: Conflict | None = st.session_state.get(self._conflict)
            if conflict and conflict.id == stored.id:
                self._choose(opened, stored, conflict)

    def keep(self, opened: Opened[Row], typed: Any) -> None:
        """Save what was typed; if somebody was faster, nothing is, and both are shown."""
        try:
            with state.editing() as memory:
                saved = self.save(memory, opened, typed)
        except VersionConflictError as error:
            said = f"Changed by {error.by} at {error.at}"
            st.session_state[self._conflict] = Conflict(opened.row.id, said, error.version, typed)
            st.rerun()
        except MemoryCoreError as error:
            state.failed("It was not saved, and is as it was.", error)
            return
        self.forget()
        undo_offer.done(saved.said, saved.batch_id)

    def forget(self) -> None:
        """Open the row anew, as it is stored."""
        forget(self.kind)

    def _choose(self, opened: Opened[Row], stored: Row, conflict: Conflict) -> None:
        st.warning("It was changed elsewhere since you opened it. Nothing was saved.")
        versions = self.versions(opened.row, stored, conflict.typed)
        show(part("div", "faint", conflict.said), *versions, key=f"{self.kind}_conflict_parts")
        with st.container(horizontal=True):
            if st.button("Keep mine", key=f"{self.kind}_mine"):
                opened = replace(opened, seen=conflict.version)
                st.session_state[self._opened] = opened
                st.session_state.pop(self._conflict)
                self.keep(opened, conflict.typed)
            st.button("Keep theirs", key=f"{self.kind}_theirs", on_click=self.forget)

    @property
    def _opened(self) -> str:
        return _opened_key(self.kind)

    @property
    def _conflict(self) -> str:
        return _conflict_key(self.kind)


def forget(kind: str) -> None:
    """Open the row of that kind anew, as it is stored."""
    st.session_state.pop(_opened_key(kind), None)
    st.session_state.pop(_conflict_key(kind), None)


def _opened_key(kind: str) -> str:
    return f"{kind}_opened"


def _conflict_key(kind: str) -> str:
    return f"{kind}_conflict"
