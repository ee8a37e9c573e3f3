"""Values of the fact review: scopes, counts and merged facts."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from ..base import Value
from ..scope import ALL_USERS, Scope, ScopeUser
from .facts import Fact, JobPage

# What an operation did to an existing fact, or to the new one.
MergeOutcome = Literal["rewritten", "superseded", "duplicate", "kept_both"]


class FactScopeFilter(Scope):
    """A scope that defaults to all projects and all users."""

    project_id: str = Field("*", description='Project ID; "*" for all projects.')
    user_id: ScopeUser = Field(ALL_USERS, description='User ID; "" for none.')


class ScopeCounts(Scope):
    """An exact scope, with the numbers of its facts and conversations."""

    user_id: str = Field("", description="User ID.")
    facts: int = Field(description="Number of facts, of any status.")
    jobs: int = Field(description="Number of conversations.")


class FactCounts(Value):
    """Numbers of facts by status."""

    active: int = Field(0, description="Number of searchable facts.")
    duplicate: int = Field(0, description="Number of facts marked as duplicates.")
    superseded: int = Field(0, description="Number of facts replaced by newer ones.")


class ReviewedJobs(JobPage):
    """A page of conversations without their messages."""

    unfinished: int = Field(description="Number of unfinished jobs in the scope.")


class MergedFact(Value):
    """A fact before it was merged or replaced, and its successor."""

    fate: MergeOutcome = Field(description="What happened to the fact.")
    fact: Fact = Field(description="The fact in its current state.")
    former: str = Field(description="The previous text.")
    successor: Fact | None = Field(
        description="The fact that replaced it; None if it no longer exists."
    )
    became: str = Field(description="Text of the successor after the operation, if known.")
    actor: str = Field(description="Who made the change.")
    cause: str = Field(description="The operation.")
    at: datetime = Field(description="Time of the change.")
    seq: int = Field(description="Sequence number of the change.")
    batch_id: str = Field(description="Pass to undo to revert the whole operation.")


class MergedFactPage(Value):
    """A page of merged facts, newest first."""

    fused: list[MergedFact]
    total: int = Field(description="Total number.")
    cursor: str = Field("", description="Pass to get the next page; empty on the last page.")
