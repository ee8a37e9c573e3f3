"""Parameters that many tools share, described once."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, JsonValue, WithJsonSchema

from ...model.scope import Scope
from .signature import ScopeArguments

MinRelevance = Annotated[
    float, Field(ge=0, le=1, description="Leave out hits of a lower relevance; 0 returns all.")
]
ProjectId = Annotated[str, Field(description="The project. Projects are isolated from each other.")]
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
Content = Annotated[str, Field(description="The fact, preferably as one self-contained sentence.")]
Certainty = Annotated[str, Field(description="Certainty: confirmed, likely, rumoured, ...")]
OccurredAt = Annotated[str, Field(description="When it happened (ISO 8601; without zone: UTC).")]
Source = Annotated[str, Field(description="Source: a file, a person, a URL.")]
SessionId = Annotated[str, Field(description="Session of the records.")]
UserId = Annotated[
    str,
    Field(description="User of the records; records of other users are never returned or changed."),
]
AgentId = Annotated[str, Field(description="Agent of the records.")]
OWNER = {"user_id": UserId, "agent_id": AgentId, "session_id": SessionId}
ToolScope = Annotated[Scope, ScopeArguments(project_id=ProjectId, **OWNER)]
AnyToolScope = Annotated[Scope, ScopeArguments(project_id=AnyProjectId, **OWNER)]
SearchScope = Annotated[Scope, ScopeArguments(**OWNER, project_id=AnyProjectId)]
DEFAULT_SCOPE = Scope()
ValidFrom = Annotated[str, Field(description="Start of validity (ISO 8601).")]
ValidTo = Annotated[str, Field(description="End of validity (ISO 8601).")]
ExpectedVersion = Annotated[
    int, Field(ge=0, description="Version you read; a newer one is a conflict. 0: no check.")
]
WithBackup = Annotated[bool, Field(description="Create a backup first.")]
Limit = Annotated[int, Field(ge=1, le=500, description="Maximum number of results.")]
Cursor = Annotated[str, Field(description="Cursor of the previous page; empty for the first.")]
Depth = Annotated[int, Field(ge=0, le=6, description="Number of hops to follow.")]
StatusFilter = Annotated[
    Literal["active", "archived", "all"], Field(description="active, archived or all.")
]
IncludeArchived = Annotated[bool, Field(description="Include archived entities.")]
