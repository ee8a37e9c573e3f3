"""The librarian's runs, suggestions and concepts."""

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

    id: int = Field(description="Run number.")
    kind: CycleKind = Field(description="librarian, discovery or upkeep.")
    project_id: str = Field(description='Project ID; "*" for all projects.')
    actor: str = Field(description="Who requested it.")
    started_at: datetime = Field(description="Start time.")
    ended_at: datetime | None = Field(None, description="End time.")
    milliseconds: float = Field(0.0, description="Duration in milliseconds.")
    status: CycleStatus = Field(
        description="unchanged: nothing new since the last run. interrupted: the process ended."
    )
    dry_run: bool = Field(False, description="Whether this was a dry run.")
    seen_seq: int = Field(description="Sequence number of the newest change at the start.")
    first_seq: int | None = Field(None, description="Sequence number of its first change.")
    last_seq: int | None = Field(None, description="Sequence number of its last change.")
    batch_id: str = Field(description="Pass to undo to revert everything it wrote.")
    counts: dict[str, int] = Field(
        default_factory=dict, description="Numbers of what was found and done."
    )
    pending: int = Field(
        0, description="Number of passages left out because they have no vector yet."
    )
    error: str = Field("", description="Error message.")


class CyclePage(Value):
    """Runs, newest first."""

    cycles: list[Cycle]
    total: int = Field(description="Total number.")


class SuggestionSide(Value):
    """One of the two entities or observations of a suggestion."""

    id: str = Field(description="Entity ID.")
    name: str = Field(description="Name.")
    node_type: str = Field(description="Entity type.")
    observation_id: str = Field(
        "", description="ID of the observation, if two observations are compared."
    )
    content: str = Field("", description="Beginning of that observation.")


class Suggestion(Value):
    """A finding of the librarian about two entities or observations, to be accepted or rejected."""

    row_ids: SkipJsonSchema[tuple[str, str]] = Field(("", ""), exclude=True)
    id: str = Field(description="Suggestion ID; empty in a dry run.")
    kind: SuggestionKind = Field(description="relation, duplicate or contradiction.")
    project_id: str = Field(description="Project ID.")
    first: SuggestionSide = Field(description="Source of the relation; the entity a merge keeps.")
    second: SuggestionSide = Field(description="Target of the relation; the entity that is merged.")
    relation_type: str = Field("", description="The proposed relation type.")
    similarity: float = Field(description="Similarity, 0 to 1.")
    status: SuggestionStatus = Field("open", description="gone: no longer applies.")
    reason: str = Field("", description="The deciding criterion, such as negation or shared name.")


class SuggestionPage(Value):
    """Suggestions, most similar first."""

    suggestions: list[Suggestion]
    total: int = Field(description="Total number of matches.")


class ConceptChange(Value):
    """A change of a concept."""

    id: str = Field(description="Concept ID; empty for a concept that a dry run would create.")
    name: str = Field(description="Name.")
    change: Literal["made", "grown", "shrunk", "changed", "restored", "retired"] = Field(
        description="The kind of change."
    )
    members: int = Field(description="Number of members after the change.")
    joined: int = Field(0, description="Number of members added.")
    left: int = Field(0, description="Number of members removed.")


class LibrarianReport(Value):
    """Findings and actions of a cycle. Lists may be truncated, counts are complete."""

    cycle: Cycle
    concepts: list[ConceptChange] = Field(description="Concepts that changed.")
    duplicates: list[Suggestion] = Field(description="Probable duplicates.")
    contradictions: list[Suggestion] = Field(description="Contradicting facts.")
    relations: list[Suggestion] = Field(description="Similar entities without a relation.")
    orphans: int = Field(0, description="Number of entities without relations.")
    truncated: bool = Field(False, description="Whether a list was truncated.")
    notice: str = Field("", description="What was left out, and why.")


class AcceptedSuggestion(Value):
    """The result of accepting a suggestion."""

    suggestion: Suggestion
    did: str = Field(description="What was done.")
    batch_id: str = Field(description="Pass to undo to revert it.")


class ConceptView(Value):
    """A concept made by the librarian, with its members."""

    id: str = Field(description="Concept ID.")
    name: str = Field(description="Name.")
    project_id: str = Field(description="Project ID.")
    created_at: datetime = Field(description="Creation time.")
    member_count: int = Field(description="Number of members.")
    members: list[SuggestionSide] = Field(description="Members by name, at most 30.")


class ConceptPage(Value):
    """Concepts, largest first."""

    concepts: list[ConceptView]
    total: int = Field(description="Total number.")
