"""Settings of the history."""

from __future__ import annotations

from pydantic import BaseModel, Field


class HistorySettingsFields(BaseModel):
    """Fields of Settings for the history."""

    history_keep_days: int = Field(
        default=0,
        ge=0,
        le=36_500,
        description="Days for which turbovec history --trim keeps every earlier state of a "
        "record; 0: no limit. Nothing is trimmed unless that command is given.",
    )
    history_keep_versions: int = Field(
        default=0,
        ge=0,
        le=1_000_000,
        description="Number of newest states of each record that turbovec history --trim keeps; "
        "0: no limit. With both settings, a state is kept if either keeps it.",
    )
