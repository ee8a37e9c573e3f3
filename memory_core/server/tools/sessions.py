"""Stretches of work and what came of them."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from ...memory import Memory
from ...model.graph.sessions import WrittenBreakthrough, WrittenSession
from ...rules.facts.conversation import parse_messages
from ..calls import parameters as p
from ..calls.registry import tool

Id = Annotated[str, Field(description="Session id, chosen by the caller.")]


@tool(title="Start session", idempotent=True)
def start_session(
    memory: Memory,
    session_id: Id,
    name: Annotated[str, Field(description="Topic of the session.")],
    properties: p.Properties = {},
    project_id: p.ProjectId = "default",
) -> WrittenSession:
    """Start a work session, linked to the previous session of the project. Returns what that
    session left."""
    return memory.sessions.start_session(
        session_id, name, project_id=project_id, properties=properties
    )


@tool(title="End session")
def end_session(
    memory: Memory,
    session_id: Id,
    summary: Annotated[str, Field(description="What was done, decided and left open.")],
    messages: p.Messages = [],
    project_id: p.ProjectId = "default",
    user_id: Annotated[str, Field(description="The user whom the messages are about.")] = "",
) -> WrittenSession:
    """
    End a session with a summary. Facts are extracted from messages, or these are kept as a job.
    """
    said = parse_messages(messages) if messages else []
    return memory.sessions.end_session(
        session_id, summary, project_id=project_id, user_id=user_id, messages=said
    )


@tool(title="Record breakthrough", idempotent=True)
def record_breakthrough(
    memory: Memory,
    session_id: Id,
    title: Annotated[str, Field(description="The insight in a few words.")],
    content: Annotated[str, Field(description="The insight and why it matters.")],
    project_id: p.ProjectId = "default",
) -> WrittenBreakthrough:
    """Record an insight of lasting value, linked to the session."""
    return memory.sessions.record_breakthrough(session_id, title, content, project_id=project_id)
