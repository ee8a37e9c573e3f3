"""
Percentiles by nearest rank, and the bounds of a histogram.

The p-th percentile is the smallest value that at least p percent of all values
do not exceed: always one that really occurred, never a mean of two. Of one
value every percentile is that value; of none there is none, and 0 stands for it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence


def percentile(ordered: Sequence[float], percent: float) -> float:
    """Return the *percent*-th percentile of values in rising order."""
    if not ordered:
        return 0.0
    rank = math.ceil(percent / 100 * len(ordered))
    return ordered[max(rank, 1) - 1]


def histogram_edges(shortest: float, longest: float) -> list[float]:
    """
    Return bounds, ten to each power of ten, round numbers, that hold both durations.

    Durations are alike by their ratio, not their difference: 2 ms is to 1 ms
    what 2 s is to 1 s. The last bound lies above the longest.
    """
    place = math.floor(math.log10(max(shortest, SHORTEST)) * len(_STEPS)) + 1
    while place > _FIRST and _bound_at(place) > shortest:
        place -= 1
    bounds = [_bound_at(place)] if _bound_at(place) <= shortest else [0.0, _bound_at(place)]
    while bounds[-1] <= longest:
        place += 1
        bounds.append(_bound_at(place))
    return bounds


# A hundredth of a millisecond; all that is shorter is counted together.
SHORTEST = 0.01
_STEPS = (1.0, 1.25, 1.6, 2.0, 2.5, 3.2, 4.0, 5.0, 6.3, 8.0)
_FIRST = -2 * len(_STEPS)


def _bound_at(place: int) -> float:
    power, step = divmod(place, len(_STEPS))
    return round(_STEPS[step] * 10.0**power, 6)
