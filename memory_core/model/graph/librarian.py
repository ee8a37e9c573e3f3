"""Values of librarian cycles, suggestions and settings."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from ..base import Value

CycleKind = Literal["librarian", "discovery", "upkeep"]
CycleStatus = Literal["running", "done", "unchanged", "cancelled", "failed", "interrupted"]
SuggestionKind = Literal["relation", "duplicate", "contradiction"]
SuggestionStatus = Literal["open", "accepted", "rejected", "gone"]


class Cycle(Value):
    """One run of background work."""

    id: int = Field(description="Number of the run.")
    kind: CycleKind = Field(description="librarian, discovery or upkeep.")
    project_id: str = Field(description='The project; "*" for all.')
    actor: str = Field(description="Who asked for it.")
    started_at: datetime = Field(description="When it began.")
    ended_at: datetime | None = Field(None, description="When it ended.")
    milliseconds: float = Field(0.0, description="How long it took.")
    status: CycleStatus = Field(
        description="unchanged: nothing new since the last one. interrupted: its process ended."
    )
    dry_run: bool = Field(False, description="Whether nothing was written.")
    seen_seq: int = Field(description="The newest change it had seen when it began.")
    first_seq: int | None = Field(None, description="The first change it made.")
    last_seq: int | None = Field(None, description="The last change it made.")
    batch_id: str = Field(description="Give it to undo to take back all it wrote.")
    counts: dict[str, int] = Field(default_factory=dict, description="What it found and did.")
    pending: int = Field(0, description="Pieces that had no vector yet and were left out.")
    error: str = Field("", description="What went wrong.")


class CyclePage(Value):
    """Runs, newest first."""

    cycles: list[Cycle]
    total: int = Field(description="How many there are in all.")


class SuggestionSide(Value):
    """One of the two things a suggestion is about."""

    id: str = Field(description="Id of the entity.")
    name: str = Field(description="Its name.")
    node_type: str = Field(description="Its type.")
    observation_id: str = Field("", description="Id of the observation, if two are compared.")
    content: str = Field("", description="How that observation begins.")


class Suggestion(Value):
    """What the librarian noticed about two things, for somebody to decide."""

    row_ids: SkipJsonSchema[tuple[str, str]] = Field(("", ""), exclude=True)
    id: str = Field(description="Id of the suggestion; empty in a dry run.")
    kind: SuggestionKind = Field(description="relation, duplicate or contradiction.")
    project_id: str = Field(description="The project.")
    first: SuggestionSide = Field(
        description="Where a relation would start; what a merge would keep."
    )
    second: SuggestionSide = Field(description="Where it would lead; what would be merged.")
    relation_type: str = Field("", description="The relation proposed.")
    similarity: float = Field(description="Their likeness, 0 to 1.")
    status: SuggestionStatus = Field("open", description="gone: it no longer holds.")
    reason: str = Field("", description="What decided, such as negation or shared name.")


class SuggestionPage(Value):
    """Suggestions, most alike first."""

    suggestions: list[Suggestion]
    total: int = Field(description="How many match in all.")


class ConceptChange(Value):
    """What became of a concept."""

    id: str = Field(description="Id of the concept; empty in a dry run that would make it.")
    name: str = Field(description="Its name.")
    change: Literal["made", "grown", "shrunk", "changed", "restored", "retired"] = Field(
        description="What happened to it."
    )
    members: int = Field(description="How many members it has now.")
    joined: int = Field(0, description="How many joined.")
    left: int = Field(0, description="How many left.")


class LibrarianReport(Value):
    """What a cycle found and did; the lists are cut, the counts are not."""

    cycle: Cycle
    concepts: list[ConceptChange] = Field(description="Concepts that changed.")
    duplicates: list[Suggestion] = Field(description="Probably one thing said twice.")
    contradictions: list[Suggestion] = Field(description="Facts that exclude each other.")
    relations: list[Suggestion] = Field(description="Similar entities without a relation.")
    orphans: int = Field(0, description="Entities without any relation.")
    truncated: bool = Field(False, description="Whether a list was cut.")
    notice: str = Field("", description="What was left out, and why.")


class AcceptedSuggestion(Value):
    """What accepting a suggestion did."""

    suggestion: Suggestion
    did: str = Field(description="What was done.")
    batch_id: str = Field(description="Give it to undo to take it back.")


class ConceptView(Value):
    """A concept that the librarian made, with what belongs to it."""

    id: str = Field(description="Id of the concept.")
    name: str = Field(description="Its name.")
    project_id: str = Field(description="The project.")
    created_at: datetime = Field(description="When it was made.")
    member_count: int = Field(description="How many members it has.")
    members: list[SuggestionSide] = Field(description="Members by name, at most 30.")


class ConceptPage(Value):
    """Concepts, those with most members first."""

    concepts: list[ConceptView]
    total: int = Field(description="How many there are in all.")
