"""Parsing of timestamps."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time

from ..errors import ValidationError

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


@dataclass(frozen=True)
class ParsedMoment:
    """A timestamp, and a notice if the text was ambiguous."""

    moment: datetime | None
    notice: str = ""


@dataclass(frozen=True)
class RequiredMoment:
    """A timestamp that is never None."""

    moment: datetime
    notice: str = ""


def parse_moment(what: str, text: str, *, at_end: bool = False) -> datetime | None:
    """Return the timestamp of read_moment() without its notice."""
    return read_moment(what, text, at_end=at_end).moment


def read_required_moment(what: str, text: str, *, at_end: bool = False) -> RequiredMoment:
    """Parse a timestamp as read_moment() does; raise ValidationError if *text* is empty."""
    read = read_moment(what, text, at_end=at_end)
    if read.moment is None:
        raise ValidationError(
            f"{what} must not be empty. Use ISO 8601, such as 2026-03-14T09:30:00Z."
        )
    return RequiredMoment(read.moment, read.notice)


def read_moment(what: str, text: str, *, at_end: bool = False) -> ParsedMoment:
    """
    Parse an ISO 8601 timestamp; return None for empty text, raise ValidationError if invalid.

    A time without a zone is UTC. A date without a time is its first instant or, with *at_end*, its
    last.
    """
    written = text.strip()
    if not written:
        return ParsedMoment(None)
    try:
        if _DATE.fullmatch(written):
            edge = time.max if at_end else time.min
            day = datetime.combine(date.fromisoformat(written), edge, UTC)
            return ParsedMoment(day, f"{what} was read as {day.isoformat()}: the day in UTC.")
        read = datetime.fromisoformat(written)
        if read.tzinfo is None:
            return ParsedMoment(
                read.replace(tzinfo=UTC), f"{what} has no zone and was read as UTC."
            )
        return ParsedMoment(read.astimezone(UTC))
    except (ValueError, OverflowError) as error:
        raise ValidationError(
            f"{what} {text[:60]!r} is not a timestamp. Use ISO 8601, such as 2026-03-14, "
            "2026-03-14T09:30:00Z or 2026-03-14T10:30:00+01:00."
        ) from error
