"""Stretches of time up to now, as a person writes them: 15m, 24h, 7d."""

from __future__ import annotations

import re
from datetime import timedelta

from ..errors import ValidationError

_WINDOW = re.compile(r"\s*(\d{1,6})\s*([smhdw])\s*", re.IGNORECASE | re.ASCII)
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
LONGEST = timedelta(days=3650)


def parse_window(text: str) -> timedelta:
    """Return how long *text* says, or raise ValidationError."""
    found = _WINDOW.fullmatch(text)
    length = timedelta(**{_UNITS[found[2].lower()]: int(found[1])}) if found else timedelta()
    if not timedelta() < length <= LONGEST:
        raise ValidationError(
            f"{text[:40]!r} is not a window. Give a number and a unit (s, m, h, d or w), such as "
            f"15m, 1h, 24h, 7d or 30d; the longest is {LONGEST.days}d."
        )
    return length
