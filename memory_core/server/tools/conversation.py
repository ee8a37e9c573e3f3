"""Tools: facts about users, agents and sessions."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, JsonValue, WithJsonSchema

from ...errors import ForbiddenError, ValidationError
from ...memory import Memory
from ...model.facts.extraction import Message
from ...model.facts.facts import (
    ChangedFact,
    DeletedFact,
    FactPage,
    JobPage,
    RecallResult,
    RememberResult,
)
from ...model.maintenance import OwnerEraseResult
from ...model.scope import Scope
from ...rules.facts.conversation import parse_messages
from ...rules.limits import RELEVANCE_FLOOR
from ..calls import parameters as p
from ..calls.registry import tool
from ..calls.sampling import remembered_by_client

_TEXT = {"type": "string"}

Facts = Annotated[
    list[JsonValue],
    Field(description="Objects with content, and optionally category and occurred_at."),
    WithJsonSchema(
        {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"content": _TEXT, "category": _TEXT, "occurred_at": _TEXT},
                "required": ["content"],
            },
        }
    ),
]
Text = Annotated[str, Field(description="Text, instead of messages.")]
Metadata = Annotated[
    dict[str, JsonValue],
    Field(description="A JSON object stored with each fact."),
    WithJsonSchema({"type": "object", "additionalProperties": True}),
]
FactId = Annotated[str, Field(description="Id of the fact.")]
JobId = Annotated[str, Field(description="Id of the job.")]
JobStatus = Annotated[
    Literal[
        "",
        "pending",
        "waiting_for_assistant",
        "failed",
        "stored",
        "deferred",
        "duplicate",
        "nothing_memorable",
    ],
    Field(description="Job status; empty for all."),
]


_JobProjectId = Annotated[str, Field(description="Project of the job; empty for any.")]
JobScope = Annotated[Scope, p.ScopeArguments(project_id=_JobProjectId, **p.OWNER)]
_ANY_JOB = Scope(project_id="")


@tool(title="Remember")
def remember(
    memory: Memory,
    text: Text = "",
    messages: p.Messages = [],
    metadata: Metadata = {},
    infer: Annotated[bool, Field(description="false: store the text verbatim.")] = True,
    scope: p.ToolScope = p.DEFAULT_SCOPE,
) -> RememberResult:
    """Store facts about a user, agent or session from text or a conversation. For facts about
    things use add_observation. The outcome reports what was stored."""
    said = _parse_input(text, messages)
    done = remembered_by_client(memory, said, scope, metadata=metadata) if infer else None
    return done or memory.conversation.add_messages(said, scope, metadata=metadata, infer=infer)


@tool(title="Extract facts")
def memory_extract(
    memory: Memory,
    messages: p.Messages = [],
    text: Text = "",
    metadata: Metadata = {},
    scope: p.ToolScope = p.DEFAULT_SCOPE,
) -> RememberResult:
    """Store a conversation and extract its facts. Without a configured extractor, returns
    instructions for extracting them yourself."""
    said = _parse_input(text, messages)
    done = remembered_by_client(memory, said, scope, metadata=metadata)
    return done or memory.conversation.extract_facts(said, scope, metadata=metadata)


@tool(title="Submit extracted facts")
def memory_extract_submit(
    memory: Memory,
    job_id: JobId,
    facts: Facts,
    scope: JobScope = _ANY_JOB,
) -> RememberResult:
    """Store the facts that you extracted from a job's conversation, in the format that
    memory_extract returned."""
    scope = scope.model_copy(update={"project_id": scope.project_id or "*"})
    return memory.conversation.submit_facts(job_id, facts, scope)


@tool(title="List extraction jobs", reads=True)
def list_extraction_jobs(
    memory: Memory,
    status: JobStatus = "",
    job_id: Annotated[str, Field(description="Return only this job, with its conversation.")] = "",
    limit: p.Limit = 50,
    cursor: p.Cursor = "",
    scope: p.AnyToolScope = p.DEFAULT_SCOPE,
) -> JobPage:
    """List extraction jobs: conversations that are extracted, failed or waiting. Newest first."""
    if job_id:
        return memory.conversation.transcript(job_id, scope, cursor=cursor)
    return memory.conversation.list_jobs(scope, status=status, limit=limit, cursor=cursor)


@tool(title="Recall", reads=True)
def recall(
    memory: Memory,
    query: Annotated[str, Field(description="A question or keywords.")],
    limit: Annotated[int, Field(ge=1, le=100, description="Maximum number of results.")] = 5,
    scope: p.AnyToolScope = p.DEFAULT_SCOPE,
    min_relevance: p.MinRelevance = RELEVANCE_FLOOR,
) -> RecallResult:
    """Search facts of a user, agent or session, best first. search_memory searches everything else
    as well."""
    return memory.conversation.search_facts(query, scope, limit=limit, min_relevance=min_relevance)


@tool(title="List facts", reads=True)
def list_memories(
    memory: Memory,
    status: Annotated[
        Literal["active", "duplicate", "superseded", "all"],
        Field(description="active, or superseded: replaced by a newer fact."),
    ] = "active",
    limit: p.Limit = 50,
    cursor: p.Cursor = "",
    scope: p.AnyToolScope = p.DEFAULT_SCOPE,
) -> FactPage:
    """List facts of a user, agent or session, newest first."""
    return memory.conversation.list_facts(scope, status=status, limit=limit, cursor=cursor)


@tool(title="Update fact", idempotent=True)
def update_fact(
    memory: Memory,
    id: FactId,
    content: p.Content,
    expected_version: p.ExpectedVersion = 0,
    scope: p.ToolScope = p.DEFAULT_SCOPE,
) -> ChangedFact:
    """Update a fact's text. The previous text stays in the history."""
    return memory.conversation.update_fact(id, content, scope, expected_version=expected_version)


@tool(title="Forget fact", destroys=True)
def forget(
    memory: Memory,
    id: FactId,
    scope: p.ToolScope = p.DEFAULT_SCOPE,
) -> DeletedFact:
    """Delete one fact. It stays in the history, and undo restores it."""
    return memory.conversation.delete_fact(id, scope)


@tool(title="Forget everything", destroys=True)
def forget_everything(
    memory: Memory,
    confirm: Annotated[
        str,
        Field(
            description="Confirmation: repeat the user_id, else the agent_id, session_id or "
            "project_id."
        ),
    ],
    scope: p.AnyToolScope = p.DEFAULT_SCOPE,
    backup: p.WithBackup = True,
) -> OwnerEraseResult:
    """Permanently erase all facts, entries and conversations of a user, agent or session."""
    meant = scope.user or scope.agent_id or scope.session_id or scope.project_id
    if confirm != meant:
        raise ForbiddenError(
            f"Nothing was erased: confirm must repeat {meant!r}, whose records would all be "
            "erased. A scope without user, agent and session means only the records that belong "
            "to no one."
        )
    return memory.conversation.delete_all_facts(scope, without_scope=True, backup=backup)


def _parse_input(text: str, messages: list[JsonValue]) -> list[Message]:
    if bool(text.strip()) == bool(messages):
        raise ValidationError("Give either text or messages: what was said?")
    return parse_messages([text] if text.strip() else messages)
