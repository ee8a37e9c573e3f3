"""Tools: archive, restore and prune entities."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from ...memory import Memory
from ...model.graph.entities import EntityPage
from ...model.graph.lifecycle import ArchiveResult, PruneResult, RestoreResult
from ..calls import parameters as p
from ..calls.registry import tool

# So many fit the budget of an answer; the rest is counted and comes with the next call.
PRUNED = 100


@tool(title="Archive entity", idempotent=True)
def archive_entity(
    memory: Memory,
    id: p.EntityId,
    reason: Annotated[str, Field(description="Reason for archiving.")] = "Unused/superseded",
    project_id: p.ProjectId = "default",
) -> ArchiveResult:
    """Archive an entity: it is kept, but searches no longer return it."""
    return memory.lifecycle.archive_entities(id, reason, project_id=project_id)


@tool(title="Restore entity")
def restore_entity(
    memory: Memory, id: p.EntityId, project_id: p.ProjectId = "default"
) -> RestoreResult:
    """Restore an archived or deleted entity, with the facts and relations deleted with it."""
    return memory.lifecycle.restore_entity(id, project_id=project_id)


@tool(title="List orphans", reads=True)
def list_orphans(
    memory: Memory,
    limit: p.Limit = 50,
    cursor: p.Cursor = "",
    project_id: p.AnyProjectId = "default",
) -> EntityPage:
    """List active entities without any relation."""
    return memory.lifecycle.list_orphans(project_id=project_id, limit=limit, cursor=cursor)


@tool(title="Prune stale entities", destroys=True)
def prune_stale(
    memory: Memory,
    max_age_days: Annotated[
        float, Field(ge=0, description="Days since archiving, or since last use.")
    ],
    dry_run: Annotated[bool, Field(description="Only list what would be deleted.")] = True,
    include_unused: Annotated[
        bool,
        Field(
            description="Include active entities that were never retrieved or changed and "
            "have low salience."
        ),
    ] = False,
    project_id: p.ProjectId = "default",
) -> PruneResult:
    """Delete entities archived for a number of days. Dry run by default; undo restores them."""
    return memory.lifecycle.prune_entities(
        max_age_days,
        dry_run=dry_run,
        include_unused=include_unused,
        project_id=project_id,
        limit=PRUNED,
    )
