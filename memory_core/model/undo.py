"""Result of an undo."""

from __future__ import annotations

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from .base import Value


class SkippedRow(Value):
    """A row that was not reverted, and why."""

    kind: str = Field(description="entity, observation, relation or another kind of row.")
    id: str = Field(description="ID.")
    name: str = Field(description="Name or text.")
    why: str = Field(description="Edits that cannot be saved.")
    # For the dashboard: like name, but a relation shows the names of its ends.
    title: SkipJsonSchema[str] = Field("", exclude=True)


class UndoResult(Value):
    """The result of an undo. It is itself a batch and can be undone."""

    undone: str = Field(description="The reverted batch or change.")
    batch_id: str = Field(description="Pass to undo to revert this undo; empty in a dry run.")
    dry_run: bool = Field(description="Whether this was a dry run.")
    reverted: dict[str, int] = Field(description="Number of reverted rows by kind.")
    left_alone: list[SkippedRow] = Field(description="Rows that were skipped, at most 100.")
    left_alone_count: int = Field(0, description="Total number of skipped rows.")
    other_users_count: int = Field(
        0, description="Number of skipped rows that belong to other users."
    )
