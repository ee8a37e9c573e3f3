"""Mending many rows by hand, in one act."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ..base import Properties, Value
from .entities import Entity, Observation

EditAction = Literal["add", "change", "archive", "restore", "delete", "merge", "supersede"]
EditKind = Literal["entity", "observation"]


class Edit(Value):
    """One thing to do to one row; what is left empty stays as it is."""

    kind: EditKind = Field(description="entity or observation.")
    act: EditAction = Field(description="What to do.")
    id: str = Field(description="Id of the row; of a new observation, of its entity.")
    project_id: str = Field(description="The project it belongs to.")
    seen: int = Field(
        0, description="Number of the newest change when the row was shown; 0: never mind."
    )
    name: str = Field("", description="The name an entity shall have.")
    node_type: str = Field("", description="The type it shall have.")
    certainty: str = Field("", description="How sure it shall be.")
    properties: Properties | None = Field(None, description="All its properties, the rest go.")
    aliases: list[str] | None = Field(None, description="All its aliases, the rest go.")
    content: str = Field("", description="What an observation shall say.")
    source: str = Field("", description="Where it came from.")
    into: str = Field("", description="The entity that a merged one goes into.")


class EditProblem(Value):
    """Why one edit cannot be saved."""

    place: int = Field(description="Which of the edits, from 0.")
    id: str = Field(description="The row it was for.")
    why: str = Field(description="What stands in the way, and who caused it.")
    stale: bool = Field(False, description="Whether the row changed since it was shown.")
    newest: int = Field(
        0, description="Number of the change that is in the way; an edit that has seen it, is not."
    )
    stored: dict[str, str] = Field(
        {}, description="What stands in each field of the row now, if it is there and stale."
    )


class BulkEditResult(Value):
    """What saving edits did, or would do. With any problem, nothing was saved."""

    dry_run: bool = Field(description="Whether nothing was written in any case.")
    rows: dict[str, int] = Field(description="How many rows, such as 'entity changed'.")
    problems: list[EditProblem] = Field(description="What stands in the way.")
    batch_id: str = Field("", description="Give it to undo to take all of it back.")

    @property
    def saved(self) -> bool:
        return bool(self.batch_id)


class EntityRow(Value):
    """An entity in a table."""

    entity: Entity
    observations: int = Field(description="How many facts are known of it.")
    relations: int = Field(description="How many relations it has.")


class ObservationRow(Value):
    """An observation in a table."""

    observation: Observation
    project_id: str = Field(description="The project of its entity.")
    name: str = Field(description="The name of its entity.")


class EntityRows(Value):
    """A page of entities as they were after one change."""

    rows: list[EntityRow]
    total: int = Field(description="How many match in all.")
    seq: int = Field(description="Number of the newest change that the page knows.")


class ObservationRows(Value):
    """A page of observations as they were after one change."""

    rows: list[ObservationRow]
    total: int = Field(description="How many match in all.")
    seq: int = Field(description="Number of the newest change that the page knows.")
