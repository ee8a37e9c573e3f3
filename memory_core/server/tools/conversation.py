"""Facts about people: drawn from conversations, recalled and forgotten by scope."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, JsonValue, WithJsonSchema

from ...errors import ForbiddenError, ValidationError
from ...memory import Memory
from ...model.facts.extraction import Message
from ...model.facts.facts import (
    ChangedFact,
    FactPage,
    ForgottenFact,
    JobPage,
    Recalled,
    Remembered,
)
from ...model.maintenance import ErasedOwner
from ...model.scope import Scope
from ...rules.facts.conversation import messages as read_messages
from ..calls import parameters as p
from ..calls.registry import tool
from ..calls.sampling import remembered_by_client

_TEXT = {"type": "string"}

Facts = Annotated[
    list[JsonValue],
    Field(description="Objects with content, and category and occurred_at where known."),
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
Text = Annotated[str, Field(description="What was said, instead of messages.")]
Metadata = Annotated[
    dict[str, JsonValue],
    Field(description="A JSON object kept with each fact."),
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
    Field(description="Only jobs that stand so; empty for all."),
]


@tool(title="Remember")
def remember(
    memory: Memory,
    text: Text = "",
    messages: p.Messages = [],
    metadata: Metadata = {},
    infer: Annotated[bool, Field(description="false: keep the text as it is.")] = True,
    project_id: p.ProjectId = "default",
    user_id: p.UserId = "",
    agent_id: p.AgentId = "",
    session_id: p.SessionId = "",
) -> Remembered:
    """Remember facts of a text or conversation; outcome says what was stored and what was not."""
    said, scope = _said(text, messages), _scope(project_id, user_id, agent_id, session_id)
    done = remembered_by_client(memory, said, scope, metadata=metadata) if infer else None
    return done or memory.conversation.add(said, scope, metadata=metadata, infer=infer)


@tool(title="Draw facts")
def memory_extract(
    memory: Memory,
    messages: p.Messages = [],
    text: Text = "",
    metadata: Metadata = {},
    project_id: p.ProjectId = "default",
    user_id: p.UserId = "",
    agent_id: p.AgentId = "",
    session_id: p.SessionId = "",
) -> Remembered:
    """Store a conversation and its facts; without an extractor, get a contract to draw them."""
    said, scope = _said(text, messages), _scope(project_id, user_id, agent_id, session_id)
    done = remembered_by_client(memory, said, scope, metadata=metadata)
    return done or memory.conversation.extract(said, scope, metadata=metadata)


@tool(title="Submit drawn facts")
def memory_extract_submit(
    memory: Memory,
    job_id: JobId,
    facts: Facts,
    project_id: Annotated[str, Field(description="The job's; empty for any.")] = "",
    user_id: p.UserId = "",
    agent_id: p.AgentId = "",
    session_id: p.SessionId = "",
) -> Remembered:
    """Store the facts that you drew from a job's conversation, as its contract says."""
    scope = _scope(project_id or "*", user_id, agent_id, session_id)
    return memory.conversation.submit(job_id, facts, scope)


@tool(title="List extraction jobs", reads=True)
def list_extraction_jobs(
    memory: Memory,
    status: JobStatus = "",
    job_id: Annotated[str, Field(description="Only this job, with its conversation.")] = "",
    limit: p.Limit = 50,
    cursor: p.Cursor = "",
    project_id: p.AnyProjectId = "default",
    user_id: p.UserId = "",
    agent_id: p.AgentId = "",
    session_id: p.SessionId = "",
) -> JobPage:
    """Return conversations whose facts were drawn, failed to be, or wait to be; newest first."""
    scope = _scope(project_id, user_id, agent_id, session_id)
    if job_id:
        return memory.conversation.transcript(job_id, scope, cursor=cursor)
    return memory.conversation.jobs(scope, status=status, limit=limit, cursor=cursor)


@tool(title="Recall", reads=True)
def recall(
    memory: Memory,
    query: Annotated[str, Field(description="What to look for; any text will do.")],
    limit: Annotated[int, Field(ge=1, le=100, description="How many at most.")] = 5,
    project_id: p.AnyProjectId = "default",
    user_id: p.UserId = "",
    agent_id: p.AgentId = "",
    session_id: p.SessionId = "",
) -> Recalled:
    """Return the facts of that user, agent or session that answer a question, best first."""
    scope = _scope(project_id, user_id, agent_id, session_id)
    return memory.conversation.search(query, scope, limit=limit)


@tool(title="List facts", reads=True)
def list_memories(
    memory: Memory,
    status: Annotated[
        Literal["active", "duplicate", "superseded", "all"],
        Field(description="superseded: what something newer has replaced."),
    ] = "active",
    limit: p.Limit = 50,
    cursor: p.Cursor = "",
    project_id: p.AnyProjectId = "default",
    user_id: p.UserId = "",
    agent_id: p.AgentId = "",
    session_id: p.SessionId = "",
) -> FactPage:
    """Return all facts of that user, agent or session, newest first."""
    scope = _scope(project_id, user_id, agent_id, session_id)
    return memory.conversation.all(scope, status=status, limit=limit, cursor=cursor)


@tool(title="Correct fact", idempotent=True)
def update_fact(
    memory: Memory,
    id: FactId,
    content: p.Content,
    expected_version: p.ExpectedVersion = 0,
    project_id: p.ProjectId = "default",
    user_id: p.UserId = "",
    agent_id: p.AgentId = "",
    session_id: p.SessionId = "",
) -> ChangedFact:
    """Let a fact say something else; the past keeps what it said."""
    scope = _scope(project_id, user_id, agent_id, session_id)
    return memory.conversation.update(id, content, scope, expected_version=expected_version)


@tool(title="Forget fact", destroys=True)
def forget(
    memory: Memory,
    id: FactId,
    project_id: p.ProjectId = "default",
    user_id: p.UserId = "",
    agent_id: p.AgentId = "",
    session_id: p.SessionId = "",
) -> ForgottenFact:
    """Delete one fact. The past keeps it, and undo brings it back."""
    return memory.conversation.delete(id, _scope(project_id, user_id, agent_id, session_id))


@tool(title="Forget everything", destroys=True)
def forget_everything(
    memory: Memory,
    confirm: Annotated[
        str,
        Field(
            description="Repeat the user_id, else the agent_id, else the session_id, else the "
            "project_id."
        ),
    ],
    project_id: p.AnyProjectId = "default",
    user_id: p.UserId = "",
    agent_id: p.AgentId = "",
    session_id: p.SessionId = "",
    backup: p.WithBackup = True,
) -> ErasedOwner:
    """Erase all facts, entries and conversations of a user, agent or session permanently."""
    meant = user_id or agent_id or session_id or project_id
    if confirm != meant:
        raise ForbiddenError(
            f"Nothing was erased: confirm must repeat {meant!r}, whose records would all be "
            "erased. A scope without user, agent and session means only the records that belong "
            "to no one."
        )
    scope = _scope(project_id, user_id, agent_id, session_id)
    return memory.conversation.delete_all(scope, without_scope=True, backup=backup)


def _said(text: str, messages: list[JsonValue]) -> list[Message]:
    if bool(text.strip()) == bool(messages):
        raise ValidationError("Give either text or messages: what was said?")
    return read_messages([text] if text.strip() else messages)


def _scope(project_id: str, user_id: str, agent_id: str, session_id: str) -> Scope:
    return Scope(project_id=project_id, user_id=user_id, agent_id=agent_id, session_id=session_id)
