"""Values of the graph view: nodes, edges, paths and entity cards."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from ..base import Value
from .entities import Entity, Observation, Relation

ChangeMark = Literal["", "added", "changed", "removed"]


class MapFilter(Value):
    """Filter of the entities and relations of a graph view. Empty fields do not filter."""

    node_types: tuple[str, ...] = Field((), description="Entity types.")
    relation_types: tuple[str, ...] = Field((), description="Relation types.")
    status: str = Field("active", description="active, archived or all.")
    dated: Literal["created", "changed"] = Field(
        "created", description="Whether since and until refer to the creation or to any change."
    )
    since: datetime | None = Field(None, description="Inclusive lower bound.")
    until: datetime | None = Field(None, description="Exclusive upper bound.")
    valid_at: datetime | None = Field(
        None, description="Only relations that were valid at this time, or have no validity."
    )


class MapNode(Value):
    """An entity in a graph view."""

    row_id: str = Field(description="Store-wide ID, unique across projects.")
    id: str = Field(description="Entity ID.")
    project_id: str = Field(description="Project ID.")
    name: str = Field(description="Name.")
    node_type: str = Field(description="Entity type.")
    status: str = Field("active", description="active or archived.")
    degree: int = Field(description="Number of relations, including those not returned.")
    observations: int = Field(description="Number of observations.")
    salience: float = Field(description="Salience, 0 to 1.")
    distance: int = Field(0, description="Distance in hops from the central node.")
    community: int = Field(-1, description="Community number, 0 is the largest; -1: none.")
    became: ChangeMark = Field("", description="Change between two points in time, if any.")
    created_at: datetime = Field(description="Creation time.")
    updated_at: datetime = Field(description="Time its own row was last updated.")


class MapEdge(Value):
    """A relation in a graph view."""

    from_row_id: str = Field(description="Row ID of the source node.")
    to_row_id: str = Field(description="Row ID of the target node.")
    relationship_type: str = Field(description="Relation type of the ontology.")
    weight: float = Field(1.0, description="Weight.")
    became: ChangeMark = Field("", description="Change between two points in time, if any.")


class GraphMap(Value):
    """A part of the graph, with total counts."""

    nodes: list[MapNode] = Field(description="Most salient first; around a node, nearest first.")
    edges: list[MapEdge] = Field(description="Relations between the returned nodes.")
    total: int = Field(description="Number of entities matching the filters.")
    type_counts: dict[str, int] = Field(description="Number of matching entities by type.")
    relation_counts: dict[str, int] = Field(description="Number of matching relations by type.")


class PathStep(Value):
    """A relation on a path, in the direction of the path."""

    from_row_id: str = Field(description="Row ID of the entity the step starts at.")
    to_row_id: str = Field(description="Row ID of the entity the step ends at.")
    relationship_type: str = Field(description="Relation type.")
    forward: bool = Field(description="Whether the relation points in the direction of the step.")


class GraphPath(Value):
    """A shortest path between two entities, or how far the search went."""

    start: MapNode
    goal: MapNode
    nodes: list[MapNode] = Field(description="From start to goal; empty if there is no path.")
    steps: list[PathStep] = Field(description="One fewer than the nodes.")
    searched: int = Field(description="Number of entities visited.")
    hops: int = Field(
        description="Length of the path; if none was found, the length that was searched."
    )
    exhausted: bool = Field(
        description="Whether everything reachable from either end was searched, so that no path"
        " exists."
    )


class EntityCardRelation(Value):
    """A relation as seen from one of its ends."""

    relation: Relation
    outgoing: bool = Field(description="Whether it starts at this entity.")
    other: MapNode = Field(description="The entity at the other end.")


class EntityCard(Value):
    """Details of one entity, limited to the newest observations and relations."""

    entity: Entity
    version: int = Field(description="Pass as expected_version to update only this version.")
    actor: str = Field("", description="Who made the newest change.")
    changes: int = Field(
        description="Number of changes to the entity and its observations, creation included."
    )
    observations: list[Observation] = Field(description="Newest first.")
    observation_count: int = Field(description="Total number.")
    relations: list[EntityCardRelation] = Field(description="Newest first.")
    relation_count: int = Field(description="Total number.")


class GraphCounts(Value):
    """Counts of a project, and recent changes."""

    entities: int = Field(description="Number of active entities.")
    archived: int = Field(description="Number of archived entities.")
    observations: int = Field(description="Number of active observations.")
    relations: int = Field(description="Number of relations.")
    documents: int = Field(description="Number of documents.")
    orphans: int = Field(description="Number of active entities without relations.")
    touched: int = Field(description="Number of entities changed since the given time.")
    new: dict[str, int] = Field(description="Number of rows created since that time, by kind.")
