"""The vocabulary of the graph: which types there are and what may be related to what."""

from __future__ import annotations

from pydantic import Field

from memory_core.model.base import Value


class EntityType(Value):
    name: str = Field(description="How the type is written, in lower_snake_case.")
    description: str = Field(default="", description="What is of this type.")
    aliases: tuple[str, ...] = Field(default=(), description="Other words for the same type.")


class RelationType(Value):
    name: str = Field(description="How the type is written, in UPPER_SNAKE_CASE.")
    description: str = Field(default="", description="What it says of its two ends.")
    aliases: tuple[str, ...] = Field(default=(), description="Other words for it, e.g. 'lives in'.")
    inverse_aliases: tuple[str, ...] = Field(
        default=(),
        description="Words that say it the other way round, e.g. 'employs' for WORKS_AT.",
    )
    domain: tuple[str, ...] = Field(
        default=("*",), description="The entity types it may start from; * is any."
    )
    range: tuple[str, ...] = Field(
        default=("*",), description="The entity types it may lead to; * is any."
    )
    symmetric: bool = Field(
        default=False, description="Whether A to B and B to A are one relation."
    )
    inverse: str = Field(
        default="", description="The relation type that says the same from the other end."
    )
    bridge: bool = Field(default=False, description="Whether its ends may be in two projects.")


class SuggestedRelation(Value):
    from_type: str = Field(description="An entity type; * is any.")
    to_type: str = Field(description="An entity type; * is any.")
    relation_type: str = Field(description="The relation to propose between the two.")


class Ontology(Value):
    custom_entity_types: bool = Field(
        default=False, description="Whether entity types that are not listed are accepted."
    )
    custom_relation_types: bool = Field(
        default=False, description="Whether relation types that are not listed are accepted."
    )
    entity_types: tuple[EntityType, ...]
    relation_types: tuple[RelationType, ...]
    suggested_relations: tuple[SuggestedRelation, ...] = ()

    def __hash__(self) -> int:
        # Rules look up what they compiled from an ontology on every call; hashing
        # hundreds of words each time would cost more than the look-up.
        return hash((len(self.entity_types), len(self.relation_types)))
