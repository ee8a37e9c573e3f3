"""
Nearest-rank percentiles and histogram bins.

The p-th percentile is the smallest value that is not exceeded by at least p percent of the values:
always an observed value, never an average. Without values it is 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence


def percentile(ordered: Sequence[float], percent: float) -> float:
    """Return the *percent*-th percentile of sorted values."""
    if not ordered:
        return 0.0
    rank = math.ceil(percent / 100 * len(ordered))
    return ordered[max(rank, 1) - 1]


def histogram_edges(shortest: float, longest: float) -> list[float]:
    """
    Return logarithmic bin edges, ten per decade, that include both durations.

    Latencies differ by ratio, so the bins are equal on a logarithmic scale. The last edge is above
    the longest.
    """
    place = math.floor(math.log10(max(shortest, SHORTEST)) * len(_STEPS)) + 1
    while place > _FIRST and _bound_at(place) > shortest:
        place -= 1
    bounds = [_bound_at(place)] if _bound_at(place) <= shortest else [0.0, _bound_at(place)]
    while bounds[-1] <= longest:
        place += 1
        bounds.append(_bound_at(place))
    return bounds


# Milliseconds; shorter durations share the first bin.
SHORTEST = 0.01
_STEPS = (1.0, 1.25, 1.6, 2.0, 2.5, 3.2, 4.0, 5.0, 6.3, 8.0)
_FIRST = -2 * len(_STEPS)


def _bound_at(place: int) -> float:
    power, step = divmod(place, len(_STEPS))
    return round(_STEPS[step] * 10.0**power, 6)
