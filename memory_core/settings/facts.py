"""The settings of facts from conversations."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field, field_validator

from ..model.base import Value
from ..model.facts.facts import DedupStrategy


class FactDefaults(Value):
    """The settings of facts as the program was started with them."""

    strategy: DedupStrategy = "merge"
    threshold: float = 0.92
    top_k: int = 5
    wait_seconds: float = 2.0
    attempts: int = 5
    transcript_days: int = 30


class FactSettingsFields(BaseModel):
    """What a person may set about facts; a part of Settings."""

    dedup_strategy: DedupStrategy = Field(
        default="merge",
        description="What becomes of a fact that is like a known one: merge (by the language "
        "model; without one as replace), replace (the one that says more, or the newer), skip or "
        "off.",
    )
    dedup_threshold: float = Field(
        default=0.92, ge=0, le=1, description="Cosine from which two facts may be one."
    )
    dedup_top_k: int = Field(
        default=5, ge=1, le=50, description="How many known facts a new one is compared with."
    )
    dedup_wait_seconds: float = Field(
        default=2.0,
        ge=0,
        le=60,
        description="How long a fact waits for its vector; after that it is compared later.",
    )
    extraction_attempts: int = Field(
        default=5, ge=1, le=100, description="How often facts of a conversation are asked for."
    )
    transcript_days: int = Field(
        default=30,
        ge=0,
        le=36_500,
        description="Days a conversation is kept after its facts were drawn from it.",
    )

    @field_validator("dedup_strategy", mode="before")
    @classmethod
    def _in_small_letters(cls, value: Any) -> Any:
        return value.strip().lower() if isinstance(value, str) else value

    def conversation_defaults(self) -> FactDefaults:
        """Return the settings as the services of facts take them."""
        return FactDefaults(
            strategy=self.dedup_strategy,
            threshold=self.dedup_threshold,
            top_k=self.dedup_top_k,
            wait_seconds=self.dedup_wait_seconds,
            attempts=self.extraction_attempts,
            transcript_days=self.transcript_days,
        )
