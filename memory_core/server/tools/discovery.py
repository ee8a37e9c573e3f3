"""Tools: similar entities and background discovery."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from ...memory import Memory
from ...model.graph.discovery import BackgroundStatus, DiscoveryRun, Radar
from ..calls import parameters as p
from ..calls.registry import tool

Threshold = Annotated[
    float, Field(ge=0, le=1, description="Minimum similarity of two entities, 0 to 1.")
]


@tool(title="Scan for similar entities")
def semantic_radar(
    memory: Memory,
    similarity_threshold: Threshold = 0.7,
    limit: Annotated[int, Field(ge=1, le=200, description="Maximum number of pairs.")] = 50,
    auto_create: Annotated[
        bool, Field(description="Create the relations of the returned pairs.")
    ] = False,
    project_id: p.ProjectId = "default",
) -> Radar:
    """Find similar entities that are not related yet, with a suggested relation type for each
    pair."""
    return memory.discovery.find_candidates(
        similarity_threshold, limit=limit, auto_create=auto_create, project_id=project_id
    )


@tool(title="Discover relations", idempotent=True)
def run_relationship_discovery(
    memory: Memory,
    similarity_threshold: Threshold = 0.7,
    auto_create: Annotated[
        bool, Field(description="Create the relations; otherwise they are suggestions.")
    ] = True,
    project_id: p.ProjectId = "default",
) -> DiscoveryRun:
    """Relate all similar entities of a project that are not related yet. One undo removes the
    relations."""
    return memory.discovery.discover_relations(
        similarity_threshold, auto_create=auto_create, project_id=project_id
    )


@tool(title="Get background discovery status", reads=True)
def get_background_discovery_status(memory: Memory) -> BackgroundStatus:
    """Return the state of background discovery: enabled, process, interval and results."""
    return memory.discovery.background_status()


@tool(title="Set background discovery", idempotent=True)
def set_background_discovery(
    memory: Memory,
    enabled: Annotated[bool, Field(description="Enabled or not; persists across restarts.")],
    interval_seconds: Annotated[
        int,
        Field(ge=-1, le=86_400, description="Seconds between runs, at least 10; -1: unchanged."),
    ] = -1,
    similarity_threshold: Annotated[
        float, Field(ge=-1, le=1, description="Minimum similarity, 0 to 1; -1: unchanged.")
    ] = -1,
) -> BackgroundStatus:
    """Enable or disable background discovery of relations. It only creates suggestions."""
    return memory.discovery.set_background(
        enabled=enabled,
        interval_seconds=interval_seconds,
        similarity_threshold=similarity_threshold,
    )
