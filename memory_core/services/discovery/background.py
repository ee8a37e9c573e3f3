"""Settings and state of background discovery."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from ...errors import ValidationError
from ...model.graph.discovery import BackgroundStatus, Origin
from ...model.graph.librarian import Cycle
from ...rules import limits
from ...storage import job_runs, leases, stored_settings
from ...storage.database import Connection, Database
from ...storage.graph import suggestions

# The lease of the process that runs background discovery.
LEASE = "background"

SHORTEST, LONGEST = 10, 86_400
_CHOICE = "background_discovery."


@dataclass(frozen=True)
class Background:
    """Current settings of background discovery."""

    enabled: bool = False
    interval_seconds: int = 300
    similarity_threshold: float = 0.7


class BackgroundDiscovery:
    """
    Stored settings of background discovery. They override the environment and survive a restart.
    """

    def __init__(self, db: Database, setting: Background) -> None:
        self._db = db
        self._setting = setting
        # Called after each change of the settings.
        self.on_change: list[Callable[[], None]] = []

    def current(self) -> Background:
        with self._db.read() as connection:
            return _merge_settings(
                self._setting, stored_settings.stored_choices(connection, _CHOICE)
            )

    def due_at(self) -> datetime:
        """Return when the next run is due; the current time if there was no run yet."""
        with self._db.read() as connection:
            last = _last(connection)
        return _due(self.current(), last, self._db.clock())

    def status(self) -> BackgroundStatus:
        """
        Return the settings with the source of each value, and whether a process runs discovery.
        """
        now = self._db.clock()
        with self._db.read() as connection:
            chosen = stored_settings.stored_choices(connection, _CHOICE)
            last = _last(connection)
            _, runs = job_runs.page(connection, "*", kind="discovery", limit=1)
            holder = leases.holder(connection, LEASE, now=now) or ""
            waiting = suggestions.count_open(connection)
        values = _merge_settings(self._setting, chosen)
        return BackgroundStatus(
            **vars(values),
            origins={name: _origin(chosen, name) for name in vars(values)},
            settings={name: float(value) for name, value in vars(self._setting).items()},
            running=values.enabled and bool(holder),
            holder=holder,
            last=last,
            next_at=_due(values, last, now) if values.enabled else None,
            runs=runs,
            suggestions=waiting,
        )

    def choose(
        self, *, enabled: bool, interval_seconds: int = -1, similarity_threshold: float = -1
    ) -> BackgroundStatus:
        """Store settings that apply from now on and after restarts; -1 keeps a value."""
        given: dict[str, Any] = {"enabled": enabled}
        if interval_seconds != -1:
            given["interval_seconds"] = _interval(interval_seconds)
        if similarity_threshold != -1:
            given["similarity_threshold"] = limits.validate_share(
                "similarity_threshold", similarity_threshold
            )
        with self._db.note() as connection:
            now = self._db.clock()
            for name, value in given.items():
                stored_settings.choose(connection, _CHOICE + name, value=value, now=now)
        for reported in self.on_change:
            reported()
        return self.status()

    def forget(self) -> BackgroundStatus:
        """Delete the stored settings, so that the environment applies again."""
        with self._db.note() as connection:
            for name in vars(self._setting):
                stored_settings.forget(connection, _CHOICE + name)
        for reported in self.on_change:
            reported()
        return self.status()


def _merge_settings(setting: Background, chosen: dict[str, stored_settings.Choice]) -> Background:
    known: dict[str, Any] = {name.removeprefix(_CHOICE): value for name, value in chosen.items()}
    return replace(setting, **{name: known[name] for name in vars(setting) if name in known})


def _origin(chosen: dict[str, stored_settings.Choice], name: str) -> Origin:
    return "chosen" if _CHOICE + name in chosen else "setting"


def _last(connection: Connection) -> Cycle | None:
    found, _ = job_runs.page(connection, "*", kind="discovery", limit=1)
    return found[0] if found else None


def _due(values: Background, last: Cycle | None, now: datetime) -> datetime:
    # A run dated in the future was recorded with a wrong clock; ignore it.
    if last is None or last.started_at > now:
        return now
    return last.started_at + timedelta(seconds=values.interval_seconds)


def _interval(seconds: int) -> int:
    if not SHORTEST <= seconds <= LONGEST:
        raise ValidationError(
            f"interval_seconds must lie between {SHORTEST} and {LONGEST}, or be -1 to leave it, "
            f"not {seconds}."
        )
    return seconds
