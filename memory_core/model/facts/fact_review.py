"""Facts and conversations as the person at the machine looks over them."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from ..base import Value
from ..scope import ALL_USERS, Scope, ScopeUser
from .facts import Fact, JobPage

# What an act did to a fact that was known before it, or to the one that it brought.
MergeOutcome = Literal["rewritten", "superseded", "duplicate", "kept_both"]


class FactScopeFilter(Scope):
    """A scope that is every project and every user unless they are named."""

    project_id: str = Field("*", description='The project; "*" is all of them.')
    user_id: ScopeUser = Field(ALL_USERS, description='The user; "" is none.')


class ScopeCounts(Scope):
    """An exact scope that has facts or conversations, and how many."""

    user_id: str = Field("", description="The user.")
    facts: int = Field(description="Facts of whatever status.")
    jobs: int = Field(description="Conversations.")


class FactCounts(Value):
    """How many facts there are."""

    active: int = Field(0, description="Those that are found.")
    duplicate: int = Field(0, description="Those that another one says.")
    superseded: int = Field(0, description="Those that something newer has replaced.")


class ReviewedJobs(JobPage):
    """A page of conversations without their messages."""

    unfinished: int = Field(description="How many of that scope wait for their facts.")


class MergedFact(Value):
    """One fact before an act that took it together with another, and what stands for it now."""

    fate: MergeOutcome = Field(description="What was done to it.")
    fact: Fact = Field(description="The fact as it is now.")
    former: str = Field(description="What it said before.")
    successor: Fact | None = Field(description="What says it now; None if that is gone.")
    became: str = Field(description="What the successor said after the act, if that is known.")
    actor: str = Field(description="Who did it.")
    cause: str = Field(description="What was being done.")
    at: datetime = Field(description="When.")
    seq: int = Field(description="The number of the change.")
    batch_id: str = Field(description="Give it to undo to take the whole act back.")


class MergedFactPage(Value):
    """A page of such facts, the newest act first."""

    fused: list[MergedFact]
    total: int = Field(description="How many there are in all.")
    cursor: str = Field("", description="Give it back for the next page; empty on the last.")
