"""Settings of backups."""

from __future__ import annotations

from pydantic import BaseModel, Field


class BackupSettingsFields(BaseModel):
    """Fields of Settings for backups."""

    backup_interval_hours: float = Field(
        default=24,
        ge=0,
        le=8760,
        description="Hours between two backups while a server or dashboard runs and data "
        "changes; 0: only before irreversible operations, and on request.",
    )
    backups_kept: int = Field(
        default=10,
        ge=1,
        le=1000,
        description="Number of backups kept, separately for scheduled and other backups.",
    )
