# ruff: noqa: RUF001
"""
Dates in queries, and their distance to the date of a row.

A date may have no day or no year ("in May"); without a year it matches every year. Only explicit
dates are recognized.
"""

from __future__ import annotations

import calendar
import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date

from .folding import fold_letters, strip_accents, unify_forms

_NAMES = [name.lower() for name in calendar.month_name]

# Full names in other languages; they count only next to a year.
_FOREIGN = """
januar februar märz april mai juni juli august september oktober november dezember
janvier février mars avril mai juin juillet août septembre octobre novembre décembre
enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre
janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro
januari februari maart april mei juni juli augustus september oktober november december
januar februar marts april maj juni juli august september oktober november december
januari februari mars april maj juni juli augusti september oktober november december
stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia
января февраля марта апреля мая июня июля августа сентября октября ноября декабря
січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня
ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık
"""
_FOREIGN_MONTHS = {
    strip_accents(fold_letters(name)): number
    for line in _FOREIGN.strip().splitlines()
    for number, name in enumerate(line.split(), 1)
}
_ENGLISH_MONTHS = {
    **{name: number for number, name in enumerate(_NAMES) if name},
    **{name[:3]: number for number, name in enumerate(_NAMES) if name},
    "sept": 9,
}

_YEAR = r"(?P<year>(?:19|20)\d\d)(?!\d)"
_DAY = r"(?P<day>\d{1,2})"
_MONTH = r"(?P<month>[^\W\d_]{3,10})"
_OF = r"(?: of| de| del| den)?"

# A day or a month of a year. Most exact first; each removes its matches from the text for the
# later ones.
_FULL_FORMS = [
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"\b{_YEAR}(?P<sep>[-/.])(?P<number>\d{{1,2}})(?P=sep){_DAY}(?!\d)",
        rf"\b{_YEAR}-(?P<number>\d\d)(?!\d)",
        rf"(?<![\d.]){_DAY}(?P<mark>[-/.])(?P<number>\d{{1,2}})(?P=mark){_YEAR}",
        rf"(?<![\d.]){_DAY}(?P<mark>/)(?P<number>\d{{1,2}})/(?P<year>\d\d)(?![\d/])",
        rf"(?<!\d){_YEAR} ?[年년] ?(?P<number>\d{{1,2}}) ?[月월](?: ?{_DAY} ?[日일])?",
        rf"\b{_DAY}(?:st|nd|rd|th|er|o|\.)?{_OF}[ -]{_MONTH}\b\.?(?:,?{_OF}[ -]{_YEAR})?",
        rf"\b{_MONTH}\b\.? (?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,? {_YEAR})?",
        rf"\b{_MONTH}\b\.?,?{_OF} {_YEAR}",
    )
]
# "may" alone is more often a verb than a month.
_SURE = "|".join(name for name in _NAMES[1:] if name != "may")
_PARTIAL_FORMS = [
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"\b(?P<month>{_SURE})\b",
        r"\b(?:in|during|of|since|until|last|this|next) (?P<month>may)\b",
        rf"\b{_YEAR}",
    )
]

# Every full date contains one of these; only their surroundings are searched.
_SHORT = "|".join(name[:3] for name in _NAMES[1:])
_HINT = re.compile(
    rf"(?:19|20)\d\d(?!\d)|\d/\d\d?/\d\d|\d(?:st|nd|rd|th)?(?: of)?[ -](?:{_SHORT})"
    rf"|\b(?:{_SHORT})[a-z]{{0,6}}\.? \d",
    re.IGNORECASE,
)
_SURROUNDINGS = 32

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
    """Return the dates in *query*, most exact first; an ambiguous one (3/5/2024) twice."""
    return _find_forms(unify_forms(query[:_MAX_SCANNED]), [*_FULL_FORMS, *_PARTIAL_FORMS])


def date_terms(text: str) -> list[str]:
    """Return full-text terms of the dates in *text*, the same for each spelling of a date."""
    terms: dict[str, None] = {}
    for one in _find_forms(_around_hints(text), _FULL_FORMS):
        year, month, day = f"{one.year:04}", f"{one.month:02}", f"{one.day:02}"
        if one.year and one.day:
            terms[f"date{year}{month}{day}"] = None
        if one.year:
            terms[f"month{year}{month}"] = None
        if one.day:
            terms[f"day{month}{day}"] = None
    return list(terms)


def _around_hints(text: str) -> str:
    parts, last = [], 0
    for hint in _HINT.finditer(text):
        start, end = hint.start() - _SURROUNDINGS, hint.end() + _SURROUNDINGS
        if start > last:
            parts.append("|")
        parts.append(text[max(start, last) : end])
        last = min(end, len(text))
    return "".join(parts)


def _find_forms(text: str, forms: Iterable[re.Pattern[str]]) -> list[NamedDate]:
    found: list[NamedDate] = []

    def collect(match: re.Match[str]) -> str:
        dates = _parse_match(match.groupdict())
        found.extend(dates or ())
        return match[0] if dates is None else "|"

    for form in forms if text else ():
        text = form.sub(collect, text)
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


def _parse_match(groups: dict[str, str | None]) -> list[NamedDate] | None:
    """Return the readings of a match; None if its word is no month."""
    year, month = int(groups.get("year") or 0), int(groups.get("number") or 0)
    day = int(groups.get("day") or 0)
    if name := groups.get("month"):
        month = _month_number(name, has_year=year > 0)
        if not month:
            return None
    readings = [(month, day)]
    # Dots put the day first; with slashes and hyphens, both orders are in use.
    if groups.get("mark") in ("/", "-") or (groups.get("mark") and month > 12):
        readings.append((day, month))
    year += 2000 if 0 < year < 100 else 0
    return [
        NamedDate(year, month, day)
        for month, day in dict.fromkeys(readings)
        if month <= 12 and day <= 31
    ]


def _month_number(name: str, *, has_year: bool) -> int:
    """Return the number of a month; 0 if *name* is none."""
    folded = strip_accents(fold_letters(name))
    return _ENGLISH_MONTHS.get(folded, 0) or (has_year and _FOREIGN_MONTHS.get(folded, 0)) or 0
