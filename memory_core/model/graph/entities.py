"""The knowledge graph: entities, what was observed of them, how they relate."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from ..base import EmbeddingState, Properties, Value

Status = Literal["active", "archived"]
Direction = Literal["both", "outgoing", "incoming"]


class Entity(Value):
    """A thing that is remembered: a person, a service, a decision."""

    # The store-wide id: what rows refer to. Callers see and give the key, as id.
    row_id: SkipJsonSchema[str] = Field("", exclude=True)
    id: str = Field(description="Id given by the caller or made from the name; unique per project.")
    project_id: str = Field(description="The project it belongs to.")
    name: str = Field(description="Its name as first written.")
    node_type: str = Field(description="A type of the ontology.")
    status: Status = Field("active", description="active or archived.")
    properties: Properties = Field(default_factory=dict, description="Any JSON properties.")
    aliases: list[str] = Field(default_factory=list, description="Other names it is known by.")
    certainty: str = Field("confirmed", description="How sure the source was.")
    occurred_at: datetime | None = Field(None, description="When it happened, if it is an event.")
    archived_at: datetime | None = Field(None, description="When it was archived.")
    archive_reason: str = Field("", description="Why it was archived.")
    created_at: datetime = Field(description="When it was first remembered.")
    updated_at: datetime = Field(description="When it was last changed.")


class Observation(Value):
    """One fact about an entity."""

    id: str = Field(description="Id of the observation, unique in the whole memory.")
    entity_id: str = Field(description="Id of the entity it is about.")
    content: str = Field(description="The fact.")
    status: Literal["active", "superseded"] = Field("active", description="active or superseded.")
    superseded_by: str = Field("", description="Id of the observation that replaced it.")
    certainty: str = Field("confirmed", description="How sure the source was.")
    source: str = Field("", description="Where it came from.")
    session_id: str = Field("", description="The session it was learnt in.")
    occurred_at: datetime | None = Field(None, description="When it happened or was said.")
    valid_from: datetime | None = Field(None, description="From when it was true.")
    valid_to: datetime | None = Field(None, description="Until when it was true.")
    created_at: datetime = Field(description="When it was first remembered.")
    updated_at: datetime = Field(description="When it was last changed.")


class Relation(Value):
    """A typed edge between two entities."""

    id: str = Field(description="Id of the relation, unique in the whole memory.")
    from_node_id: str = Field(description="Id of the entity it starts at.")
    to_node_id: str = Field(description="Id of the entity it leads to.")
    relationship_type: str = Field(description="A relation type of the ontology.")
    weight: float = Field(1.0, description="How strong it is; any number.")
    confidence: float = Field(1.0, description="How sure it is, 0 to 1.")
    properties: Properties = Field(default_factory=dict, description="Any JSON properties.")
    source: str = Field("", description="Where it came from.")
    valid_from: datetime | None = Field(None, description="From when it was true.")
    valid_to: datetime | None = Field(None, description="Until when it was true.")
    created_at: datetime = Field(description="When it was first remembered.")
    updated_at: datetime = Field(description="When it was last changed.")


class NewObservation(Value):
    """An observation to be added."""

    entity_id: str = Field(description="Id of the entity it is about.")
    content: str = Field(description="The fact.")
    certainty: str = Field("confirmed", description="How sure the source was.")
    occurred_at: datetime | None = Field(None, description="When it happened or was said.")
    source: str = Field("", description="Where it came from.")
    session_id: str = Field("", description="The session it was learnt in.")


class WrittenEntity(Value):
    """An entity after a write, and what the write did."""

    entity: Entity
    version: int = Field(description="Give it as expected_version to change only this state.")
    already_exists: bool = Field(False, description="Whether it was there before.")
    added: list[str] = Field(
        default_factory=list, description="What was new: observations, aliases, properties."
    )
    kept: list[str] = Field(
        default_factory=list,
        description="Properties whose stored value differs and was kept; update_entity changes it.",
    )
    notice: str = Field("", description="Why searches do not show it, if they do not.")
    embedding: EmbeddingState = Field(description="pending: found by full text, vector to follow.")


class WrittenObservation(Value):
    """An observation after a write, and what the write did."""

    observation: Observation
    version: int = Field(description="Give it as expected_version to change only this state.")
    already_exists: bool = Field(False, description="Whether identical content was there before.")
    superseded: str = Field("", description="Id of the observation that this one replaced.")
    notice: str = Field("", description="Why searches do not show it, if they do not.")
    embedding: EmbeddingState = Field(description="pending: found by full text, vector to follow.")


class WrittenObservations(Value):
    """What a batch of observations became, in the order given."""

    observations: list[WrittenObservation]
    added: int = Field(description="How many were new.")
    already_existed: int = Field(description="How many were there before.")


class WrittenRelation(Value):
    """A relation after a write, and what the write did."""

    relation: Relation
    already_exists: bool = Field(False, description="Whether the same triple was there before.")
    changed: bool = Field(False, description="Whether an existing one got new values.")


class DeleteResult(Value):
    """What a deletion removed. The past keeps it; undo or restore brings it back."""

    id: str = Field(description="Id of what was deleted.")
    deleted: dict[str, int] = Field(description="How many rows of each kind went.")
    batch_id: str = Field(description="Give it to undo to bring everything back.")


class MergeResult(Value):
    """What a merge did."""

    entity: Entity = Field(description="The entity that was kept.")
    merged: list[str] = Field(description="Ids of the entities that went into it.")
    moved: dict[str, int] = Field(description="How many rows of each kind moved.")
    batch_id: str = Field(description="Give it to undo to take the merge back.")


class EntityPage(Value):
    """A page of entities."""

    entities: list[Entity]
    total: int = Field(description="How many match in all.")
    cursor: str = Field("", description="Give it back for the next page; empty on the last.")


class Neighbour(Value):
    """An entity near the one asked about."""

    entity: Entity
    distance: int = Field(description="Hops from the entity asked about.")
    path: list[str] = Field(description="Ids of the entities on a shortest way, both ends in.")
    relation: str = Field(description="Type of the last relation on that way.")


class Neighbourhood(Value):
    """The entities around one, nearest first; the one asked about is not in it."""

    node_id: str = Field(description="Id of the entity asked about.")
    neighbors: list[Neighbour]
    truncated: bool = Field(False, description="Whether there are more than were asked for.")


class HologramNode(Value):
    """One node of a hologram."""

    entity: Entity
    distance: int = Field(description="Hops from the entity asked about; 0 is itself.")
    observations: list[Observation] = Field(description="Newest first, within the budget.")
    observation_count: int = Field(description="How many observations it has in all.")
    salience: float = Field(0.0, description="How much it matters, 0 to 1: use, age and degree.")


class Hologram(Value):
    """An entity with its surroundings: all nodes within reach and all relations among them."""

    node_id: str = Field(description="Id of the entity asked about.")
    depth: int = Field(description="Hops that were followed.")
    nodes: list[HologramNode] = Field(description="Nearest first; the first is the one asked for.")
    relations: list[Relation] = Field(description="Every relation among the nodes shown.")
    truncated: bool = Field(False, description="Whether something was left out.")
    notice: str = Field("", description="What was left out, and how to get it.")
