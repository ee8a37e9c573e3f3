"""The settings of copies that are made of the memory."""

from __future__ import annotations

from pydantic import BaseModel, Field


class BackupSettingsFields(BaseModel):
    """What a person may set about backups; a part of Settings."""

    backup_interval_hours: float = Field(
        default=24,
        ge=0,
        le=8760,
        description="Hours between two backups while a server or dashboard runs and something was "
        "written; 0: only before what cannot be taken back, and when asked.",
    )
    backups_kept: int = Field(
        default=10,
        ge=1,
        le=1000,
        description="How many backups of each sort are kept: those of the clock, and the others.",
    )
