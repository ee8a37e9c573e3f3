"""Settings of facts and their extraction."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field, field_validator

from ..model.base import Value
from ..model.facts.facts import DedupStrategy


class FactDefaults(Value):
    """Fact settings at program start."""

    strategy: DedupStrategy = "merge"
    threshold: float = 0.92
    top_k: int = 5
    wait_seconds: float = 2.0
    attempts: int = 5
    transcript_days: int = 30


class FactSettingsFields(BaseModel):
    """Fields of Settings for facts."""

    dedup_strategy: DedupStrategy = Field(
        default="merge",
        description="Deduplication of similar facts: merge (by the language model; replace "
        "without one), replace (keep the more specific or newer fact), skip (keep "
        "the stored fact) or off.",
    )
    dedup_threshold: float = Field(
        default=0.92,
        ge=0,
        le=1,
        description="Minimum cosine similarity of two facts to be compared as duplicates.",
    )
    dedup_top_k: int = Field(
        default=5, ge=1, le=50, description="Number of stored facts a new one is compared with."
    )
    dedup_wait_seconds: float = Field(
        default=2.0,
        ge=0,
        le=60,
        description="Seconds a new fact waits for its vector; after that, deduplication is "
        "deferred.",
    )
    extraction_attempts: int = Field(
        default=5,
        ge=1,
        le=100,
        description="Maximum number of extraction attempts per conversation.",
    )
    transcript_days: int = Field(
        default=30,
        ge=0,
        le=36_500,
        description="Days a conversation is kept after its facts were extracted.",
    )

    @field_validator("dedup_strategy", mode="before")
    @classmethod
    def _lower_case_strategy(cls, value: Any) -> Any:
        return value.strip().lower() if isinstance(value, str) else value

    def fact_defaults(self) -> FactDefaults:
        return FactDefaults(
            strategy=self.dedup_strategy,
            threshold=self.dedup_threshold,
            top_k=self.dedup_top_k,
            wait_seconds=self.dedup_wait_seconds,
            attempts=self.extraction_attempts,
            transcript_days=self.transcript_days,
        )
