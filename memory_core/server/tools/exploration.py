"""Tools: neighbourhood of an entity."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ...memory import Memory
from ...model.graph.entities import Hologram, Neighbourhood
from ..calls import parameters as p
from ..calls.registry import tool


@tool(title="Get hologram", reads=True)
def get_hologram(
    memory: Memory,
    node_id: p.EntityId,
    depth: p.Depth = 1,
    max_nodes: Annotated[int, Field(ge=1, le=500, description="Maximum number of nodes.")] = 50,
    include_archived: p.IncludeArchived = False,
    project_id: p.ProjectId = "default",
) -> Hologram:
    """Return an entity with its observations, relations and neighbourhood."""
    return memory.exploration.hologram(
        node_id,
        project_id=project_id,
        depth=depth,
        max_nodes=max_nodes,
        include_archived=include_archived,
    )


@tool(title="Get neighbors", reads=True)
def get_neighbors(
    memory: Memory,
    node_id: p.EntityId,
    depth: p.Depth = 1,
    relationship_type: Annotated[str, Field(description="Follow only this relation type.")] = "",
    direction: Annotated[
        Literal["both", "outgoing", "incoming"],
        Field(description="Direction of relations to follow."),
    ] = "both",
    project_id: p.ProjectId = "default",
) -> Neighbourhood:
    """Return the neighbours of an entity, with distance and a shortest path."""
    return memory.exploration.neighbors(
        node_id,
        project_id=project_id,
        depth=depth,
        relationship_type=relationship_type,
        direction=direction,
    )
