"""Maps of the graph: which nodes and edges to draw, and the card of the one picked."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from ..base import Value
from .entities import Entity, Observation, Relation

ChangeMark = Literal["", "added", "changed", "removed"]


class MapFilter(Value):
    """Which entities and relations a map shows; what is left empty lets everything through."""

    node_types: tuple[str, ...] = Field((), description="Types of the entities.")
    relation_types: tuple[str, ...] = Field((), description="Types of the relations.")
    status: str = Field("active", description="active, archived or all.")
    dated: Literal["created", "changed"] = Field(
        "created", description="What since and until are about: the making, or any change of it."
    )
    since: datetime | None = Field(None, description="At this moment or later.")
    until: datetime | None = Field(None, description="Before this moment.")
    valid_at: datetime | None = Field(
        None, description="Only relations that were true at this moment, or have no bounds."
    )


class MapNode(Value):
    """An entity on a map."""

    row_id: str = Field(description="Store-wide id: unique on a map of all projects too.")
    id: str = Field(description="Id of the entity.")
    project_id: str = Field(description="The project it belongs to.")
    name: str = Field(description="Its name.")
    node_type: str = Field(description="Its type.")
    status: str = Field("active", description="active or archived.")
    degree: int = Field(description="How many relations it has, drawn or not.")
    observations: int = Field(description="How many facts are known of it.")
    salience: float = Field(description="How much it matters, 0 to 1.")
    distance: int = Field(0, description="Hops from the node that the map is around.")
    community: int = Field(-1, description="Number of its community, the largest is 0; -1: none.")
    became: ChangeMark = Field("", description="What became of it between two moments, if it did.")
    created_at: datetime = Field(description="When it was first remembered.")
    updated_at: datetime = Field(description="When its own row was last changed.")


class MapEdge(Value):
    """A relation on a map."""

    from_row_id: str = Field(description="Row id of the node it starts at.")
    to_row_id: str = Field(description="Row id of the node it leads to.")
    relationship_type: str = Field(description="A relation type of the ontology.")
    weight: float = Field(1.0, description="How strong it is.")
    became: ChangeMark = Field("", description="What became of it between two moments, if it did.")


class GraphMap(Value):
    """A part of the graph to be drawn, and how much there is beside it."""

    nodes: list[MapNode] = Field(description="Most salient first; around a node, nearest first.")
    edges: list[MapEdge] = Field(description="Relations among the nodes shown.")
    total: int = Field(description="How many entities match the filters.")
    type_counts: dict[str, int] = Field(description="Entities of each type, whatever is shown.")
    relation_counts: dict[str, int] = Field(description="Relations of each type, likewise.")


class PathStep(Value):
    """One relation on a way, as it is met on the way."""

    from_row_id: str = Field(description="Row id of the entity that the step leaves.")
    to_row_id: str = Field(description="Row id of the entity that it comes to.")
    relationship_type: str = Field(description="The type of the relation.")
    forward: bool = Field(description="Whether the relation points the way of the step.")


class GraphPath(Value):
    """A shortest way between two entities, or how far one was looked for."""

    start: MapNode
    goal: MapNode
    nodes: list[MapNode] = Field(description="From the start to the goal; empty if there is none.")
    steps: list[PathStep] = Field(description="One less than the nodes.")
    searched: int = Field(description="How many entities were looked at.")
    hops: int = Field(description="The way is this long, or is longer than this if none was found.")
    exhausted: bool = Field(
        description="Whether all that either end reaches was looked at: then there is no way."
    )


class EntityCardRelation(Value):
    """A relation as the card of one of its ends shows it."""

    relation: Relation
    outgoing: bool = Field(description="Whether it starts at the entity of the card.")
    other: MapNode = Field(description="The entity at the other end.")


class EntityCard(Value):
    """Everything about one entity that fits beside a map."""

    entity: Entity
    version: int = Field(description="Give it as expected_version to change only this state.")
    actor: str = Field("", description="Who made the newest change.")
    changes: int = Field(
        description="How often it, or what is said of it, was changed; made included."
    )
    observations: list[Observation] = Field(description="Newest first.")
    observation_count: int = Field(description="How many there are in all.")
    relations: list[EntityCardRelation] = Field(description="Newest first.")
    relation_count: int = Field(description="How many there are in all.")


class GraphCounts(Value):
    """How much a project holds, and what came to it lately."""

    entities: int = Field(description="Active entities.")
    archived: int = Field(description="Archived entities.")
    observations: int = Field(description="Observations that hold.")
    relations: int = Field(description="Relations.")
    documents: int = Field(description="Documents.")
    orphans: int = Field(description="Active entities without any relation.")
    touched: int = Field(description="Entities that something changed of since the moment given.")
    new: dict[str, int] = Field(description="Rows of each kind made since that moment.")
