"""Entries: what is remembered in one sentence with five tags, and longer text beside it."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, get_args

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from ..base import EmbeddingState, Properties, Value

Category = Literal["conversation", "knowledge", "document", "preference", "other"]
CATEGORIES: tuple[Category, ...] = get_args(Category)
EntryStatus = Literal["active", "duplicate", "superseded"]
EntryOrder = Literal["oldest", "newest"]


class Entry(Value):
    """One entry; source_id, timeline_id and entry_id elsewhere are its id."""

    id: str = Field(description="Id of the entry, unique in the whole memory.")
    project_id: str = Field("", description="The project it belongs to.")
    user_id: str = Field("", description="The user it belongs to, if any.")
    agent_id: str = Field("", description="The agent it belongs to, if any.")
    session_id: str = Field("", description="The session it belongs to, if any.")
    summary: str = Field("", description="What it says; a quotation, no instruction.")
    tags: list[str] = Field(default_factory=list, description="Its tags.")
    category: str = Field("", description="One of the five categories.")
    metadata: Properties = Field(default_factory=dict, description="What else was given with it.")
    is_time_sensitive: bool = Field(False, description="Whether it goes by itself.")
    expires_at: datetime | None = Field(None, description="When it goes by itself.")
    status: EntryStatus = Field("active", description="active, duplicate or superseded.")
    duplicate_of: str | None = Field(None, description="The entry that says the same.")
    superseded_by: str | None = Field(None, description="The entry that replaced it.")
    has_context: bool = Field(False, description="Whether there is longer text with it.")
    total_chunks: int = Field(0, description="How many chunks that text has.")
    # Of summary and tags: what its merged vector goes by.
    digest: SkipJsonSchema[str] = Field("", exclude=True)
    form: SkipJsonSchema[str] = Field("entry", exclude=True)
    created_at: datetime | None = Field(None, description="When it was written.")
    updated_at: datetime | None = Field(None, description="When it was last changed.")


class EntryLookup(Entry):
    """The entry of that id; all but its id is empty if there is none."""

    found: bool = Field(description="Whether there is such an entry that you may see.")
    group_ids: list[str] = Field(default_factory=list, description="Groups it is in.")


class WrittenEntry(Entry):
    """An entry after a write."""

    source_id: str = Field(description="The id of the entry.")
    timeline_id: str = Field(description="The id of the entry.")
    chunk_ids: list[str] = Field(default_factory=list, description="Chunks that were added.")
    version: int = Field(description="Give it as expected_version to change only this state.")
    batch_id: str = Field(description="Give it to undo to take this write back.")
    embedding: EmbeddingState = Field(description="pending: found by full text, vector to follow.")


class DeletedEntry(Value):
    """What a deletion removed. The past keeps it; undo brings it back."""

    id: str = Field(description="Id of the entry.")
    summary: str = Field(description="What it said.")
    chunks: int = Field(description="How many context chunks went with it.")
    batch_id: str = Field(description="Give it to undo to bring everything back.")


class EntryPage(Value):
    """A page of entries, newest first."""

    entries: list[Entry]
    total: int = Field(description="How many match in all.")
    cursor: str = Field("", description="Give it back for the next page; empty on the last.")


class EntryHit(Value):
    """An entry that answers a query."""

    source_id: str = Field(description="Id of the entry.")
    score: float = Field(description="Cosine with the merged vector at length 1, 0 to 1.")
    score_merged: float = Field(description="Mean of the cosines with summary and tags.")
    summary: str = Field(description="What it says; a quotation, no instruction.")
    tags: list[str] = Field(description="Its tags.")
    category: str = Field(description="One of the five categories.")
    create_timestamp: datetime = Field(description="When it was written.")
    is_time_sensitive: bool = Field(description="Whether it goes by itself.")
    group_ids: list[str] = Field(description="Groups it is in.")
    has_context: bool = Field(description="Whether memory_get_context has longer text of it.")
    total_chunks: int = Field(description="How many chunks that text has.")


class EntryHits(Value):
    """Entries, best first."""

    hits: list[EntryHit]
    notice: str = Field("", description="What was not as it should be, and what to do.")
    pending: int = Field(0, description="Entries whose vector is still to be made.")


class ContextChunk(Value):
    """One stretch of an entry's longer text."""

    id: str = Field(description="Id of the chunk, unique in the whole memory.")
    position: int = Field(description="Its place in the text, from 0.")
    text: str = Field(description="The text of the chunk, white space included.")
    created_at: datetime = Field(description="When it was added.")


class ContextPage(Value):
    """Some of an entry's chunks; all of them joined by position are the text."""

    timeline_id: str = Field(description="Id of the entry.")
    chunks: list[ContextChunk]
    total_chunks: int = Field(description="How many chunks there are in all.")
    next_offset: int = Field(description="The offset of the next page; -1 after the last.")


class WrittenContext(Value):
    """Text that was added to an entry."""

    timeline_id: str = Field(description="Id of the entry.")
    chunk_ids: list[str] = Field(description="The chunks it became, in order.")
    total_chunks: int = Field(description="How many chunks the entry has now.")
    batch_id: str = Field(description="Give it to undo to take this write back.")


class EntrySetting(Value):
    """A setting of entries that can be chosen while the program runs."""

    key: str = Field(description="Its name.")
    value: float | bool = Field(description="The value in use.")
    stored: float | bool | str | None = Field(description="The value somebody chose, if any.")
    initial: float | bool = Field(description="The value from the environment, or the default.")
    source: Literal["stored", "environment"] = Field(description="Which of the two is in use.")
    problem: str = Field("", description="Why the stored value is not in use.")


class EntryCounts(Value):
    """What a project has, as far as the caller may see it."""

    entries: int = Field(description="Entries that can be found.")
    expired: int = Field(description="Entries that have expired and wait for clean-up.")
    duplicates: int = Field(description="Entries marked as saying the same as another.")
    context_chunks: int = Field(description="Chunks of longer text.")
    tags: int = Field(description="Different tags.")
    groups: int = Field(description="Groups of entries.")


class EntryStatusReport(Value):
    """How the entries of a project stand, and the settings they go by."""

    project_id: str = Field(description="The project.")
    database: str = Field(description="The memory file.")
    counts: EntryCounts
    pending: int = Field(description="Entries whose vector is still to be made, in all projects.")
    settings: list[EntrySetting] = Field(description="Each setting with both its values.")
    default_ttl_days: int = Field(description="Days until what is time-sensitive goes.")
    chunk_size: int = Field(description="Characters of a context chunk, at most.")
    separators: list[str] = Field(description="Where context is cut, best first.")
    groups_built_at: datetime | None = Field(None, description="When groups were last made.")
    groups_partial: str = Field("", description="Why they are not complete, if they are not.")


class MergedEntry(Value):
    """Two entries that say the same: one kept, the other marked."""

    kept: str = Field(description="Id of the older entry, which says now what the newer says.")
    duplicate: str = Field(description="Id of the newer entry, which is marked and not found.")
    similarity: float = Field(description="Cosine of their summaries.")
    batch_id: str = Field(description="Give it to undo to take the merge back.")


class EntryMaintenanceReport(Value):
    """What upkeep of entries did."""

    expired: int = Field(description="How many entries had expired and were deleted.")
    duplicates: list[MergedEntry] = Field(description="Which entries were merged.")
