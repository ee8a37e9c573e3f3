"""Parameters that many tools share, described once."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, JsonValue, WithJsonSchema

ProjectId = Annotated[str, Field(description="The project; projects never see each other.")]
AnyProjectId = Annotated[str, Field(description='The project, or "*" for all projects.')]
EntityId = Annotated[str, Field(description="Id of the entity (its unique name works too).")]
NodeType = Annotated[str, Field(description="An entity type; get_ontology lists them.")]
RelationshipType = Annotated[
    str, Field(description="Relation type of the ontology, or an alias of it, in any letter case.")
]
Properties = Annotated[
    dict[str, JsonValue],
    Field(description="A JSON object of properties."),
    WithJsonSchema({"type": "object", "additionalProperties": True}),
]
_TEXT = {"type": "string"}
Messages = Annotated[
    list[JsonValue],
    Field(description="The conversation: objects with role and content."),
    WithJsonSchema(
        {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"role": _TEXT, "content": _TEXT, "name": _TEXT},
                "required": ["content"],
            },
        }
    ),
]
Content = Annotated[str, Field(description="The fact, best as one sentence that stands alone.")]
Certainty = Annotated[str, Field(description="How sure it is: confirmed, likely, rumoured, ...")]
OccurredAt = Annotated[str, Field(description="When it happened (ISO 8601; without zone: UTC).")]
Source = Annotated[str, Field(description="Where it comes from: a file, a person, an address.")]
SessionId = Annotated[str, Field(description="The session it belongs to.")]
UserId = Annotated[str, Field(description="Only what belongs to this user.")]
AgentId = Annotated[str, Field(description="Only what belongs to this agent.")]
ValidFrom = Annotated[str, Field(description="From when it is true (ISO 8601).")]
ValidTo = Annotated[str, Field(description="Until when it is true (ISO 8601).")]
ExpectedVersion = Annotated[
    int, Field(ge=0, description="The version you saw; a newer one is a conflict. 0: do not check.")
]
WithBackup = Annotated[bool, Field(description="Whether a backup is made first.")]
Limit = Annotated[int, Field(ge=1, le=500, description="How many at most.")]
Cursor = Annotated[str, Field(description="The cursor of the page before; empty for the first.")]
Depth = Annotated[int, Field(ge=0, le=6, description="How many hops to follow.")]
StatusFilter = Annotated[
    Literal["active", "archived", "all"], Field(description="active, archived or all.")
]
IncludeArchived = Annotated[bool, Field(description="Whether archived entities are shown too.")]
