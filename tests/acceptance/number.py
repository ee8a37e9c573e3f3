"""One behaviour that users may count on."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Number:
    """A behaviour and the tests that would fail without it."""

    number: str
    behaviour: str
    tests: tuple[str, ...]


def number(id: str, behaviour: str, *tests: str) -> Number:
    return Number(id, behaviour, tests)
