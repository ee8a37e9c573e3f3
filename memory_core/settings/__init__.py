"""Settings from the environment, .env and the data folder."""

from .application import APPLICATION, DATABASE_NAME, LOG_NAME, VERSION, Settings, settings_table

__all__ = [
    "APPLICATION",
    "DATABASE_NAME",
    "LOG_NAME",
    "VERSION",
    "Settings",
    "settings_table",
]
