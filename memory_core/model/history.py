"""The past: what was known at a moment, what changed between two, and who changed it."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from .base import Properties, Value
from .graph.entities import Entity, Observation, Relation
from .graph.graph_view import MapNode

ChangeKind = Literal["added", "removed", "changed"]


class EntitySnapshot(Value):
    """An entity as it was known at a moment."""

    entity: Entity
    observations: list[Observation] = Field(description="What was known of it, newest first.")
    relations: list[Relation] = Field(description="Its relations, by id.")
    # For pages: the relations once more, as a person calls them.
    titles: SkipJsonSchema[list[str]] = Field(default_factory=list, exclude=True)


class SnapshotPage(Value):
    """The graph as it was known at a moment, page by page."""

    as_of: datetime = Field(description="The moment asked about, in UTC.")
    seq: int = Field(description="The last change before it: the same number, the same answer.")
    entities: list[EntitySnapshot] = Field(description="In the order they were first remembered.")
    cursor: str = Field("", description="Give it back for the next page; empty on the last.")
    notice: str = Field("", description="How the moment was read, where it could be misread.")


class SnapshotNodes(Value):
    """The entities known at a moment, page by page, each with how much was known of it."""

    seq: int = Field(description="The last change before it: the same number, the same answer.")
    nodes: list[MapNode] = Field(description="In the order they were first remembered.")
    cursor: str = Field("", description="Give it back for the next page; empty on the last.")


class RowChange(Value):
    """What one row was before and after."""

    kind: Literal["entity", "observation", "relation"] = Field(description="What kind of row.")
    change: ChangeKind = Field(description="added, removed or changed.")
    id: str = Field(description="Id of the row; of an entity, the one its users give.")
    name: str = Field(description="What it is called: a name, a fact, or a triple.")
    entity_id: str = Field(description="The entity it belongs to.")
    before: Properties = Field(description="Fields that differ, as they were; empty if added.")
    after: Properties = Field(description="Fields that differ, as they became; empty if removed.")
    actor: str = Field(description="Who made the last of the changes.")
    cause: str = Field(description="The act the last change belongs to.")
    at: datetime = Field(description="When the last change was made.")
    seq: int = Field(description="Number of the last change; undo takes it.")
    # For pages that show every project at once; a caller has named the one it asked about.
    project_id: SkipJsonSchema[str] = Field("", exclude=True)
    # For pages: the name, but of a relation with the names of its ends.
    title: SkipJsonSchema[str] = Field("", exclude=True)


class Difference(Value):
    """What changed between two moments."""

    from_timestamp: datetime = Field(description="The earlier moment, in UTC.")
    to_timestamp: datetime = Field(description="The later moment, in UTC.")
    from_seq: int = Field(description="The last change at the earlier moment.")
    to_seq: int = Field(description="The last change at the later moment.")
    counts: dict[str, int] = Field(description="How many of each, such as 'entity added'.")
    changes: list[RowChange] = Field(description="In the order they were last changed.")
    cursor: str = Field("", description="Give it back for the next page; empty on the last.")


class Event(Value):
    """One entry of the timeline."""

    seq: int = Field(description="Number of the change.")
    at: datetime = Field(description="When it was recorded.")
    event: str = Field(description="What happened, such as 'entity archived'.")
    kind: str = Field(description="entity, observation, relation, document, session, ...")
    id: str = Field(description="Id of the row it happened to.")
    name: str = Field(description="What it is called: a name, a fact, or a triple.")
    entity_id: str = Field(description="The entity it is about, if any.")
    node_type: str = Field("", description="The type of that entity.")
    project_id: str = Field(description="The project.")
    actor: str = Field(description="Who did it: cursor, dashboard, librarian, ...")
    cause: str = Field(description="The act it belongs to.")
    batch_id: str = Field(description="All changes of that act; undo takes it.")
    # For pages: the name, but of a relation with the names of its ends.
    title: SkipJsonSchema[str] = Field("", exclude=True)


class Timeline(Value):
    """Events in order of time."""

    events: list[Event]
    total: int = Field(description="How many match in all.")
    offset: int = Field(description="How many were passed over.")


class EventChange(Value):
    """One entry of the timeline, and what it changed in its row."""

    event: Event
    before: Properties = Field(description="Fields that differ, as they were; empty if created.")
    after: Properties = Field(description="Fields that differ, as they became; empty if deleted.")


class TemporalNeighbour(Value):
    """A related entity and how far away in time it lies."""

    entity: Entity
    moment: datetime = Field(description="When it occurred, or was first remembered.")
    seconds: float = Field(description="Its distance in time; negative is before.")
    distance: int = Field(description="Hops from the entity asked about.")
    path: list[str] = Field(description="Ids of the entities on a shortest way, both ends in.")


class TemporalNeighbourhood(Value):
    """The entities around one, nearest in time first."""

    node_id: str = Field(description="Id of the entity asked about.")
    moment: datetime = Field(description="When it occurred, or was first remembered.")
    neighbors: list[TemporalNeighbour]
    truncated: bool = Field(False, description="Whether there are more than were asked for.")
