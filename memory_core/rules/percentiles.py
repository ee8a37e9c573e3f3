"""
Percentiles by nearest rank.

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
