"""The system clock and the text format of timestamps."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    return datetime.now(UTC)


def format_timestamp(moment: datetime) -> str:
    """Return *moment* as fixed-width UTC text. Its sort order is the order in time."""
    # Not strftime: it writes the year 999 with three digits on some platforms.
    return moment.astimezone(UTC).isoformat("T", "microseconds").replace("+00:00", "Z")
