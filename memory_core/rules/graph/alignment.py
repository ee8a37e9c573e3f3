"""Longest common subsequence of two lists."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence


def match_items(old: Sequence[str], new: Sequence[str]) -> dict[int, int]:
    """
    Return which items of *new* are which of *old*, in the same order in both.

    An item that comes several times is paired first with first, second with second;
    of all pairs it is the longest choice whose order agrees, in n log n steps.
    """
    places = {item: place for place, item in enumerate(_number_occurrences(old))}
    pairs = [
        (place, places[item])
        for place, item in enumerate(_number_occurrences(new))
        if item in places
    ]
    return dict(_longest_rising(pairs))


def _number_occurrences(items: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Yield each item with how often it came before."""
    seen: Counter[str] = Counter()
    for item in items:
        yield item, seen[item]
        seen[item] += 1


def _longest_rising(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest part of *pairs*, which rise on the left, that rises on the right."""
    # The lowest right end of a rising part, by its length, and where that end is in pairs.
    lowest: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for index, (_, right) in enumerate(pairs):
        length = bisect_left(lowest, right)
        before.append(ends[length - 1] if length else -1)
        lowest[length : length + 1] = [right]
        ends[length : length + 1] = [index]
    rising = []
    index = ends[-1] if ends else -1
    while index >= 0:
        rising.append(pairs[index])
        index = before[index]
    return rising[::-1]
