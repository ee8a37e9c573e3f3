"""Relative time windows such as 15m, 24h or 7d."""

from __future__ import annotations

import re
from datetime import timedelta

from ..errors import ValidationError

_WINDOW = re.compile(r"\s*(\d{1,6})\s*([smhdw])\s*", re.IGNORECASE | re.ASCII)
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
LONGEST = timedelta(days=3650)


def parse_window(text: str) -> timedelta:
    """Return the duration of a window; raise ValidationError if it is invalid."""
    found = _WINDOW.fullmatch(text)
    length = timedelta(**{_UNITS[found[2].lower()]: int(found[1])}) if found else timedelta()
    if not timedelta() < length <= LONGEST:
        raise ValidationError(
            f"{text[:40]!r} is not a time window. Give a number and a unit (s, m, h, d, w), such "
            f"as 15m, 1h, 24h, 7d or 30d; the maximum is {LONGEST.days}d."
        )
    return length
