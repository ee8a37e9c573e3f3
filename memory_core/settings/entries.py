"""Settings of entries, including the variable names of VellumMem."""

from __future__ import annotations

import json
from typing import Annotated, Any

from pydantic import BaseModel, Field, field_validator
from pydantic_settings import NoDecode

from ..model.base import Value

# VellumMem's names of settings; our own name has precedence where both are set.
ALIASES = {
    "sqlite_db_file": "vellum_db_path",
    "embedding_model": "vellum_transformer_model",
}


class EntryDefaults(Value):
    """Entry settings at program start."""

    ttl_days: int = 3
    chunk_size: int = 1800
    separators: tuple[str, ...] = ("heading", "fence", "paragraph", "line", "word")
    group_k: int = 4
    group_threshold: float = 0.45
    group_percentile: float = 0.0
    daemon_interval: int = 1800
    dedup_enable: bool = False
    dedup_threshold: float = 0.9


_SEPARATORS = EntryDefaults().separators


class EntrySettingsFields(BaseModel):
    """Fields of Settings for entries."""

    vellum_default_ttl_days: int = Field(
        default=3, ge=1, le=36_500, description="Days until a time-sensitive entry expires."
    )
    vellum_chunk_size: int = Field(
        default=1800, ge=50, le=8000, description="Maximum characters of a context chunk."
    )
    vellum_context_separators: Annotated[tuple[str, ...], NoDecode] = Field(
        default=_SEPARATORS,
        description="Separators at which context is split, in order of preference: names "
        "(heading, fence, paragraph, list, sentence, line, word) or literal text, "
        "comma separated or as a JSON list.",
    )
    vellum_daemon_interval: int = Field(
        default=1800, ge=10, le=86_400, description="Seconds between two clean-ups of entries."
    )
    vellum_dedup_enable: bool = Field(
        default=False, description="Mark near-duplicate entries as duplicates."
    )
    vellum_dedup_threshold: float = Field(
        default=0.9,
        ge=0,
        le=1,
        description="Minimum cosine similarity of two summaries to count as duplicates.",
    )
    group_k: int = Field(
        default=4,
        ge=2,
        le=12,
        description="Clique size k: the number of mutually similar entries that form a group.",
    )
    group_threshold: float = Field(
        default=0.45, ge=0, le=1, description="Minimum cosine similarity of two entries in a group."
    )
    group_percentile: float = Field(
        default=0,
        ge=0,
        le=100,
        description="Percentile of all similarities to use as GROUP_THRESHOLD, since models "
        "differ; 0: use the threshold itself.",
    )

    @field_validator("vellum_context_separators", mode="before")
    @classmethod
    def _split_separators(cls, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        if value.lstrip().startswith("["):
            return json.loads(value)
        return [_parse_separator(part) for part in value.split(",") if part]

    @field_validator("vellum_context_separators")
    @classmethod
    def _validate_separators(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if not value or not all(value):
            raise ValueError("give at least one separator; none may be empty")
        return value

    def entry_defaults(self) -> EntryDefaults:
        return EntryDefaults(
            ttl_days=self.vellum_default_ttl_days,
            chunk_size=self.vellum_chunk_size,
            separators=self.vellum_context_separators,
            group_k=self.group_k,
            group_threshold=self.group_threshold,
            group_percentile=self.group_percentile,
            daemon_interval=self.vellum_daemon_interval,
            dedup_enable=self.vellum_dedup_enable,
            dedup_threshold=self.vellum_dedup_threshold,
        )


def _parse_separator(part: str) -> str:
    """Return a separator name unchanged, or literal text with its escapes resolved."""
    if part.strip().isalpha():
        return part.strip()
    return part.replace("\\n", "\n").replace("\\t", "\t")
