"""What every use of memory needs from outside: the time, new ids, who acts, who is told."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import NamedTuple

from .errors import ValidationError

Clock = Callable[[], datetime]
IdSource = Callable[[], str]
# How much is done, of how much, and what is under way.
Progress = Callable[[int, int, str], None]


class Redaction(NamedTuple):
    """What was taken out before it was stored, and of which part; never the words themselves."""

    kind: str
    where: str

    def __str__(self) -> str:
        return f"{self.kind} in {self.where}"


_actor: ContextVar[str] = ContextVar("actor", default="unknown")
_batch: ContextVar[str | None] = ContextVar("batch", default=None)


def _unheard(done: int, total: int, message: str) -> None:
    """Tell nobody."""


_progress: ContextVar[Progress] = ContextVar("progress", default=_unheard)
_cancelled: ContextVar[Callable[[], bool]] = ContextVar("cancelled", default=bool)
_redactions: ContextVar[list[Redaction] | None] = ContextVar("redactions", default=None)


def utc_now() -> datetime:
    return datetime.now(UTC)


def new_id() -> str:
    """Return an id that sorts by the time it was made."""
    milliseconds = int(utc_now().timestamp() * 1000)
    return f"{milliseconds:011x}{secrets.token_hex(5)}"


def stamp(moment: datetime) -> str:
    """Write *moment* as the fixed-width UTC text that sorts like the time itself."""
    # Not strftime: it writes the year 999 with three digits on some platforms.
    return moment.astimezone(UTC).isoformat("T", "microseconds").replace("+00:00", "Z")


def current_actor() -> str:
    return _actor.get()


def current_batch() -> str | None:
    """Return the id that joins several writes into one act, if one is open."""
    return _batch.get()


@contextmanager
def acting_as(actor: str) -> Iterator[None]:
    """Sign every change made inside the block with *actor*."""
    token = _actor.set(_named("actor", actor))
    try:
        yield
    finally:
        _actor.reset(token)


@contextmanager
def as_one_batch(batch_id: str) -> Iterator[None]:
    """Give all writes inside the block one batch id, so they can be undone as one."""
    token = _batch.set(_named("batch_id", batch_id))
    try:
        yield
    finally:
        _batch.reset(token)


def report(done: int, total: int, message: str) -> None:
    """Tell whoever waits for a long act how far it is."""
    _progress.get()(done, total, message)


def is_cancelled() -> bool:
    """Return whether whoever waited has taken the request back."""
    return _cancelled.get()()


@contextmanager
def awaited_by(
    progress: Progress | None = None, cancelled: Callable[[], bool] | None = None
) -> Iterator[None]:
    """Say whom to tell, and whom to ask, while the block is at work; None: as before."""
    tokens = (
        _progress.set(progress or _progress.get()),
        _cancelled.set(cancelled or _cancelled.get()),
    )
    try:
        yield
    finally:
        _progress.reset(tokens[0])
        _cancelled.reset(tokens[1])


@contextmanager
def redactions() -> Iterator[list[Redaction]]:
    """Yield a list that fills with what is redacted inside the block."""
    noticed: list[Redaction] = []
    token = _redactions.set(noticed)
    try:
        yield noticed
    finally:
        _redactions.reset(token)


def redaction_noticed(kind: str, where: str) -> None:
    """Tell whoever listens that a secret of that kind was taken out of that part, once."""
    noticed = _redactions.get()
    if noticed is not None and (kind, where) not in noticed:
        noticed.append(Redaction(kind, where))


def _named(what: str, name: str) -> str:
    if not isinstance(name, str) or not name.strip():
        raise ValidationError(f"{what} is {name!r:.60}, and must be a text that is not blank.")
    return name
