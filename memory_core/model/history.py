"""Values of the history: snapshots, differences and the timeline."""

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
    """An entity at a point in time."""

    entity: Entity
    observations: list[Observation] = Field(
        description="Its observations at that time, newest first."
    )
    relations: list[Relation] = Field(description="Its relations at that time, by ID.")
    # For the dashboard: display labels of the relations.
    titles: SkipJsonSchema[list[str]] = Field(default_factory=list, exclude=True)


class SnapshotPage(Value):
    """A page of the graph at a point in time."""

    as_of: datetime = Field(description="The requested time, in UTC.")
    seq: int = Field(
        description="Sequence number of the last change included; the same number returns the "
        "same data."
    )
    entities: list[EntitySnapshot] = Field(description="In order of creation.")
    cursor: str = Field("", description="Pass to get the next page; empty on the last page.")
    notice: str = Field(
        "", description="How an ambiguous time was interpreted, or that older states were trimmed."
    )


class SnapshotNodes(Value):
    """A page of the entities at a point in time, with counts."""

    seq: int = Field(
        description="Sequence number of the last change included; the same number returns the "
        "same data."
    )
    nodes: list[MapNode] = Field(description="In order of creation.")
    cursor: str = Field("", description="Pass to get the next page; empty on the last page.")


class RowChange(Value):
    """A changed row, before and after."""

    kind: Literal["entity", "observation", "relation"] = Field(description="Kind of row.")
    change: ChangeKind = Field(description="added, removed or changed.")
    id: str = Field(description="Row ID; for an entity, its public ID.")
    name: str = Field(description="Label: a name, a fact, or a triple.")
    entity_id: str = Field(description="ID of its entity.")
    before: Properties = Field(description="Changed fields with their old values; empty if added.")
    after: Properties = Field(description="Changed fields with their new values; empty if removed.")
    actor: str = Field(description="Who made the last change.")
    cause: str = Field(description="Operation of the last change.")
    at: datetime = Field(description="Time of the last change.")
    seq: int = Field(description="Sequence number of the last change; accepted by undo.")
    # For dashboard pages that show all projects; callers know the project they requested.
    project_id: SkipJsonSchema[str] = Field("", exclude=True)
    # For the dashboard: like name, but a relation shows the names of its ends.
    title: SkipJsonSchema[str] = Field("", exclude=True)


class Difference(Value):
    """The changes between two points in time."""

    from_timestamp: datetime = Field(description="The earlier time, in UTC.")
    to_timestamp: datetime = Field(description="The later time, in UTC.")
    from_seq: int = Field(description="Sequence number at the earlier time.")
    to_seq: int = Field(description="Sequence number at the later time.")
    counts: dict[str, int] = Field(description="Numbers of changes, such as 'entity added'.")
    changes: list[RowChange] = Field(description="In order of their last change.")
    cursor: str = Field("", description="Pass to get the next page; empty on the last page.")
    notice: str = Field("", description="States that were trimmed, if that affects the result.")


class Event(Value):
    """An event of the timeline."""

    seq: int = Field(description="Sequence number of the change.")
    at: datetime = Field(description="Time it was recorded.")
    event: str = Field(description="Event name, such as 'entity archived'.")
    kind: str = Field(description="entity, observation, relation, document, session, ...")
    id: str = Field(description="Row ID.")
    name: str = Field(description="Label: a name, a fact, or a triple.")
    entity_id: str = Field(description="ID of the related entity, if any.")
    node_type: str = Field("", description="Type of that entity.")
    project_id: str = Field(description="Project ID.")
    actor: str = Field(description="Who made the change: cursor, dashboard, librarian, ...")
    cause: str = Field(description="The operation.")
    batch_id: str = Field(description="ID of the batch; accepted by undo.")
    # For the dashboard: like name, but a relation shows the names of its ends.
    title: SkipJsonSchema[str] = Field("", exclude=True)


class Timeline(Value):
    """Events in chronological order."""

    events: list[Event]
    total: int = Field(description="Total number of matches.")
    offset: int = Field(description="Number of skipped events.")


class EventChange(Value):
    """An event of the timeline and the fields it changed."""

    event: Event
    before: Properties = Field(
        description="Changed fields with their old values; empty if created."
    )
    after: Properties = Field(description="Changed fields with their new values; empty if deleted.")


class TemporalNeighbour(Value):
    """A related entity and its distance in time."""

    entity: Entity
    moment: datetime = Field(description="When it occurred, or its creation time.")
    seconds: float = Field(description="Distance in time in seconds; negative is earlier.")
    distance: int = Field(description="Distance in hops from the requested entity.")
    path: list[str] = Field(description="Entity IDs of a shortest path, both ends included.")


class TemporalNeighbourhood(Value):
    """The entities around the requested one, nearest in time first."""

    node_id: str = Field(description="ID of the requested entity.")
    moment: datetime = Field(description="When it occurred, or its creation time.")
    neighbors: list[TemporalNeighbour]
    truncated: bool = Field(False, description="Whether there are more results.")
