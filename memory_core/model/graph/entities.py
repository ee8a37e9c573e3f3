"""The knowledge graph: entities, observations and relations."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from ..base import EmbeddingState, Properties, Value

Status = Literal["active", "archived"]
Direction = Literal["both", "outgoing", "incoming"]


class Entity(Value):
    """A node of the graph: a person, a service, a decision."""

    # Store-wide id that rows refer to. Callers use the key, as id.
    row_id: SkipJsonSchema[str] = Field("", exclude=True)
    id: str = Field(
        description="Entity ID given by the caller or made from the name; unique per project."
    )
    project_id: str = Field(description="Project ID.")
    name: str = Field(description="Name as first written.")
    node_type: str = Field(description="Entity type of the ontology.")
    status: Status = Field("active", description="active or archived.")
    properties: Properties = Field(default_factory=dict, description="JSON properties.")
    aliases: list[str] = Field(default_factory=list, description="Other names.")
    certainty: str = Field("confirmed", description="Certainty given by the source.")
    occurred_at: datetime | None = Field(None, description="When it happened, for events.")
    archived_at: datetime | None = Field(None, description="Time it was archived.")
    archive_reason: str = Field("", description="Why it was archived.")
    created_at: datetime = Field(description="Creation time.")
    updated_at: datetime = Field(description="Time of the last update.")


class Observation(Value):
    """A fact about an entity."""

    id: str = Field(description="Unique observation ID.")
    entity_id: str = Field(description="ID of its entity.")
    content: str = Field(description="Text of the fact.")
    status: Literal["active", "superseded"] = Field("active", description="active or superseded.")
    superseded_by: str = Field("", description="ID of the observation that replaced it.")
    certainty: str = Field("confirmed", description="Certainty given by the source.")
    source: str = Field("", description="Source.")
    session_id: str = Field("", description="ID of the session it was recorded in.")
    occurred_at: datetime | None = Field(None, description="When it happened or was said.")
    valid_from: datetime | None = Field(None, description="Start of validity.")
    valid_to: datetime | None = Field(None, description="End of validity.")
    created_at: datetime = Field(description="Creation time.")
    updated_at: datetime = Field(description="Time of the last update.")


class Relation(Value):
    """A typed edge between two entities."""

    id: str = Field(description="Unique relation ID.")
    from_node_id: str = Field(description="ID of the source entity.")
    to_node_id: str = Field(description="ID of the target entity.")
    relationship_type: str = Field(description="Relation type of the ontology.")
    weight: float = Field(1.0, description="Weight; any number.")
    confidence: float = Field(1.0, description="Confidence, 0 to 1.")
    properties: Properties = Field(default_factory=dict, description="JSON properties.")
    source: str = Field("", description="Source.")
    valid_from: datetime | None = Field(None, description="Start of validity.")
    valid_to: datetime | None = Field(None, description="End of validity.")
    created_at: datetime = Field(description="Creation time.")
    updated_at: datetime = Field(description="Time of the last update.")


class NewObservation(Value):
    """An observation to add."""

    entity_id: str = Field(description="ID of its entity.")
    content: str = Field(description="Text of the fact.")
    certainty: str = Field("confirmed", description="Certainty given by the source.")
    occurred_at: datetime | None = Field(None, description="When it happened or was said.")
    source: str = Field("", description="Source.")
    session_id: str = Field("", description="ID of the session it was recorded in.")


class WrittenEntity(Value):
    """An entity after a write."""

    entity: Entity
    version: int = Field(description="Pass as expected_version to update only this version.")
    already_exists: bool = Field(False, description="Whether it already existed.")
    added: list[str] = Field(
        default_factory=list, description="What was added: observations, aliases, properties."
    )
    kept: list[str] = Field(
        default_factory=list,
        description="Properties whose stored value differs and was kept; use update_entity to "
        "change them.",
    )
    notice: str = Field("", description="What was skipped, and why it is hidden from search.")
    embedding: EmbeddingState = Field(
        description="pending: available to full-text search, vector not yet computed."
    )


class WrittenObservation(Value):
    """An observation after a write."""

    observation: Observation
    version: int = Field(description="Pass as expected_version to update only this version.")
    already_exists: bool = Field(False, description="Whether identical text already existed.")
    superseded: str = Field("", description="ID of the observation it replaced.")
    notice: str = Field("", description="Why it is hidden from search; empty if it is not.")
    embedding: EmbeddingState = Field(
        description="pending: available to full-text search, vector not yet computed."
    )


class WrittenObservations(Value):
    """Results of a batch of observations, in the given order."""

    observations: list[WrittenObservation]
    added: int = Field(description="Number of new observations.")
    already_existed: int = Field(description="Number of observations that already existed.")


class WrittenRelation(Value):
    """A relation after a write."""

    relation: Relation
    already_exists: bool = Field(False, description="Whether the same triple already existed.")
    changed: bool = Field(False, description="Whether an existing relation was updated.")


class DeleteResult(Value):
    """A deleted row. It stays in the history, and undo or restore brings it back."""

    id: str = Field(description="ID of the deleted row.")
    deleted: dict[str, int] = Field(description="Number of deleted rows by kind.")
    batch_id: str = Field(description="Pass to undo to restore everything.")


class MergeResult(Value):
    """The result of a merge."""

    entity: Entity = Field(description="The entity that was kept.")
    merged: list[str] = Field(description="IDs of the entities merged into it.")
    moved: dict[str, int] = Field(description="Number of moved rows by kind.")
    batch_id: str = Field(description="Pass to undo to revert the merge.")


class EntityPage(Value):
    """A page of entities."""

    entities: list[Entity]
    total: int = Field(description="Total number of matches.")
    cursor: str = Field("", description="Pass to get the next page; empty on the last page.")


class Neighbour(Value):
    """An entity near the requested one."""

    entity: Entity
    distance: int = Field(description="Distance in hops from the requested entity.")
    path: list[str] = Field(description="Entity IDs of a shortest path, both ends included.")
    relation: str = Field(description="Type of the last relation on that path.")


class Neighbourhood(Value):
    """The entities around the requested one, nearest first, without itself."""

    node_id: str = Field(description="ID of the requested entity.")
    neighbors: list[Neighbour]
    truncated: bool = Field(False, description="Whether there are more results.")


class HologramNode(Value):
    """One node of a hologram."""

    entity: Entity
    distance: int = Field(
        description="Distance in hops from the requested entity; 0 is the entity itself."
    )
    observations: list[Observation] = Field(description="Newest first, within the budget.")
    observation_count: int = Field(description="Total number of observations.")
    salience: float = Field(0.0, description="Salience, 0 to 1: use, age and degree.")


class Hologram(Value):
    """
    An entity with its surroundings: all nodes within the depth and the relations between them.
    """

    node_id: str = Field(description="ID of the requested entity.")
    depth: int = Field(description="Number of hops followed.")
    nodes: list[HologramNode] = Field(
        description="Nearest first, starting with the requested entity."
    )
    relations: list[Relation] = Field(description="All relations between the returned nodes.")
    truncated: bool = Field(False, description="Whether results were left out.")
    notice: str = Field("", description="What was left out, and how to get it.")
