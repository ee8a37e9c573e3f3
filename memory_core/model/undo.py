"""Results of an undo, including skipped rows."""

from __future__ import annotations

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from .base import Value


class SkippedRow(Value):
    """A row that was not put back, and why."""

    kind: str = Field(description="entity, observation, relation or another kind of row.")
    id: str = Field(description="Its id.")
    name: str = Field(description="What it is called or says.")
    why: str = Field(description="What stands in the way.")
    # For pages: the name, but of a relation with the names of its ends.
    title: SkipJsonSchema[str] = Field("", exclude=True)


class UndoResult(Value):
    """What an undo did. It is itself an act and can be undone."""

    undone: str = Field(description="The batch or the change that was taken back.")
    batch_id: str = Field(description="Give it to undo to take this undo back; empty if dry_run.")
    dry_run: bool = Field(description="Whether nothing was written.")
    reverted: dict[str, int] = Field(description="How many rows of each kind were put back.")
    left_alone: list[SkippedRow] = Field(description="Rows that were not put back, at most 100.")
    left_alone_count: int = Field(0, description="How many rows were not put back in all.")
    other_users_count: int = Field(
        0, description="How many of those belong to users that the call does not name."
    )
