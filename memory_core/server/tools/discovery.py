"""Similar things that nobody has related yet."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from ...memory import Memory
from ...model.graph.discovery import BackgroundStatus, DiscoveryRun, Radar
from ..calls import parameters as p
from ..calls.registry import tool

Threshold = Annotated[
    float, Field(ge=0, le=1, description="How alike two entities must be, 0 to 1.")
]


@tool(title="Scan for similar entities")
def semantic_radar(
    memory: Memory,
    similarity_threshold: Threshold = 0.7,
    limit: Annotated[int, Field(ge=1, le=200, description="How many pairs at most.")] = 50,
    auto_create: Annotated[
        bool, Field(description="Whether to make the relations of the pairs that are returned.")
    ] = False,
    project_id: p.ProjectId = "default",
) -> Radar:
    """Find similar entities with no relation between them, and a relation type for each pair."""
    return memory.discovery.radar(
        similarity_threshold, limit=limit, auto_create=auto_create, project_id=project_id
    )


@tool(title="Discover relations", idempotent=True)
def run_relationship_discovery(
    memory: Memory,
    similarity_threshold: Threshold = 0.7,
    auto_create: Annotated[
        bool, Field(description="Make the relations; else they wait as suggestions.")
    ] = True,
    project_id: p.ProjectId = "default",
) -> DiscoveryRun:
    """Relate all similar entities of a project that are not related yet; one undo removes them."""
    return memory.discovery.run(
        similarity_threshold, auto_create=auto_create, project_id=project_id
    )


@tool(title="Get background discovery status", reads=True)
def get_background_discovery_status(memory: Memory) -> BackgroundStatus:
    """Return whether discovery runs in the background, where, how often, and what it found."""
    return memory.discovery.status()


@tool(title="Set background discovery", idempotent=True)
def set_background_discovery(
    memory: Memory,
    enabled: Annotated[bool, Field(description="On or off, kept across restarts.")],
    interval_seconds: Annotated[
        int, Field(ge=-1, le=86_400, description="Seconds between runs, at least 10; -1: keep.")
    ] = -1,
    similarity_threshold: Annotated[
        float, Field(ge=-1, le=1, description="How alike a pair must be, 0 to 1; -1: keep.")
    ] = -1,
) -> BackgroundStatus:
    """Switch on or off the search for relations in the background; it only makes suggestions."""
    return memory.discovery.set_background(
        enabled=enabled,
        interval_seconds=interval_seconds,
        similarity_threshold=similarity_threshold,
    )
