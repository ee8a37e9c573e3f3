"""Putting things aside, bringing them back, and letting go of what nobody uses."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from ..base import Value
from ..undo import SkippedRow
from .entities import Entity


class ArchiveResult(Value):
    """An entity that searches no longer return."""

    entity: Entity
    version: int = Field(description="Give it as expected_version to change only this state.")
    changed: bool = Field(description="False if it was archived already.")
    batch_id: str = Field("", description="Give it to undo to bring the entity back.")


class RestoreResult(Value):
    """An entity that is back, with what came back with it."""

    entity: Entity
    version: int = Field(description="Give it as expected_version to change only this state.")
    restored_from: Literal["archive", "journal"] = Field(
        description="archive: it was put aside; journal: it had been deleted."
    )
    restored: dict[str, int] = Field(description="How many rows of each kind came back.")
    not_restored: list[SkippedRow] = Field(
        default_factory=list, description="What went with it and could not come back."
    )
    not_restored_count: int = Field(0, description="How many rows could not come back in all.")
    batch_id: str = Field(description="Give it to undo to take this back.")


class PruneCandidate(Value):
    """An entity that pruning removes, and why."""

    id: str = Field(description="Id of the entity.")
    name: str = Field(description="Its name.")
    node_type: str = Field(description="Its type.")
    reason: Literal["archived", "unused"] = Field(
        description="archived: for that long. unused: never retrieved, never changed, low salience."
    )
    since: datetime = Field(description="When it was archived, or last changed.")
    salience: float = Field(description="How much it matters, 0 to 1: use, age and degree.")
    observations: int = Field(description="How many observations go with it.")
    relations: int = Field(description="How many relations go with it.")


class PruneResult(Value):
    """What pruning removes or, in a dry run, would remove."""

    dry_run: bool = Field(description="Whether nothing was deleted.")
    entities: list[PruneCandidate] = Field(description="Exactly what goes, longest stale first.")
    deleted: dict[str, int] = Field(description="How many rows of each kind go.")
    remaining: int = Field(0, description="How many more match; prune again for those.")
    batch_id: str = Field("", description="Give it to undo to bring everything back.")
    backup: str = Field("", description="A copy of the memory made before.")
