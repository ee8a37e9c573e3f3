"""Request context: actor, batch, typed path, progress, cancellation and redactions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import NamedTuple

from .errors import ValidationError

# Units done, total units, and a text that describes the current step.
ProgressCallback = Callable[[int, int, str], None]


class Redaction(NamedTuple):
    """Kind and place of a secret that was removed before storing. Never its text."""

    kind: str
    where: str

    def __str__(self) -> str:
        return f"{self.kind} in {self.where}"


def _ignore_progress(done: int, total: int, message: str) -> None:
    """Discard a progress report."""


_actor: ContextVar[str] = ContextVar("actor", default="unknown")
_batch: ContextVar[str | None] = ContextVar("batch", default=None)
_typed_path: ContextVar[Path | None] = ContextVar("typed_path", default=None)
_progress: ContextVar[ProgressCallback] = ContextVar("progress", default=_ignore_progress)
_cancelled: ContextVar[Callable[[], bool]] = ContextVar("cancelled", default=bool)
_redactions: ContextVar[list[Redaction] | None] = ContextVar("redactions", default=None)


def current_actor() -> str:
    return _actor.get()


def current_batch() -> str | None:
    """Return the id of the open batch, if any."""
    return _batch.get()


@contextmanager
def acting_as(actor: str) -> Iterator[None]:
    """Record *actor* as the author of every change made inside the block."""
    token = _actor.set(_required_text("actor", actor))
    try:
        yield
    finally:
        _actor.reset(token)


@contextmanager
def as_one_batch(batch_id: str) -> Iterator[None]:
    """Give all writes inside the block one batch id, so that they can be undone together."""
    token = _batch.set(_required_text("batch_id", batch_id))
    try:
        yield
    finally:
        _batch.reset(token)


def typed_paths() -> tuple[Path, ...]:
    """Return the path that the user typed for the current command, and a database's log files."""
    path = _typed_path.get()
    if path is None:
        return ()
    return (path, *(path.with_name(path.name + end) for end in ("-wal", "-journal") if path.name))


@contextmanager
def allowing_typed_path(path: Path) -> Iterator[None]:
    """
    Allow *path*, resolved, and what is in it if it is a folder: no root limits it in the block.

    Only the command line calls this, where the machine's user typed the path. An argument of a
    tool or a value of a page must never be passed.
    """
    token = _typed_path.set(path)
    try:
        yield
    finally:
        _typed_path.reset(token)


@contextmanager
def track_progress(
    progress: ProgressCallback | None = None, cancelled: Callable[[], bool] | None = None
) -> Iterator[None]:
    """
    Send progress to *progress* and poll *cancelled* inside the block.

    None keeps the callback of the enclosing block.
    """
    tokens = (
        _progress.set(progress or _progress.get()),
        _cancelled.set(cancelled or _cancelled.get()),
    )
    try:
        yield
    finally:
        _progress.reset(tokens[0])
        _cancelled.reset(tokens[1])


def report_progress(done: int, total: int, message: str) -> None:
    """Send the progress of a long operation to the callback of track_progress()."""
    _progress.get()(done, total, message)


def is_cancelled() -> bool:
    """Return whether the caller has cancelled the operation."""
    return _cancelled.get()()


@contextmanager
def redactions() -> Iterator[list[Redaction]]:
    """Yield a list that receives every redaction made inside the block."""
    recorded: list[Redaction] = []
    token = _redactions.set(recorded)
    try:
        yield recorded
    finally:
        _redactions.reset(token)


def record_redaction(kind: str, where: str) -> None:
    """Add a redaction to the list of the enclosing redactions() block, once per kind and place."""
    recorded = _redactions.get()
    if recorded is not None and (kind, where) not in recorded:
        recorded.append(Redaction(kind, where))


def _required_text(argument: str, value: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValidationError(f"{argument} is {value!r:.60}, and must be a text that is not blank.")
    return value
