"""Two moments, chosen by a preset or to the minute; all of them in UTC."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta

import streamlit as st

CHOSEN = "Two moments"
FIRST = datetime(2000, 1, 1, tzinfo=UTC)
PRESETS = (
    "Last hour",
    "Today",
    "Last 24 hours",
    "Yesterday",
    "Last 7 days",
    "Last 30 days",
    "Since the beginning",
    CHOSEN,
)
_BACK = {
    "Last hour": timedelta(hours=1),
    "Last 24 hours": timedelta(days=1),
    "Last 7 days": timedelta(days=7),
    "Last 30 days": timedelta(days=30),
}


def window(preset: str, now: datetime) -> tuple[datetime, datetime]:
    """Return the two moments of a preset; to the minute, so that an answer can be kept."""
    minute = now.astimezone(UTC).replace(second=0, microsecond=0)
    end = minute + timedelta(minutes=1)
    midnight = minute.replace(hour=0, minute=0)
    if preset == "Yesterday":
        return midnight - timedelta(days=1), midnight
    if preset == "Today":
        return midnight, end
    if preset in _BACK:
        return minute - _BACK[preset], end
    return FIRST, end


def choose(now: datetime) -> tuple[datetime, datetime]:
    """Show the presets and, for two moments of one's own, their dates and times."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        preset = str(st.selectbox("Between", PRESETS, index=2, key="preset", width=200))
        start, end = window(preset, now)
        if preset != CHOSEN:
            return start, end
        yesterday = now - timedelta(days=1)
        then = _moment("Then", yesterday.date(), time(0, 0))
        until = _moment("Now", now.date(), time(23, 59))
    if until < then:
        st.warning("The second moment lay before the first; the two were exchanged.")
        return until, then
    return then, until


def _moment(label: str, day: date, at: time) -> datetime:
    chosen = st.date_input(label, day, key=f"{label}_day", min_value=date(1970, 1, 1), width=140)
    clock = st.time_input(
        f"{label}, at (UTC)", at, key=f"{label}_time", step=timedelta(minutes=1), width=130
    )
    return datetime.combine(chosen, clock, UTC)
