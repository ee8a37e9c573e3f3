"""Tools: history, as-of queries and undo."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ...memory import Memory
from ...model.history import Difference, SnapshotPage, TemporalNeighbourhood, Timeline
from ...model.undo import UndoResult
from ...rules.timestamps import read_moment, read_required_moment
from ..calls import parameters as p
from ..calls.registry import tool


@tool(title="Query a point in time", reads=True)
def point_in_time_query(
    memory: Memory,
    as_of_iso_timestamp: Annotated[
        str, Field(description="The moment (ISO 8601). A date means its end; no zone means UTC.")
    ],
    entity_id: Annotated[str, Field(description="Only this entity; empty for all.")] = "",
    valid_at: Annotated[
        str, Field(description="Only facts that were true then (ISO 8601); empty for all.")
    ] = "",
    limit: Annotated[int, Field(ge=1, le=100, description="Entities on a page.")] = 20,
    cursor: p.Cursor = "",
    project_id: p.AnyProjectId = "default",
) -> SnapshotPage:
    """Return the graph as of a moment, with what was changed or deleted since."""
    read = read_required_moment("as_of_iso_timestamp", as_of_iso_timestamp, at_end=True)
    page = memory.history.as_of(
        read.moment,
        project_id=project_id,
        entity_id=entity_id,
        valid_at=read_moment("valid_at", valid_at).moment,
        limit=limit,
        cursor=cursor,
    )
    return page.model_copy(
        update={"notice": " ".join(part for part in (read.notice, page.notice) if part)}
    )


@tool(title="Compare two moments", reads=True)
def diff_knowledge_state(
    memory: Memory,
    from_timestamp: Annotated[str, Field(description="The earlier moment (ISO 8601).")],
    to_timestamp: Annotated[str, Field(description="The later moment; a date means its end.")],
    limit: Annotated[int, Field(ge=1, le=200, description="Changes on a page.")] = 50,
    cursor: p.Cursor = "",
    project_id: p.AnyProjectId = "default",
) -> Difference:
    """
    Return entities, observations and relations added, removed and changed between two moments.
    """
    return memory.history.diff(
        read_required_moment("from_timestamp", from_timestamp).moment,
        read_required_moment("to_timestamp", to_timestamp, at_end=True).moment,
        project_id=project_id,
        limit=limit,
        cursor=cursor,
    )


@tool(title="Query the timeline", reads=True)
def query_timeline(
    memory: Memory,
    entity: Annotated[str, Field(description="Only events of this entity; empty for all.")] = "",
    entity_type: Annotated[str, Field(description="Only entities of this type.")] = "",
    start: Annotated[str, Field(description="Start (ISO 8601).")] = "",
    end: Annotated[str, Field(description="End (ISO 8601); a date means its end.")] = "",
    order: Annotated[Literal["ASC", "DESC"], Field(description="Oldest or newest first.")] = "ASC",
    limit: p.Limit = 50,
    offset: Annotated[int, Field(ge=0, description="Number of results to skip.")] = 0,
    scope: p.AnyToolScope = p.DEFAULT_SCOPE,
) -> Timeline:
    """Return changes of every kind with actor and cause. Records of a user are included only if
    user_id names that user."""
    return memory.timelines.list_events(
        **dict(scope),
        entity=entity,
        entity_type=entity_type,
        start=read_moment("start", start).moment,
        end=read_moment("end", end, at_end=True).moment,
        order=order,
        limit=limit,
        offset=offset,
    )


@tool(title="Get temporal neighbors", reads=True)
def get_temporal_neighbors(
    memory: Memory,
    node_id: p.EntityId,
    direction: Annotated[
        Literal["before", "after", "both"], Field(description="Before, after or both.")
    ] = "both",
    depth: p.Depth = 1,
    project_id: p.ProjectId = "default",
) -> TemporalNeighbourhood:
    """Return the neighbours of an entity, nearest in time first, with time distance and path."""
    return memory.timelines.temporal_neighbors(
        node_id, project_id=project_id, direction=direction, depth=depth
    )


@tool(title="Undo", destroys=True)
def undo(
    memory: Memory,
    batch_id: Annotated[
        str, Field(description="The batch to undo, as returned by the operation.")
    ] = "",
    seq: Annotated[int, Field(ge=0, description="Or the sequence number of one change.")] = 0,
    dry_run: Annotated[bool, Field(description="Dry run: only report what would happen.")] = False,
    scope: p.AnyToolScope = p.DEFAULT_SCOPE,
) -> UndoResult:
    """Undo a batch or one change. Records modified since are skipped and reported."""
    return memory.undo.undo(
        batch_id,
        seq=seq,
        dry_run=dry_run,
        **dict(scope),
    )
