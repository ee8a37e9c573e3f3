"""Numbers, times and counts as a person reads them."""

from __future__ import annotations

from datetime import UTC, datetime

THIN_SPACE = "\u2009"

_STEPS = (
    (60.0, 1.0, "s"),
    (3600.0, 60.0, "min"),
    (86_400.0, 3600.0, "h"),
    (30 * 86_400.0, 86_400.0, "d"),
)


def number(value: float) -> str:
    """Write a count with thin spaces between thousands."""
    return f"{value:,.0f}".replace(",", THIN_SPACE)


def format_count(count: int, one: str, many: str = "") -> str:
    """Write "1 entity" or "2 entities"."""
    return f"{number(count)} {one if count == 1 else many or f'{one}s'}"


def counted_change(what: str, count: int) -> str:
    """Write "1 entity changed" or "2 entities changed" of what is counted as "entity changed"."""
    kind, verb = what.rsplit(" ", 1)
    many = f"{kind[:-1]}ies" if kind.endswith("y") else f"{kind}s"
    return f"{format_count(count, kind, many)} {verb}"


def milliseconds(value: float) -> str:
    """Write a duration with as many digits as say something."""
    if value >= 1000:
        return f"{value / 1000:.1f} s"
    digits = 0 if value >= 100 else 1 if value >= 1 else 2
    return f"{value:.{digits}f} ms"


def size(count: int) -> str:
    """Write a number of bytes."""
    amount, unit = float(count), "B"
    for unit in ("B", "kB", "MB", "GB"):
        if amount < 1000 or unit == "GB":
            break
        amount /= 1000
    return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"


def ago(moment: datetime, now: datetime) -> str:
    """Write how long ago a moment was; beyond a month, its day."""
    seconds = (now - moment).total_seconds()
    if 0 <= seconds < 5:
        return "now"
    for limit, unit, name in _STEPS:
        if 0 <= seconds < limit:
            return f"{int(seconds // unit)} {name} ago"
    return day(moment)


def day(moment: datetime) -> str:
    return f"{moment.day} {moment:%b %Y}"


def exact(moment: datetime) -> str:
    """Write a moment to the second, in UTC."""
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def readable(name: str) -> str:
    """Write a stored word, such as DEPENDS_ON or add_observation, as a person would."""
    return name.replace("_", " ").lower()


def shorten(name: str, length: int) -> str:
    """Return a text on one line, cut where it is too long."""
    line = " ".join(name.split())
    return line if len(line) <= length else f"{line[: length - 1]}\u2026"
