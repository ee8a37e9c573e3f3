"""Settings from command-line flags, environment variables and .env files."""

from .application import APPLICATION, DATABASE_NAME, LOG_NAME, VERSION, Settings, settings_table

__all__ = [
    "APPLICATION",
    "DATABASE_NAME",
    "LOG_NAME",
    "VERSION",
    "Settings",
    "settings_table",
]
