"""Names of the arguments that the client provided explicitly."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_given: ContextVar[frozenset[str] | None] = ContextVar("given", default=None)


@contextmanager
def giving(names: Iterable[str]) -> Iterator[None]:
    """Say that the call inside the block gave these arguments."""
    token = _given.set(frozenset(names))
    try:
        yield
    finally:
        _given.reset(token)


def was_given(name: str) -> bool:
    """Return whether the argument was given; one called as a plain function gave them all."""
    names = _given.get()
    return names is None or name in names


def given_names() -> frozenset[str]:
    """Return what the running call gave; nothing if it is called as a plain function."""
    return _given.get() or frozenset()
