"""
Dates in queries, and their distance to the date of a row.

A date may have no day or no year ("in May"); without a year it matches every year. Only explicit
dates are recognized.
"""

from __future__ import annotations

import calendar
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

_NAMES = [name.lower() for name in calendar.month_name]
# "may" alone is more often a verb than a month.
_SURE = "|".join(name for name in _NAMES[1:] if name != "may")
_MONTH = "|".join([*_NAMES[1:], "sept", *(name[:3] for name in _NAMES[1:])])
_YEAR = r"(?P<year>(?:19|20)\d\d)"

# Most exact first; each removes its matches from the text for the later ones.
_FORMS = [
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"\b{_YEAR}-(?P<number>\d\d)(?:-(?P<day>\d\d))?\b",
        rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<month>{_MONTH})\b\.?(?:,? {_YEAR}\b)?",
        rf"\b(?P<month>{_MONTH})\b\.? (?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,? {_YEAR}\b)?",
        rf"\b(?P<month>{_MONTH})\b\.?,? (?:of )?{_YEAR}\b",
        rf"\b(?P<month>{_SURE})\b",
        r"\b(?:in|during|of|since|until|last|this|next) (?P<month>may)\b",
        rf"\b{_YEAR}\b",
    )
]

# Only the beginning of a long query is searched for dates.
_MAX_SCANNED = 2_000


@dataclass(frozen=True)
class NamedDate:
    """A day, a month or a year; 0 for missing parts."""

    year: int = 0
    month: int = 0
    day: int = 0


def day_words(moment: str) -> str:
    """Return the searchable words of the date of a stored timestamp."""
    try:
        day = date.fromisoformat(moment[:10])
    except ValueError:
        return ""
    return f"{day.day} {_NAMES[day.month]} {day.year}"


def find_dates(query: str) -> list[NamedDate]:
    """Return the dates in *query*, most exact first."""
    rest = query[:_MAX_SCANNED]
    found: list[NamedDate] = []
    for form in _FORMS:
        dates = [_parse_match(match.groupdict()) for match in form.finditer(rest)]
        found.extend(one for one in dates if one is not None)
        rest = form.sub("|", rest)
    return found


def date_proximity(day: date, named: list[NamedDate], *, days: float) -> float:
    """
    Return 1 for a matching day, decreasing exponentially with the distance; *days* is the scale.

    Earlier days count twice as far: people mention a day on or after it, rarely before.
    """
    gaps = [_days_outside(day, span) for one in named for span in _date_ranges(one, day.year)]
    return math.exp(-min(gaps) / days) if gaps else 0.0


def _days_outside(day: date, span: tuple[date, date]) -> float:
    first, last = span
    return max((first - day).days * 2, (day - last).days, 0)


def _date_ranges(named: NamedDate, near_year: int) -> Iterator[tuple[date, date]]:
    years = [named.year] if named.year else [near_year - 1, near_year, near_year + 1]
    for year in years:
        if not 1 <= year <= 9999:
            continue
        first, last = named.month or 1, named.month or 12
        end = calendar.monthrange(year, last)[1]
        if named.day <= end:
            yield date(year, first, named.day or 1), date(year, last, named.day or end)


def _parse_match(groups: dict[str, str | None]) -> NamedDate | None:
    month = int(groups.get("number") or 0)
    if name := groups.get("month"):
        month = next(n for n in range(1, 13) if _NAMES[n].startswith(name.lower()[:3]))
    year, day = int(groups.get("year") or 0), int(groups.get("day") or 0)
    return NamedDate(year, month, day) if month <= 12 and day <= 31 else None
