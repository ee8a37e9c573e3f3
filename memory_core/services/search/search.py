"""Full-text, semantic and hybrid search."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TypeVar

from ...clock import format_timestamp
from ...errors import ValidationError
from ...model.graph.ontology import Ontology
from ...model.scope import User
from ...model.search.recipe import Recipe
from ...model.search.results import GroupBy, Kind, Rerank, SearchResult
from ...rules import limits
from ...rules.graph.ontology import canonical_entity_type
from ...rules.text.normalization import clean_text
from ...search.embedder import LazyEmbedder
from ...search.embedding_worker import EmbeddingWorker
from ...search.index import VectorIndex
from ...search.query_cache import CachedQueries
from ...search.reranker import Reranker
from ...storage.database import Database
from ...storage.graph import graph_metrics
from ...storage.search.search_filter import Filter
from ...telemetry import Telemetry
from .pipeline import CHANNELS, Parts, Request, SearchPipeline
from .results import KINDS

Choice = TypeVar("Choice", bound=str)

MOST_HITS = 100
MOST_CONTEXT = 10
# Other projects that a notice names if the given one is empty.
MOST_NAMED = 8


class Search:
    """Entry point of every search."""

    def __init__(
        self,
        db: Database,
        embedder: LazyEmbedder,
        ontology: Ontology,
        *,
        queries: CachedQueries,
        index: VectorIndex,
        follower: EmbeddingWorker,
        telemetry: Telemetry,
        recipe: Recipe | None = None,
        reranker: Reranker | None = None,
        rerank_multiplier: int = 3,
        user_entity: str = "",
    ) -> None:
        self._ontology = ontology
        self._recipe = recipe or Recipe()
        self._telemetry = telemetry
        self._parts = Parts(
            db=db,
            embedder=embedder,
            queries=queries,
            index=index,
            follower=follower,
            reranker=reranker,
            rerank_multiplier=rerank_multiplier,
            user_entity=user_entity,
        )

    def search_memory(
        self,
        query: str,
        *,
        project_id: str = "default",
        limit: int = 10,
        channel_weights: Mapping[str, float] | None = None,
        node_types: Sequence[str] = (),
        kinds: Sequence[Kind] = (),
        include_archived: bool = False,
        since: datetime | None = None,
        until: datetime | None = None,
        context: int = 0,
        explain: bool = False,
        rerank: Rerank = "auto",
        group_by: GroupBy = "",
        user_id: User = "",
        agent_id: str = "",
        session_id: str = "",
        own_only: bool = False,
        min_relevance: float = limits.RELEVANCE_FLOOR,
        recipe: Recipe | None = None,
    ) -> SearchResult:
        """Return the rows that match *query* best; *own_only* excludes rows without a user."""
        scope = (project_id, user_id, agent_id, session_id)
        types = {canonical_entity_type(self._ontology, name) for name in node_types}
        filter = _filter(scope, kinds, node_types=types, window=(since, until))
        request = Request(
            query=_validate_query(query),
            limit=limits.validate_range("limit", limit, least=1, most=MOST_HITS),
            filter=replace(filter, include_inactive=include_archived, own_only=own_only),
            weights=_weights(channel_weights or {}),
            context=limits.validate_range("context", context, least=0, most=MOST_CONTEXT),
            explain=explain,
            rerank=_one_of("rerank", rerank, ("auto", "on", "off")),
            group_by=_one_of("group_by", group_by, ("", "entity")),
            recipe=recipe or self._recipe,
            min_relevance=limits.validate_share("min_relevance", min_relevance),
        )
        return self._answer(request)

    def _answer(self, request: Request) -> SearchResult:
        project_id, user_id = request.filter.project_id, request.filter.user_id
        with self._telemetry.trace("search", project_id=project_id, query=request.query) as trace:
            result = SearchPipeline(self._parts, request, trace=trace).result()
            trace.note(hits=len(result.hits), channels=",".join(result.channels))
        self._telemetry.count_retrieved((hit.table, hit.row_id) for hit in result.hits)
        if not result.hits and (notice := self._without_anything(project_id, user_id)):
            return result.model_copy(update={"notice": f"{result.notice} {notice}".strip()})
        return result

    def _without_anything(self, project_id: str, user_id: User) -> str:
        """Return a notice if the project is empty: its name may be misspelt."""
        with self._parts.db.read() as connection:
            known = graph_metrics.project_names(connection, user_id)
        if not known or project_id in ("*", *known):
            return ""
        others = ", ".join(map(repr, known[:MOST_NAMED]))
        return (
            f"Project {project_id!r} is empty. Projects with records: {others}. Names are "
            "case-sensitive."
        )


def _filter(
    scope: tuple[str, User, str, str],
    kinds: Sequence[Kind],
    *,
    node_types: Collection[str],
    window: tuple[datetime | None, datetime | None],
) -> Filter:
    project_id, user_id, agent_id, session_id = scope
    since, until = window
    limits.validate_order(since=since, until=until)
    return Filter(
        project_id=limits.validate_project(project_id, all_allowed=True),
        kinds=tuple(sorted(_tables(kinds))),
        node_types=tuple(sorted(node_types)),
        since=format_timestamp(since) if since else "",
        until=format_timestamp(until) if until else "",
        user_id=user_id,
        agent_id=agent_id,
        session_id=session_id,
    )


def _validate_query(query: str) -> str:
    if not isinstance(query, str):
        raise ValidationError(f"The query is {query!r:.60}, and must be a text.")
    cleaned = clean_text(query).strip()
    if not cleaned:
        raise ValidationError("The query must not be blank. Give search terms or a question.")
    return cleaned


def _tables(kinds: Sequence[Kind]) -> set[str]:
    """Return the tables of these kinds; entries include their longer text."""
    for kind in kinds:
        if kind not in KINDS:
            raise ValidationError(f"There is no kind {kind!r}. The kinds are {', '.join(KINDS)}.")
    tables = {table for kind, table in KINDS.items() if kind in kinds}
    return tables | ({"context_chunks"} if "entry" in kinds else set())


def _weights(weights: Mapping[str, float]) -> dict[str, float]:
    """Return a weight for every channel, or an empty dict if none was given."""
    if not weights:
        return {}
    if unknown := sorted(weights.keys() - set(CHANNELS)):
        raise ValidationError(
            f"There is no channel {', '.join(map(repr, unknown))}. channel_weights has the keys "
            f"{' and '.join(CHANNELS)}; one that is missing is 1."
        )
    for channel, weight in weights.items():
        if not (math.isfinite(weight) and weight >= 0):
            raise ValidationError(f"The weight of {channel} must be 0 or more, not {weight}.")
    whole: dict[str, float] = {channel: float(weights.get(channel, 1.0)) for channel in CHANNELS}
    if not any(whole.values()):
        raise ValidationError("Every channel has weight 0. Give at least one a weight above 0.")
    return whole


def _one_of(name: str, value: Choice, choices: Sequence[Choice]) -> Choice:
    if value not in choices:
        listed = ", ".join(repr(choice) for choice in choices)
        raise ValidationError(f"{name} must be one of {listed}, not {value!r}.")
    return value
