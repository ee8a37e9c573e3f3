"""
Salience of an entity: use, recency and degree.

Each part is between 0 and 1 and increases with its cause: use and degree logarithmically, recency
with a half-life. The weights sum to 1.
"""

from __future__ import annotations

import math

USE, DEGREE, NEWNESS = 0.4, 0.3, 0.3

# Uses and relations from which these parts are 1.
MUCH_USED = 50
MUCH_CONNECTED = 50
# Days after which the recency is halved.
HALF_LIFE_DAYS = 30.0

# Maximum salience of an unused entity with few relations that is not recent.
LOW = 0.12


def salience(*, retrievals: int, degree: int, idle_days: float) -> float:
    """Return 0 to 1; *idle_days* counts from the last change or use, whichever is later."""
    newness = math.exp2(-max(idle_days, 0.0) / HALF_LIFE_DAYS)
    return (
        USE * _share(retrievals, MUCH_USED)
        + DEGREE * _share(degree, MUCH_CONNECTED)
        + NEWNESS * newness
    )


def _share(count: int, much: int) -> float:
    return min(1.0, math.log1p(max(count, 0)) / math.log1p(much))
