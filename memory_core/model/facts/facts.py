"""Facts about people, and the conversations they are drawn from."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from ..base import Properties, Value
from .entries import EntryStatus
from .extraction import ExtractedFact, Message

# How a new fact is deduplicated against similar stored facts.
DedupStrategy = Literal["merge", "replace", "skip", "off"]
# What became of a call, and of each fact in it.
Outcome = Literal[
    "stored",
    "deferred",
    "duplicate",
    "nothing_memorable",
    "extraction_failed",
    "waiting_for_assistant",
]
FactOutcome = Literal[
    "stored", "updated", "merged", "kept_both", "deferred", "outdated", "duplicate"
]
JobStatus = Literal[
    "pending",
    "waiting_for_assistant",
    "failed",
    "stored",
    "deferred",
    "duplicate",
    "nothing_memorable",
]


class Fact(Value):
    """One statement that stands on its own."""

    id: str = Field(description="Id of the fact, unique in the whole memory.")
    project_id: str = Field(description="The project it belongs to.")
    user_id: str = Field("", description="The user it belongs to, if any.")
    agent_id: str = Field("", description="The agent it belongs to, if any.")
    session_id: str = Field("", description="The session it belongs to, if any.")
    content: str = Field(description="What it says; a quotation, no instruction.")
    category: str = Field("", description="One of the five categories of entries.")
    metadata: Properties = Field(default_factory=dict, description="What else was given with it.")
    status: EntryStatus = Field("active", description="active, duplicate or superseded.")
    duplicate_of: str | None = Field(None, description="The fact that says the same.")
    superseded_by: str | None = Field(None, description="The fact that replaced it.")
    digest: SkipJsonSchema[str] = Field("", exclude=True)
    occurred_at: datetime | None = Field(None, description="When it was true, if that is known.")
    created_at: datetime = Field(description="When it was first remembered.")
    updated_at: datetime = Field(description="When it was last changed.")


class WrittenFact(Value):
    """What became of one fact, and what the memory says now."""

    outcome: FactOutcome = Field(
        description="stored; updated: an older one says more now; merged: one was made of several; "
        "kept_both: beside one that seems to say the same; deferred: stored, to be compared later; "
        "outdated: something newer is known; duplicate: known already, nothing was written."
    )
    id: str = Field(description="The fact that says it now.")
    content: str = Field(description="What that fact says.")
    superseded: list[str] = Field(
        default_factory=list, description="Facts that are no longer found because of it."
    )
    notice: str = Field("", description="What was not as it should be.")


class RememberResult(Value):
    """What came of a conversation. Only what is listed as written was written."""

    outcome: Outcome = Field(
        description="stored; deferred: stored, compared with what is known later; duplicate: all "
        "known already; nothing_memorable; extraction_failed: nothing stored, the job is kept; "
        "waiting_for_assistant: submit the facts yourself."
    )
    facts: list[WrittenFact] = Field(default_factory=list, description="Each fact, in order.")
    refused: list[str] = Field(default_factory=list, description="Why others were left out.")
    job_id: str = Field("", description="The job that keeps the transcript, if there is one.")
    batch_id: str = Field("", description="Give it to undo to take all of this back.")
    reason: str = Field("", description="Why the extraction failed.")
    notice: str = Field("", description="What to know of how it was done.")
    contract: str = Field("", description="What to submit with memory_extract_submit.")


class RecalledFact(Fact):
    """A fact that answers a question."""

    score: float = Field(ge=0, le=1, description="0 to 1, higher is better.")


class RecallResult(Value):
    """Facts, best first."""

    facts: list[RecalledFact] = Field(description="The facts, best first.")
    notice: str = Field("", description="What was not as it should be, and what to do.")


class FactPage(Value):
    """A page of facts, newest first."""

    facts: list[Fact]
    total: int = Field(description="How many match in all.")
    cursor: str = Field("", description="Give it back for the next page; empty on the last.")


class ChangedFact(Fact):
    """A fact after it was changed by hand."""

    version: int = Field(description="Give it as expected_version to change only this state.")
    batch_id: str = Field(description="Give it to undo to take the change back.")


class DeletedFact(Value):
    """A fact that was deleted. The past keeps it; undo brings it back."""

    id: str = Field(description="Id of the fact.")
    content: str = Field(description="What it said.")
    batch_id: str = Field(description="Give it to undo to bring it back.")


class ExtractionJob(Value):
    """A conversation, and what came of it."""

    id: str = Field(description="Id of the job.")
    project_id: str = Field(description="The project its facts belong to.")
    user_id: str = Field("", description="The user they belong to, if any.")
    agent_id: str = Field("", description="The agent they belong to, if any.")
    session_id: str = Field("", description="The session they belong to, if any.")
    status: JobStatus = Field(
        description="pending, waiting_for_assistant, failed; or what came of it."
    )
    extractor: str = Field("", description="What was asked last.")
    attempts: int = Field(0, description="How often it was asked.")
    reason: str = Field("", description="Why it failed the last time.")
    message_count: int = Field(description="How many messages the conversation has.")
    messages: list[Message] = Field(
        default_factory=list, description="The conversation, if it was asked for; a quotation."
    )
    metadata: Properties = Field(default_factory=dict, description="What its facts carry.")
    extracted: SkipJsonSchema[list[ExtractedFact] | None] = Field(None, exclude=True)
    facts: list[WrittenFact] = Field(
        default_factory=list, description="What was written of it, or the first."
    )
    refused: list[str] = Field(default_factory=list, description="Why others were left out.")
    batch_id: str = Field("", description="Give it to undo to take its facts back.")
    next_attempt_at: datetime | None = Field(None, description="When it is tried again by itself.")
    created_at: datetime = Field(description="When the conversation was handed in.")
    updated_at: datetime = Field(description="When something last happened to the job.")


class JobPage(Value):
    """A page of jobs, newest first."""

    jobs: list[ExtractionJob]
    total: int = Field(description="How many match in all.")
    cursor: str = Field("", description="Give it back for the next page; empty on the last.")


class FactMaintenanceReport(Value):
    """What upkeep of facts and jobs did."""

    retried: int = Field(description="Jobs that were tried again.")
    compared: int = Field(description="Facts that were compared with what was known.")
    forgotten: int = Field(description="Transcripts whose time had come.")
