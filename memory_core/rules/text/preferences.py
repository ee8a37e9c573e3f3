"""Opposite preferences: one of two options over the other, and the reverse."""

from __future__ import annotations

from collections.abc import Sequence

# Verbs of a preference; each is followed by both options.
_VERBS = frozenset(
    [
        "prefer",
        "prefers",
        "preferred",
        "like",
        "likes",
        "love",
        "loves",
        "favor",
        "favors",
        "favour",
        "favours",
        "choose",
        "chooses",
        "want",
        "wants",
        "pick",
        "picks",
        "use",
        "uses",
        "need",
        "needs",
        "take",
        "takes",
    ]
)
# Words between the options, longest first; "to" only after a verb of preference itself.
_BETWEEN = (
    *(("rather", "than"), ("instead", "of"), ("more", "than"), ("better", "than")),
    *(("over",), ("than",), ("above",), ("before",), ("to",)),
)
_TO_VERBS = frozenset(["prefer", "prefers", "preferred"])
_ARTICLES = frozenset(["a", "an", "the", "using"])


def are_opposite_preferences(first: Sequence[str], second: Sequence[str]) -> bool:
    """Return whether two folded statements prefer the same two options in opposite order."""
    one, other = _preference(first), _preference(second)
    if one is None or other is None or one[0] != other[0]:
        return False
    # What follows the last option may be the same in both: for short trips.
    (better, worse), (preferred, lesser) = one[1:], other[1:]
    shared = _shared_tail(worse, lesser, better, preferred)
    worse, lesser = worse[: len(worse) - shared], lesser[: len(lesser) - shared]
    return bool(better) and better != worse and (better, worse) == (lesser, preferred)


def _preference(words: Sequence[str]) -> tuple[list[str], list[str], list[str]] | None:
    """Return subject, preferred option, and the other option with the rest of the statement."""
    words = [word.rstrip(".,!") for word in words if word not in _ARTICLES]
    at = next((at for at, word in enumerate(words) if word in _VERBS), None)
    if at is None:
        return None
    rest = words[at + 1 :]
    for place in range(1, len(rest)):
        for between in _BETWEEN:
            if between == ("to",) and words[at] not in _TO_VERBS:
                continue
            if tuple(rest[place : place + len(between)]) == between:
                return words[:at], rest[:place], rest[place + len(between) :]
    return None


def _shared_tail(
    worse: Sequence[str], lesser: Sequence[str], better: Sequence[str], preferred: Sequence[str]
) -> int:
    """Return how many words both statements have after their last option."""
    tail = len(worse) - len(preferred)
    same = tail == len(lesser) - len(better) and tail > 0
    return tail if same and worse[-tail:] == lesser[-tail:] else 0
