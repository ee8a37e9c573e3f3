"""Moments as people and programs write them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time

from ..errors import ValidationError

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


@dataclass(frozen=True)
class ParsedMoment:
    """A moment, and how its text was read where that could be misread."""

    moment: datetime | None
    notice: str = ""


@dataclass(frozen=True)
class RequiredMoment:
    """As Read, of a text that must not be empty."""

    moment: datetime
    notice: str = ""


def parse_moment(what: str, text: str, *, at_end: bool = False) -> datetime | None:
    """Return the moment of read_moment() alone."""
    return read_moment(what, text, at_end=at_end).moment


def read_required_moment(what: str, text: str, *, at_end: bool = False) -> RequiredMoment:
    """Read a moment as read_moment() does; raise ValidationError if *text* is empty."""
    read = read_moment(what, text, at_end=at_end)
    if read.moment is None:
        raise ValidationError(f"{what} must not be empty. Write it like 2026-03-14T09:30:00Z.")
    return RequiredMoment(read.moment, read.notice)


def read_moment(what: str, text: str, *, at_end: bool = False) -> ParsedMoment:
    """
    Read an ISO 8601 moment; empty text gives None, nonsense raises ValidationError naming *what*.

    A time without a zone is UTC. A date without a time is its first instant or,
    *at_end*, its last.
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
            f"{what} {text[:60]!r} is not a moment. Write it like 2026-03-14, "
            "2026-03-14T09:30:00Z or 2026-03-14T10:30:00+01:00."
        ) from error
