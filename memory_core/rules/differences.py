"""
Differences between two texts: two replaced stretches.

Two, because a record that changes has one changed value and a new timestamp.
"""

from __future__ import annotations

from typing import NamedTuple

# Length of the samples by which a stretch that both texts have is found, and their places.
_SAMPLE = 24
_PLACES = (0.5, 0.25, 0.75)


class Difference(NamedTuple):
    """
    The parts of a text that differ from a base, and the places of what it keeps.

    Places and lengths count characters, places from 1 like substr() in SQL. The text is
    ``base[:start] + first + base[kept:][:length] + second + base[rest:]`` in these terms.
    """

    start: int
    first: str
    kept: int
    length: int
    second: str
    rest: int


def difference(base: str, text: str) -> Difference:
    """Return how to make *text* from *base*."""
    start = _common_start(base, text)
    end = _common_end(base[start:], text[start:])
    old, new = base[start : len(base) - end], text[start : len(text) - end]
    old_place, new_place, length = _common_stretch(old, new)
    return Difference(
        start=start,
        first=new[:new_place],
        kept=start + old_place + 1,
        length=length,
        second=new[new_place + length :],
        rest=len(base) - end + 1,
    )


def apply(base: str, change: Difference) -> str:
    """Return the text that *change* makes from *base*."""
    start, first, kept, length, second, rest = change
    middle = base[kept - 1 : kept - 1 + length]
    return base[:start] + first + middle + second + base[rest - 1 :]


def _common_start(one: str, other: str) -> int:
    """Return the length of the common start, by bisection."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _common_end(one: str, other: str) -> int:
    """Return the length of the common end, by bisection."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[len(one) - middle : len(one) - low] == other[len(other) - middle : len(other) - low]:
            low = middle
        else:
            high = middle - 1
    return low


def _common_stretch(old: str, new: str) -> tuple[int, int, int]:
    """Return the places and the length of a long stretch that both have, or zeros."""
    best = (0, 0, 0)
    for place in _PLACES:
        here = int((len(old) - _SAMPLE) * place)
        sample = old[here : here + _SAMPLE] if here >= 0 else ""
        there = new.find(sample) if len(sample) == _SAMPLE else -1
        if there >= 0:
            back = _common_end(old[:here], new[:there])
            ahead = _common_start(old[here:], new[there:])
            best = max(best, (here - back, there - back, back + ahead), key=lambda each: each[2])
    return best
