"""Settings of entries: a stored value overrides the one from the environment."""

from __future__ import annotations

from ...errors import ValidationError
from ...model.facts.entries import EntrySetting
from ...rules.facts.entry_settings import RULES, Number, parse_setting
from ...settings.entries import EntryDefaults
from ...storage import stored_settings
from ...storage.database import Connection, Database


class EntrySettings:
    """Effective settings with their source; an invalid stored value is ignored."""

    def __init__(self, db: Database, defaults: EntryDefaults) -> None:
        self._db = db
        self.defaults = defaults

    def choose_setting(self, key: str, value: object) -> EntrySetting:
        """Store a setting; raise ValidationError if it is unknown or its value is invalid."""
        read = parse_setting(key, value)
        with self._db.note() as connection:
            stored_settings.choose(connection, key, value=read, now=self._db.clock())
        return next(setting for setting in self.current_settings() if setting.key == key)

    def current_settings(self) -> list[EntrySetting]:
        """Return every setting with its stored and its initial value."""
        with self._db.read() as connection:
            return settings_in(connection, self.defaults)

    def number(self, key: str) -> float:
        return float(self._value(key))

    def whole(self, key: str) -> int:
        return int(self._value(key))

    def claim(self, key: str) -> bool:
        """Return the value of a boolean setting."""
        return bool(self._value(key))

    def _value(self, key: str) -> Number:
        return next(setting.value for setting in self.current_settings() if setting.key == key)


def settings_in(connection: Connection, defaults: EntryDefaults) -> list[EntrySetting]:
    """Return the settings within the caller's transaction."""
    stored = stored_settings.stored_choices(connection)
    return [_setting(key, stored.get(key), getattr(defaults, key)) for key in RULES]


def _setting(key: str, stored: stored_settings.Choice | None, initial: Number) -> EntrySetting:
    value, problem = initial, ""
    if stored is not None:
        try:
            value = parse_setting(key, stored)
        except ValidationError as error:
            problem = f"{error} The initial value is used."
    return EntrySetting(
        key=key,
        value=value,
        stored=stored,
        initial=initial,
        source="stored" if stored is not None and not problem else "environment",
        problem=problem,
    )
