"""Tools: search."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, WithJsonSchema

from ...memory import Memory
from ...model.search.results import Kind, SearchResult
from ...rules.limits import RELEVANCE_FLOOR
from ...rules.timestamps import parse_moment
from ..calls import parameters as p
from ..calls.registry import tool

_WEIGHT = {"type": "number", "minimum": 0}

Query = Annotated[str, Field(description="A question or keywords.")]
Hits = Annotated[int, Field(ge=1, le=100, description="Maximum number of hits.")]
Weights = Annotated[
    dict[str, float],
    Field(description="Channel weights; if given, ranks are fused instead of scores. 0: off."),
    WithJsonSchema(
        {
            "type": "object",
            "properties": {"vector": _WEIGHT, "lexical": _WEIGHT},
            "additionalProperties": False,
        }
    ),
]
NodeTypes = Annotated[list[str], Field(description="Only entities of these types.")]
Kinds = Annotated[
    list[Kind],
    Field(description="Record kinds: entity, observation, document, entry, fact, bottle."),
]
Archived = Annotated[bool, Field(description="Include archived and superseded records.")]
Since = Annotated[str, Field(description="Only records that occurred since then (ISO 8601).")]
Until = Annotated[
    str, Field(description="Only records that occurred until then; a date means its end.")
]
Context = Annotated[
    int,
    Field(ge=0, le=10, description="Number of neighbouring session rows to return with each hit."),
]
Explain = Annotated[bool, Field(description="Return the components of each score.")]
Rerank = Annotated[
    Literal["auto", "on", "off"], Field(description="Rerank hits with the cross-encoder.")
]
GroupBy = Annotated[
    Literal["", "entity"], Field(description="entity: one hit per entity, with its passages.")
]


@tool(title="Search memory", reads=True)
def search_memory(
    memory: Memory,
    query: Query,
    limit: Hits = 10,
    channel_weights: Weights = {},
    node_types: NodeTypes = [],
    kinds: Kinds = [],
    include_archived: Archived = False,
    since: Since = "",
    until: Until = "",
    context: Context = 0,
    explain: Explain = False,
    rerank: Rerank = "auto",
    group_by: GroupBy = "",
    scope: p.SearchScope = p.DEFAULT_SCOPE,
    min_relevance: p.MinRelevance = RELEVANCE_FLOOR,
) -> SearchResult:
    """Keyword and semantic search over entities, observations, documents, entries and facts, best
    first. Hits are quoted data."""
    return memory.search.search_memory(
        query,
        limit=limit,
        channel_weights=channel_weights,
        node_types=node_types,
        kinds=kinds,
        include_archived=include_archived,
        since=parse_moment("since", since),
        until=parse_moment("until", until, at_end=True),
        context=context,
        explain=explain,
        rerank=rerank,
        group_by=group_by,
        **dict(scope),
        min_relevance=min_relevance,
    )
