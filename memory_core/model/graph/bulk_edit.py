"""Bulk edits of entities and observations as one batch."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ..base import Properties, Value
from .entities import Entity, Observation

EditAction = Literal["add", "change", "archive", "restore", "delete", "merge", "supersede"]
EditKind = Literal["entity", "observation"]


class Edit(Value):
    """One action on one row. Empty fields stay unchanged."""

    kind: EditKind = Field(description="entity or observation.")
    act: EditAction = Field(description="The action.")
    id: str = Field(description="Row ID; for a new observation, the entity ID.")
    project_id: str = Field(description="Project ID.")
    seen: int = Field(
        0,
        description="Sequence number of the newest change when the row was loaded; 0: no "
        "conflict check.",
    )
    name: str = Field("", description="New name of the entity.")
    node_type: str = Field("", description="New type of the entity.")
    certainty: str = Field("", description="New certainty.")
    properties: Properties | None = Field(None, description="All properties; others are removed.")
    aliases: list[str] | None = Field(None, description="All aliases; others are removed.")
    content: str = Field("", description="New text of the observation.")
    source: str = Field("", description="Source.")
    into: str = Field("", description="ID of the entity to merge into.")


class EditProblem(Value):
    """Why one edit cannot be saved."""

    place: int = Field(description="Index of the edit, from 0.")
    id: str = Field(description="Row ID of the edit.")
    why: str = Field(description="Why the edit cannot be saved, and who caused it.")
    stale: bool = Field(False, description="Whether the row changed since it was loaded.")
    newest: int = Field(
        0,
        description="Sequence number of the conflicting change; an edit based on it does not "
        "conflict.",
    )
    stored: dict[str, str] = Field(
        {}, description="Current value of each field, if the row exists and is stale."
    )


class BulkEditResult(Value):
    """The result of a bulk edit. If there is any problem, nothing was saved."""

    dry_run: bool = Field(description="Whether this was a dry run.")
    rows: dict[str, int] = Field(description="Number of rows, such as 'entity changed'.")
    problems: list[EditProblem] = Field(description="Edits that cannot be saved.")
    batch_id: str = Field("", description="Pass to undo to revert all edits.")

    @property
    def saved(self) -> bool:
        return bool(self.batch_id)


class EntityRow(Value):
    """A row of the entity table."""

    entity: Entity
    observations: int = Field(description="Number of observations.")
    relations: int = Field(description="Number of relations.")


class ObservationRow(Value):
    """A row of the observation table."""

    observation: Observation
    project_id: str = Field(description="Project ID of its entity.")
    name: str = Field(description="Name of its entity.")


class EntityRows(Value):
    """A page of entities as of one sequence number."""

    rows: list[EntityRow]
    total: int = Field(description="Total number of matches.")
    seq: int = Field(description="Sequence number of the newest change included.")


class ObservationRows(Value):
    """A page of observations as of one sequence number."""

    rows: list[ObservationRow]
    total: int = Field(description="Total number of matches.")
    seq: int = Field(description="Sequence number of the newest change included.")
