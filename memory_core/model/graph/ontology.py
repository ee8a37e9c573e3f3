"""The ontology: entity types, relation types and the ends they allow."""

from __future__ import annotations

from pydantic import Field

from memory_core.model.base import Value


class EntityType(Value):
    name: str = Field(description="Name in lower_snake_case.")
    description: str = Field(default="", description="Description of the type.")
    aliases: tuple[str, ...] = Field(default=(), description="Synonyms of the type.")


class RelationType(Value):
    name: str = Field(description="Name in UPPER_SNAKE_CASE.")
    description: str = Field(default="", description="Meaning of the relation.")
    aliases: tuple[str, ...] = Field(default=(), description="Synonyms, such as 'lives in'.")
    inverse_aliases: tuple[str, ...] = Field(
        default=(),
        description="Synonyms with the ends swapped, such as 'employs' for WORKS_AT.",
    )
    domain: tuple[str, ...] = Field(
        default=("*",), description="Entity types allowed as source; * for any."
    )
    range: tuple[str, ...] = Field(
        default=("*",), description="Entity types allowed as target; * for any."
    )
    symmetric: bool = Field(default=False, description="Whether the relation has no direction.")
    inverse: str = Field(
        default="", description="The relation type with the same meaning and the ends swapped."
    )
    bridge: bool = Field(
        default=False, description="Whether its ends may be in different projects."
    )


class SuggestedRelation(Value):
    from_type: str = Field(description="Entity type; * for any.")
    to_type: str = Field(description="Entity type; * for any.")
    relation_type: str = Field(description="The relation type to propose.")


class Ontology(Value):
    custom_entity_types: bool = Field(
        default=False, description="Whether unlisted entity types are accepted."
    )
    custom_relation_types: bool = Field(
        default=False, description="Whether unlisted relation types are accepted."
    )
    entity_types: tuple[EntityType, ...]
    relation_types: tuple[RelationType, ...]
    suggested_relations: tuple[SuggestedRelation, ...] = ()

    def __hash__(self) -> int:
        # The compiled ontology is cached by this hash and looked up on every call; hashing
        # hundreds of words would cost more than the lookup.
        return hash((len(self.entity_types), len(self.relation_types)))
