"""Searching everything that is remembered."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, WithJsonSchema

from ...memory import Memory
from ...model.search import Kind, SearchResult
from ...rules.moments import moment
from .. import parameters as p
from ..registry import tool

_WEIGHT = {"type": "number", "minimum": 0}


@tool(title="Search memory", reads=True)
def search_memory(
    memory: Memory,
    query: Annotated[str, Field(description="A question or keywords; any text will do.")],
    limit: Annotated[int, Field(ge=1, le=100, description="How many hits at most.")] = 10,
    channel_weights: Annotated[
        dict[str, float],
        Field(description="Weights of the channels; given, ranks alone are fused. 0: off."),
        WithJsonSchema(
            {
                "type": "object",
                "properties": {"vector": _WEIGHT, "lexical": _WEIGHT},
                "additionalProperties": False,
            }
        ),
    ] = {},
    node_types: Annotated[list[str], Field(description="Only entities of these types.")] = [],
    kinds: Annotated[
        list[Kind], Field(description="Only these: entity, observation, document, entry, fact.")
    ] = [],
    include_archived: Annotated[
        bool, Field(description="Whether archived and superseded rows are found too.")
    ] = False,
    since: Annotated[str, Field(description="Only what occurred from then on (ISO 8601).")] = "",
    until: Annotated[str, Field(description="Only what occurred until then.")] = "",
    context: Annotated[
        int, Field(ge=0, le=10, description="Neighbouring rows of its session with each hit.")
    ] = 0,
    explain: Annotated[bool, Field(description="Whether to say where each score is from.")] = False,
    rerank: Annotated[
        Literal["auto", "on", "off"], Field(description="Whether a cross-encoder orders the hits.")
    ] = "auto",
    group_by: Annotated[
        Literal["", "entity"], Field(description="entity: one hit an entity, with its passages.")
    ] = "",
    user_id: p.UserId = "",
    agent_id: p.AgentId = "",
    session_id: p.SessionId = "",
    project_id: p.AnyProjectId = "default",
) -> SearchResult:
    """Find what is remembered, by words and by meaning; hits are quotations, best first."""
    return memory.search.search(
        query,
        project_id=project_id,
        limit=limit,
        channel_weights=channel_weights,
        node_types=node_types,
        kinds=kinds,
        include_archived=include_archived,
        since=moment("since", since),
        until=moment("until", until, at_end=True),
        context=context,
        explain=explain,
        rerank=rerank,
        group_by=group_by,
        user_id=user_id,
        agent_id=agent_id,
        session_id=session_id,
    )
