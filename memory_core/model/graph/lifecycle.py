"""Results of archiving, restoring and pruning entities."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from ..base import Value
from ..undo import SkippedRow
from .entities import Entity


class ArchiveResult(Value):
    """An archived entity, which is hidden from search."""

    entity: Entity
    version: int = Field(description="Pass as expected_version to update only this version.")
    changed: bool = Field(description="False if it was already archived.")
    batch_id: str = Field("", description="Pass to undo to restore the entity.")


class RestoreResult(Value):
    """A restored entity, with the rows restored with it."""

    entity: Entity
    version: int = Field(description="Pass as expected_version to update only this version.")
    restored_from: Literal["archive", "journal"] = Field(
        description="archive: it was archived; journal: it had been deleted."
    )
    restored: dict[str, int] = Field(description="Number of restored rows by kind.")
    not_restored: list[SkippedRow] = Field(
        default_factory=list, description="Related rows that could not be restored."
    )
    not_restored_count: int = Field(
        0, description="Total number of rows that could not be restored."
    )
    batch_id: str = Field(description="Pass to undo to revert this.")


class PruneCandidate(Value):
    """An entity that pruning deletes, and why."""

    id: str = Field(description="Entity ID.")
    name: str = Field(description="Name.")
    node_type: str = Field(description="Entity type.")
    reason: Literal["archived", "unused"] = Field(
        description="archived: for that long. unused: never retrieved, never changed, low salience."
    )
    since: datetime = Field(description="Time it was archived or last changed.")
    salience: float = Field(description="Salience, 0 to 1: use, age and degree.")
    observations: int = Field(description="Number of its observations.")
    relations: int = Field(description="Number of its relations.")


class PruneResult(Value):
    """The entities that pruning deletes or, in a dry run, would delete."""

    dry_run: bool = Field(description="Whether this was a dry run.")
    entities: list[PruneCandidate] = Field(
        description="The entities to delete, longest unused first."
    )
    deleted: dict[str, int] = Field(description="Number of deleted rows by kind.")
    remaining: int = Field(
        0, description="Number of further matches; run prune again to delete them."
    )
    batch_id: str = Field("", description="Pass to undo to restore everything.")
    backup: str = Field("", description="Path of the backup made before.")
