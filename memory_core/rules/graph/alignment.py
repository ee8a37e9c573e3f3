"""Alignment of two lists by longest common subsequence."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence


def match_items(old: Sequence[str], new: Sequence[str]) -> dict[int, int]:
    """
    Return the index in *old* by index in *new*, in increasing order.

    Repeated items are paired by occurrence. Of all increasing pairings the longest is returned, in
    O(n log n).
    """
    places = {item: place for place, item in enumerate(_number_occurrences(old))}
    pairs = [
        (place, places[item])
        for place, item in enumerate(_number_occurrences(new))
        if item in places
    ]
    return dict(_longest_rising(pairs))


def _number_occurrences(items: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Yield each item with the number of earlier occurrences."""
    seen: Counter[str] = Counter()
    for item in items:
        yield item, seen[item]
        seen[item] += 1


def _longest_rising(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest increasing subsequence by the right index; the left ones are sorted."""
    # The lowest right end of an increasing subsequence by length, and its index in pairs.
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
