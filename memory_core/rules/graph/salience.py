"""Salience of an entity, from use, age and connections.

Each part lies between 0 and 1 and never falls when its cause rises: use and
degree by the logarithm, since the tenth use says less than the first; newness
by halves. The weights say which matters more and sum to 1.
"""

from __future__ import annotations

import math

USE, DEGREE, NEWNESS = 0.4, 0.3, 0.3

# So many uses, or relations, count as much as can be.
MUCH_USED = 50
MUCH_CONNECTED = 50
# After so many days a thing is half as new.
HALF_LIFE_DAYS = 30.0

# Below this nothing speaks for an entity: unused, hardly related, not new.
LOW = 0.12


def salience(*, retrievals: int, degree: int, idle_days: float) -> float:
    """Return 0 to 1; *idle_days* counts from the last change or use, whichever was later."""
    newness = math.exp2(-max(idle_days, 0.0) / HALF_LIFE_DAYS)
    return (
        USE * _share(retrievals, MUCH_USED)
        + DEGREE * _share(degree, MUCH_CONNECTED)
        + NEWNESS * newness
    )


def _share(count: int, much: int) -> float:
    return min(1.0, math.log1p(max(count, 0)) / math.log1p(much))
