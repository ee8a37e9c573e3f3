"""Moments as people and programs write them."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time

from ..errors import Invalid

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


def moment(what: str, text: str, *, at_end: bool = False) -> datetime | None:
    """
    Read an ISO 8601 moment; empty text gives None, nonsense raises Invalid naming *what*.

    A time without a zone is UTC. A date without a time is its first instant or,
    *at_end*, its last.
    """
    written = text.strip()
    if not written:
        return None
    try:
        if _DATE.fullmatch(written):
            edge = time.max if at_end else time.min
            return datetime.combine(date.fromisoformat(written), edge, UTC)
        read = datetime.fromisoformat(written)
        return (read if read.tzinfo else read.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise Invalid(
            f"{what} {text[:60]!r} is not a moment. Write it like 2026-03-14, "
            "2026-03-14T09:30:00Z or 2026-03-14T10:30:00+01:00."
        ) from error
