"""Results of the health check."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from .base import Value
from .search.mirrors import MirrorStatus
from .search.vectors import IndexStatus, ModelState

HealthStatus = Literal["green", "amber", "red"]


class HealthProblem(Value):
    """A problem and how to fix it."""

    colour: Literal["amber", "red"] = Field(description="red: results may be wrong or incomplete.")
    what: str = Field(description="The problem.")
    way_out: str = Field(description="How to fix it.")


class FileHealth(Value):
    """State of the database file."""

    path: str = Field(description="Path.")
    size_bytes: int = Field(description="Size in bytes.")
    wal_bytes: int = Field(description="Size of the write-ahead log.")
    uuid: str = Field("", description="UUID of the store.")
    schema_version: int = Field(0, description="Schema version of the file.")
    known_schema_version: int = Field(
        description="The newest schema version this program supports."
    )
    application_id: str = Field(
        "", description="SQLite application ID, which identifies files of this program."
    )
    journal_mode: str = Field(
        "", description="SQLite journal mode; wal unless it is not supported."
    )
    network: str = Field("", description="The network file system it is on, if any.")
    integrity: list[str] = Field(
        description="Result of SQLite's integrity check; ok or not checked."
    )
    broken_references: int = Field(0, description="Number of rows with a dangling foreign key.")


class FullTextHealth(Value):
    """State of the full-text index, which is derived from the tables."""

    integrity: str = Field(
        description="Result of the integrity check: ok, not checked, or the error."
    )
    pieces: int = Field(0, description="Number of passages.")
    rows: int = Field(
        0, description="Number of rows of the full-text index; equal to the passages."
    )
    unlike_the_tables: int = Field(
        0, description="Number of search documents that differ from their rows."
    )
    orphans: int = Field(0, description="Number of passages without a row.")
    orphan_counters: int = Field(0, description="Number of use counters without a row.")
    unlike_the_names: int = Field(0, description="Number of names missing from the name index.")


class VectorHealth(Value):
    """State of the vectors, which are derived from the texts, and of this process's index."""

    model: str = Field("", description="The current embedding model.")
    model_state: ModelState = Field("idle", description="State of the embedding model.")
    model_reason: str = Field("", description="Why the model is not ready; empty if it is.")
    stored: int = Field(0, description="Number of passages with a vector of that model.")
    pending: int = Field(0, description="Number of passages waiting for a vector.")
    lost: int = Field(
        0, description="Number of passages without a vector that are not queued for one."
    )
    damaged: int = Field(0, description="Number of vectors with the wrong dimension.")
    miscounted: bool = Field(False, description="Whether the stored counters are wrong.")
    index: IndexStatus = Field(description="The vector index of this process.")
    mirrors: list[MirrorStatus] = Field(
        default_factory=list, description="External copies of the vectors; not used by search."
    )


class AuditLogHealth(Value):
    """State of the audit log."""

    newest_seq: int = Field(0, description="Sequence number of the last change.")
    changes: int = Field(0, description="Number of changes.")
    size_bytes: int = Field(0, description="Size with its indexes.")
    newest_at: datetime | None = Field(None, description="Creation time.")
    ahead_seconds: float = Field(0, description="How far in the future it is, in seconds.")
    backwards: int = Field(0, description="Number of changes older than their predecessor.")
    unlike_the_tables: int = Field(
        0, description="Number of rows that differ from their newest change."
    )


class HealthReport(Value):
    """The result of a health check."""

    status: HealthStatus = Field(description="green, amber or red: the most severe problem.")
    checked_at: datetime
    thorough: bool = Field(description="Whether the full check was run instead of the quick one.")
    problems: list[HealthProblem] = Field(description="The problems, most severe first.")
    file: FileHealth
    text: FullTextHealth
    vectors: VectorHealth
    journal: AuditLogHealth
    last_backup: str = Field("", description="Path of the newest backup.")
    backups: int = Field(0, description="Number of backups.")


class HealthCheckResult(Value):
    """The result of a health check and, if requested, of the repair."""

    report: HealthReport = Field(description="The state after any repair.")
    repaired: list[str] = Field(
        default_factory=list, description="The steps of the repair; empty if nothing was wrong."
    )
    problems_before: list[HealthProblem] = Field(
        default_factory=list, description="The problems before the repair."
    )
    backup: str = Field("", description="Path of the backup made before the repair.")
