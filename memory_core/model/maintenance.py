"""Results of backups, permanent deletion and optimization."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from .base import Value


class Backup(Value):
    """A verified backup of the database."""

    path: str = Field(description="Path of the backup.")
    at: datetime = Field(description="Time of the exported state.")
    size_bytes: int = Field(description="Size in bytes.")
    rows: dict[str, int] = Field(description="Number of rows by kind.")
    seq: int = Field(0, description="Sequence number of its last change.")
    dropped: list[str] = Field(
        default_factory=list, description="Names of older backups that were deleted."
    )


class RestoredBackup(Value):
    """The result of restoring a backup."""

    restored: str = Field(description="The backup that was restored.")
    replaced: str = Field(
        description="Path of a backup of the previous state; restore it to go back."
    )
    rows: dict[str, int] = Field(description="Number of rows by kind after the restore.")
    seq: int = Field(0, description="Sequence number of the last change after the restore.")


class EraseResult(Value):
    """The result of a permanent deletion, history included."""

    project_id: str = Field(description='Project ID; "*" for all projects.')
    erased: dict[str, int] = Field(description="Number of permanently deleted rows by table.")
    unknown: list[str] = Field(
        default_factory=list, description="IDs that were not found, currently or in the history."
    )
    backup: str = Field(
        "", description="Path of the backup made before; it still contains everything."
    )
    notice: str = Field("", description="What still contains the data, and how to delete it.")


class OwnerEraseResult(Value):
    """Rows of a user, an agent or a session deleted permanently. Only a backup restores them."""

    facts: int = Field(description="Number of permanently deleted facts.")
    entries: int = Field(
        description="Number of permanently deleted entries, context text included."
    )
    jobs: int = Field(description="Number of permanently deleted conversations.")
    rows: int = Field(
        description="Total number of permanently deleted rows, including those deleted before."
    )
    backup: str = Field(
        "", description="Path of the backup made before; it still contains everything."
    )
    notice: str = Field(
        "", description="What still contains some of the data, and how to delete it."
    )


class StorageSizes(Value):
    """Sizes of the parts of the memory."""

    file_bytes: int = Field(description="Path of the database.")
    wal_bytes: int = Field(description="Size of the write-ahead log.")
    free_bytes: int = Field(description="Unused space in the file.")
    changes: int = Field(description="Number of rows of the audit log.")
    pieces: int = Field(description="Number of indexed passages.")
    embeddings: int = Field(description="Number of stored vectors.")
    vector_log: int = Field(description="Number of entries in the vector change log.")


class HistorySize(Value):
    """The size of the audit log, and what trimming it would delete."""

    changes: int = Field(description="Number of changes in the audit log.")
    size_bytes: int = Field(description="Size of the audit log with its indexes.")
    keep_days: int = Field(description="Days for which every state is kept; 0: no limit.")
    keep_versions: int = Field(description="Newest states of a record that are kept; 0: no limit.")
    trimmable_changes: int = Field(description="Number of changes that trimming would delete.")
    trimmable_records: int = Field(description="Number of records that these changes belong to.")
    trimmable_characters: int = Field(description="Characters of their states.")
    complete_from: datetime | None = Field(
        description="Afterwards, states at this time or later can be read in full; None: all."
    )


class TrimResult(Value):
    """The result of trimming the audit log."""

    deleted_changes: int = Field(description="Number of deleted changes.")
    backup: str = Field("", description="Path of the backup that was made first.")
    before: HistorySize
    after: HistorySize
    notice: str = Field("", description="What was skipped, and when to try again.")


class OptimizeResult(Value):
    """The result of an optimization."""

    before: StorageSizes
    after: StorageSizes
    vectors_dropped: int = Field(
        description="Number of deleted vectors of obsolete texts or models."
    )
    vectors_made: int = Field(0, description="Number of computed vectors, if requested.")
    log_entries_dropped: int = Field(
        description="Number of change log entries that every running index has applied."
    )
    notice: str = Field("", description="What was skipped, and when to try again.")
