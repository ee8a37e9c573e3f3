"""Background jobs in threads: visible from every page and tab, with progress and cancellation."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Literal

import streamlit as st

from memory_core import (
    CancelledError,
    MemoryCoreError,
    acting_as,
    start_thread,
    track_progress,
)

from ..state import ACTOR

State = Literal["running", "done", "stopped", "failed"]


class Job:
    """One job, from its start until its result was shown."""

    def __init__(self, name: str, act: Callable[[], object]) -> None:
        self.name = name
        self.state: State = "running"
        self.result: object = None
        self.error = ""
        self.message = ""
        self.done = 0
        self.total = 0
        self._act = act
        self._stopping = threading.Event()
        self._begun = time.monotonic()
        self._thread = start_thread(self._run, name=name)

    def stop(self) -> None:
        """Ask it to end after the step it is at."""
        self._stopping.set()

    def wait(self, timeout: float) -> bool:
        """Wait for its end; return whether it came in time."""
        self._thread.join(timeout)
        return not self._thread.is_alive()

    @property
    def stopping(self) -> bool:
        return self._stopping.is_set()

    @property
    def share(self) -> float:
        """How much of it is done, 0 to 1."""
        return min(self.done / self.total, 1.0) if self.total else 0.0

    @property
    def seconds_left(self) -> float | None:
        """As long as the rest takes at the pace so far; None before there is one."""
        if not self.done:
            return None
        return (time.monotonic() - self._begun) / self.done * max(self.total - self.done, 0)

    def _run(self) -> None:
        ended: State = "failed"
        try:
            with acting_as(ACTOR), track_progress(self._tell, self._stopping.is_set):
                self.result = self._act()
            ended = "done"
        except CancelledError:
            ended = "stopped"
        except MemoryCoreError as error:
            self.error = str(error)
        finally:
            # Last: readers of the state find the rest in place.
            self.state = ended

    def _tell(self, done: int, total: int, message: str) -> None:
        self.done, self.total, self.message = done, total, message
        if self._stopping.is_set():
            raise CancelledError(f"{self.name} was stopped.")


@st.cache_resource(show_spinner=False)
def _jobs() -> dict[str, Job]:
    return {}


def find_job(name: str) -> Job | None:
    """Return the work of that name, if it was started and not put away since."""
    return _jobs().get(name)


def start_job(name: str, act: Callable[[], object]) -> Job:
    """Start work unless work of that name is running; return it."""
    known = _jobs().get(name)
    if known and known.state == "running":
        return known
    _jobs()[name] = made = Job(name, act)
    return made


def discard_job(name: str) -> None:
    """Forget work that has ended."""
    known = _jobs().get(name)
    if known and known.state != "running":
        _jobs().pop(name)
