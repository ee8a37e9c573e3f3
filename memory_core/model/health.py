"""Values of health checks: problems and their fixes."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from .base import Value
from .search.mirrors import MirrorStatus
from .search.vectors import IndexStatus, ModelState

HealthStatus = Literal["green", "amber", "red"]


class HealthProblem(Value):
    """Something that is not as it should be."""

    colour: Literal["amber", "red"] = Field(description="red: answers may be wrong or incomplete.")
    what: str = Field(description="What was found.")
    way_out: str = Field(description="What to do about it.")


class FileHealth(Value):
    """The memory file."""

    path: str = Field(description="Where it is.")
    size_bytes: int = Field(description="Its size.")
    wal_bytes: int = Field(description="The log beside it, not yet folded in.")
    uuid: str = Field("", description="Which store it is.")
    schema_version: int = Field(0, description="The version of its tables.")
    known_schema_version: int = Field(description="The newest version this program knows.")
    application_id: str = Field("", description="Tells our files from those of other programs.")
    journal_mode: str = Field("", description="How SQLite writes it: wal, but where that fails.")
    network: str = Field("", description="The network file system it lies on, if it does.")
    integrity: list[str] = Field(description="What SQLite finds wrong with it; ok, or not checked.")
    broken_references: int = Field(0, description="Rows that refer to what is not there.")


class FullTextHealth(Value):
    """Full text, which is derived from the tables."""

    integrity: str = Field(description="What its own check says: ok, not checked, or the fault.")
    pieces: int = Field(0, description="Stretches of text.")
    rows: int = Field(0, description="Rows of the full text; as many as pieces.")
    unlike_the_tables: int = Field(0, description="Searchable texts that differ from their rows.")
    orphans: int = Field(0, description="Pieces of texts that are gone.")
    orphan_counters: int = Field(0, description="Use counters of rows that never were.")
    unlike_the_names: int = Field(0, description="Names that are missing from the list of names.")


class VectorHealth(Value):
    """Vectors, which are derived from the texts, and this process's index of them."""

    model: str = Field("", description="The model whose vectors are in use.")
    model_state: ModelState = Field("idle", description="How the embedding model is.")
    model_reason: str = Field("", description="Why it is not ready, if it is not.")
    stored: int = Field(0, description="Pieces that have a vector of that model.")
    pending: int = Field(0, description="Pieces that wait for a vector.")
    lost: int = Field(0, description="Pieces that have none and do not wait for one.")
    damaged: int = Field(0, description="Vectors of the wrong length.")
    miscounted: bool = Field(False, description="Whether the kept counters are wrong.")
    index: IndexStatus = Field(description="The index of this process.")
    mirrors: list[MirrorStatus] = Field(
        default_factory=list, description="Copies of the vectors elsewhere; searches use none."
    )


class AuditLogHealth(Value):
    """The journal, which with the tables is what everything else is derived from."""

    newest_seq: int = Field(0, description="The last change.")
    newest_at: datetime | None = Field(None, description="When it was made.")
    ahead_seconds: float = Field(0, description="How far that lies in the future.")
    backwards: int = Field(0, description="Changes that are older than the one before them.")
    unlike_the_tables: int = Field(0, description="Rows that differ from their newest change.")


class HealthReport(Value):
    """How the memory is, part by part."""

    status: HealthStatus = Field(description="green, amber or red: the worst of the problems.")
    checked_at: datetime
    thorough: bool = Field(description="Whether everything was read, or only what is quick.")
    problems: list[HealthProblem] = Field(description="What is wrong, worst first.")
    file: FileHealth
    text: FullTextHealth
    vectors: VectorHealth
    journal: AuditLogHealth
    last_backup: str = Field("", description="The newest copy in the folder for backups.")
    backups: int = Field(0, description="How many copies are there.")


class HealthCheckResult(Value):
    """How the memory is and, if a repair was asked for, what it did."""

    report: HealthReport = Field(description="How the memory is now.")
    repaired: list[str] = Field(
        default_factory=list, description="The steps of the repair; empty if nothing was wrong."
    )
    problems_before: list[HealthProblem] = Field(
        default_factory=list, description="What was wrong before the repair."
    )
    backup: str = Field("", description="A copy made before the first step of the repair.")
