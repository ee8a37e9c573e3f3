"""Tools: entities, observations and relations."""

from __future__ import annotations

from typing import Annotated, TypeVar

from pydantic import Field, JsonValue, TypeAdapter, WithJsonSchema
from pydantic import ValidationError as PydanticValidationError

from ...errors import ValidationError
from ...memory import Memory
from ...model.graph.entities import (
    DeleteResult,
    EntityPage,
    MergeResult,
    NewObservation,
    WrittenEntity,
    WrittenObservation,
    WrittenObservations,
    WrittenRelation,
)
from ...model.graph.ontology import Ontology
from ...rules.graph.ontology import describe_ontology
from ...rules.timestamps import parse_moment
from ..calls import parameters as p
from ..calls.arguments import is_empty
from ..calls.provided_arguments import was_given
from ..calls.registry import tool

T = TypeVar("T")

ObservationId = Annotated[str, Field(description="Id of the observation.")]
Name = Annotated[str, Field(description="Name of the entity.")]
Aliases = Annotated[list[str], Field(description="Alternative names.")]
NewObservations = Annotated[
    list[dict[str, JsonValue]],
    Field(
        description="Objects with entity_id, content and, optionally, the arguments of "
        "add_observation."
    ),
    WithJsonSchema(
        {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {name: {"type": "string"} for name in NewObservation.model_fields},
                "required": ["entity_id", "content"],
                "additionalProperties": False,
            },
        }
    ),
]
_NEW_OBSERVATIONS = TypeAdapter(list[NewObservation])


@tool(title="Create entity", idempotent=True)
def create_entity(
    memory: Memory,
    name: Name,
    node_type: p.NodeType,
    id: Annotated[str, Field(description="Custom id; derived from the name if empty.")] = "",
    properties: p.Properties = {},
    observations: Annotated[list[str], Field(description="Initial facts about it.")] = [],
    aliases: Aliases = [],
    certainty: p.Certainty = "confirmed",
    occurred_at: p.OccurredAt = "",
    project_id: p.ProjectId = "default",
) -> WrittenEntity:
    """Create an entity: a person, service, project, file, decision or idea. An existing name and
    type is updated and returned as already_exists."""
    return memory.graph.create_entity(
        name,
        node_type,
        project_id=project_id,
        id=id,
        properties=properties,
        observations=observations,
        aliases=aliases,
        certainty=certainty,
        occurred_at=parse_moment("occurred_at", occurred_at),
    )


@tool(title="Update entity", idempotent=True)
def update_entity(
    memory: Memory,
    id: p.EntityId,
    name: Annotated[str, Field(description="New name; empty: unchanged.")] = "",
    node_type: Annotated[str, Field(description="New type; empty: unchanged.")] = "",
    properties: p.Properties = {},
    remove_properties: Annotated[list[str], Field(description="Properties to remove.")] = [],
    aliases: Annotated[list[str], Field(description="Alternative names to add.")] = [],
    certainty: Annotated[str, Field(description="New certainty; empty: unchanged.")] = "",
    expected_version: p.ExpectedVersion = 0,
    project_id: p.ProjectId = "default",
) -> WrittenEntity:
    """Update the given fields of an entity. Properties are merged."""
    return memory.graph.update_entity(
        id,
        project_id=project_id,
        name=name,
        node_type=node_type,
        properties=properties,
        remove_properties=remove_properties,
        aliases=aliases,
        certainty=certainty,
        expected_version=expected_version,
    )


@tool(title="Add observation", idempotent=True)
def add_observation(
    memory: Memory,
    entity_id: p.EntityId,
    content: p.Content,
    certainty: p.Certainty = "confirmed",
    occurred_at: p.OccurredAt = "",
    source: p.Source = "",
    session_id: p.SessionId = "",
    project_id: p.ProjectId = "default",
) -> WrittenObservation:
    """Add one fact to an entity, as one full sentence. It can be found immediately."""
    return memory.observations.add_observation(
        entity_id,
        content,
        project_id=project_id,
        certainty=certainty,
        occurred_at=parse_moment("occurred_at", occurred_at),
        source=source,
        session_id=session_id,
    )


@tool(title="Add many observations", idempotent=True)
def add_observations(
    memory: Memory, observations: NewObservations, project_id: p.ProjectId = "default"
) -> WrittenObservations:
    """Add many facts in one batch: all of them, or none if one is invalid."""
    return memory.observations.add_observations(
        _new_observations(observations), project_id=project_id
    )


@tool(title="Correct observation", idempotent=True)
def update_observation(
    memory: Memory,
    id: ObservationId,
    content: p.Content,
    certainty: Annotated[str, Field(description="New certainty; empty: unchanged.")] = "",
    occurred_at: p.OccurredAt = "",
    source: p.Source = "",
    valid_from: p.ValidFrom = "",
    valid_to: p.ValidTo = "",
    expected_version: p.ExpectedVersion = 0,
    project_id: p.ProjectId = "default",
) -> WrittenObservation:
    """
    Correct a fact that was wrong. For a fact that is no longer true use supersede_observation.
    """
    return memory.observations.update_observation(
        id,
        content,
        project_id=project_id,
        certainty=certainty,
        occurred_at=parse_moment("occurred_at", occurred_at),
        source=source,
        valid_from=parse_moment("valid_from", valid_from),
        valid_to=parse_moment("valid_to", valid_to),
        expected_version=expected_version,
    )


@tool(title="Supersede observation")
def supersede_observation(
    memory: Memory,
    id: ObservationId,
    content: p.Content,
    valid_from: p.ValidFrom = "",
    project_id: p.ProjectId = "default",
) -> WrittenObservation:
    """Replace a fact that is no longer true. Its validity ends; both facts are kept and linked."""
    return memory.observations.supersede_observation(
        id, content, project_id=project_id, valid_from=parse_moment("valid_from", valid_from)
    )


@tool(title="Delete observation", destroys=True)
def delete_observation(
    memory: Memory, id: ObservationId, project_id: p.ProjectId = "default"
) -> DeleteResult:
    """Delete one fact. It stays in the history."""
    return memory.observations.delete_observation(id, project_id=project_id)


@tool(title="Create relationship", idempotent=True)
def create_relationship(
    memory: Memory,
    from_node_id: p.EntityId,
    to_node_id: p.EntityId,
    relationship_type: p.RelationshipType,
    weight: Annotated[float, Field(description="Strength of the relation.")] = 1.0,
    confidence: Annotated[float, Field(ge=0, le=1, description="Confidence, 0 to 1.")] = 1.0,
    properties: p.Properties = {},
    valid_from: p.ValidFrom = "",
    valid_to: p.ValidTo = "",
    project_id: p.ProjectId = "default",
) -> WrittenRelation:
    """Create a typed relation between two entities. An existing relation is updated with the given
    fields."""
    return memory.relations.create_relation(
        from_node_id,
        to_node_id,
        relationship_type,
        project_id=project_id,
        weight=_if_given("weight", weight),
        confidence=_if_given("confidence", confidence),
        properties=_if_given("properties", properties),
        valid_from=parse_moment("valid_from", valid_from),
        valid_to=parse_moment("valid_to", valid_to),
    )


@tool(title="Delete relationship", destroys=True)
def delete_relationship(
    memory: Memory,
    from_node_id: p.EntityId,
    to_node_id: p.EntityId,
    relationship_type: p.RelationshipType,
    project_id: p.ProjectId = "default",
) -> DeleteResult:
    """Delete one relation. It stays in the history."""
    return memory.relations.delete_relation(
        from_node_id, to_node_id, relationship_type, project_id=project_id
    )


@tool(title="Delete entity", destroys=True)
def delete_entity(
    memory: Memory, id: p.EntityId, project_id: p.ProjectId = "default"
) -> DeleteResult:
    """Delete an entity with its observations and relations. They stay in the history."""
    return memory.graph.delete_entity(id, project_id=project_id)


@tool(title="Merge entities", destroys=True)
def merge_entities(
    memory: Memory,
    keep_id: p.EntityId,
    merge_ids: Annotated[list[str], Field(description="Ids of the entities to merge into it.")],
    project_id: p.ProjectId = "default",
) -> MergeResult:
    """Merge entities into one: names, properties, observations and relations move to it."""
    return memory.graph.merge_entities(keep_id, merge_ids, project_id=project_id)


@tool(title="List entities", reads=True)
def list_entities(
    memory: Memory,
    node_type: Annotated[str, Field(description="Only this type; empty for all.")] = "",
    status: p.StatusFilter = "active",
    query: Annotated[str, Field(description="Substring of names and aliases.")] = "",
    limit: p.Limit = 50,
    cursor: p.Cursor = "",
    project_id: p.AnyProjectId = "default",
) -> EntityPage:
    """List entities by name, in pages."""
    return memory.graph.list_entities(
        project_id=project_id,
        node_type=node_type,
        status=status,
        query=query,
        limit=limit,
        cursor=cursor,
    )


@tool(title="Get ontology", reads=True)
def get_ontology(
    memory: Memory,
    from_type: Annotated[
        str, Field(description="Only relation types that may start at this entity type.")
    ] = "",
    to_type: Annotated[
        str, Field(description="Only relation types that may end at this entity type.")
    ] = "",
    details: Annotated[
        bool, Field(description="Also synonyms, and the types that each relation connects.")
    ] = False,
) -> Ontology:
    """Return the entity types and relation types, or the relation types between two entity
    types."""
    return describe_ontology(memory.ontology, from_type, to_type, details=details)


def _if_given(name: str, value: T) -> T | None:
    return value if was_given(name) else None


def _new_observations(given: list[dict[str, JsonValue]]) -> list[NewObservation]:
    """Read the items of a batch; raise ValidationError naming the first one that is wrong."""
    given = [_without_empty(item) for item in given]
    for place, item in enumerate(given):
        item["occurred_at"] = _moment_of(place, item)
    try:
        return _NEW_OBSERVATIONS.validate_python(given)
    except PydanticValidationError as error:
        broken = error.errors(include_url=False)[0]
        where = "".join(f"[{part!r}]" for part in broken["loc"])
        raise ValidationError(
            f"observations{where}: {broken['msg']}. Each item has entity_id and content and may "
            f"have {', '.join(list(NewObservation.model_fields)[2:])}."
        ) from error


def _without_empty(item: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Leave out the optional fields of *item* that are empty."""
    fields = NewObservation.model_fields
    return {
        name: value
        for name, value in item.items()
        if not (is_empty(value) and name in fields and not fields[name].is_required())
    }


def _moment_of(place: int, item: dict[str, JsonValue]) -> JsonValue:
    read = parse_moment(f"observations[{place}].occurred_at", str(item.get("occurred_at") or ""))
    return read.isoformat() if read else None
