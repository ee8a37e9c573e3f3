"""Copies of the memory, what was erased for good, and what tidying up gained."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from .base import Value


class Backup(Value):
    """A proven copy of the memory file."""

    path: str = Field(description="Where the copy is.")
    at: datetime = Field(description="The moment whose state it holds.")
    size_bytes: int = Field(description="Its size.")
    rows: dict[str, int] = Field(description="How many rows of each kind it holds.")
    seq: int = Field(0, description="The last change of its journal.")
    dropped: list[str] = Field(
        default_factory=list, description="Names of older copies that were deleted for it."
    )


class RestoredBackup(Value):
    """The memory after its content was replaced by that of a backup."""

    restored: str = Field(description="The backup whose content the memory has now.")
    replaced: str = Field(description="A copy of the content before; restore it to go back.")
    rows: dict[str, int] = Field(description="How many rows of each kind the memory has now.")
    seq: int = Field(0, description="The last change of the journal it has now.")


class EraseResult(Value):
    """What was erased for good, its past included."""

    project_id: str = Field(description='The project; "*" is all of them.')
    erased: dict[str, int] = Field(description="How many rows of each table went.")
    unknown: list[str] = Field(
        default_factory=list, description="Ids of which nothing was found, now or in the past."
    )
    backup: str = Field("", description="A copy made before. It still holds everything.")
    notice: str = Field("", description="What still holds it, and how to be rid of that.")


class OwnerEraseResult(Value):
    """What was erased of a user, an agent or a session. Only a backup brings it back."""

    facts: int = Field(description="How many facts were erased.")
    entries: int = Field(description="How many entries were erased, with their longer text.")
    jobs: int = Field(description="How many conversations were erased.")
    rows: int = Field(description="How many rows in all, those deleted before included.")
    backup: str = Field("", description="A copy made before. It still holds everything.")
    notice: str = Field("", description="What still holds some of it, and how to erase that.")


class StorageSizes(Value):
    """How large the parts of the memory are."""

    file_bytes: int = Field(description="The memory file.")
    wal_bytes: int = Field(description="The log beside it, not yet folded in.")
    free_bytes: int = Field(description="Room in the file that nothing uses.")
    changes: int = Field(description="Lines of the journal.")
    pieces: int = Field(description="Stretches of text that are searched.")
    embeddings: int = Field(description="Stored vectors.")
    vector_log: int = Field(description="Entries that vector indexes follow.")


class OptimizeResult(Value):
    """What tidying up did."""

    before: StorageSizes
    after: StorageSizes
    vectors_dropped: int = Field(description="Vectors of texts or models no longer in use.")
    vectors_made: int = Field(0, description="Vectors made, if that was asked for.")
    log_entries_dropped: int = Field(description="Entries that every running index has passed.")
    notice: str = Field("", description="What could not be done now, and when to try again.")
