"""Search pipeline: parse the query, embed, rank, build results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ...clock import format_timestamp
from ...errors import (
    DimensionMismatchError,
    EmbeddingError,
    IndexUnavailableError,
    StorageError,
)
from ...model.search.recipe import Recipe
from ...model.search.results import Channel, GroupBy, Rerank, SearchHit, SearchResult
from ...rules.graph.entity_linking import (
    find_name_candidates,
    mentions_user,
    remove_names,
    select_names,
    single_named_entity,
)
from ...rules.relevance import relevance
from ...rules.text.coverage import lexical_trust, query_coverage, rarity
from ...rules.text.dates import find_dates
from ...rules.text.normalization import fold_name
from ...rules.text.query_terms import query_terms, query_variants
from ...search.embedder import LazyEmbedder
from ...search.embedding_worker import EmbeddingWorker
from ...search.index import VectorIndex
from ...search.query_cache import CachedQueries
from ...search.reranker import Reranker
from ...storage.database import Connection, Database
from ...storage.graph import entity_names
from ...storage.search import embeddings, full_text
from ...storage.search.search_filter import Allowed, Filter, Ids
from ...telemetry import Trace
from .channels import Channels
from .exact import exact_rows
from .ranking import Asked, Meaning, Ranking, rank
from .results import KINDS, answer, places

CHANNELS: tuple[Channel, ...] = ("lexical", "vector")

# Entities with more relations are hubs: a relation to a hub is no evidence.
_MOST_RELATED = 50
# Characters of passages per response, so that 100 hits remain readable.
_BUDGET = 24_000
# Pending passages that a search embeds before it runs: a tenth of a second.
_FEW = 32
# Characters of a long query that the response repeats, and that are embedded.
_QUERY_SHOWN = 200
_QUERY_EMBEDDED = 2_000
# Query words whose document frequency is looked up, and the share that makes a word common.
_WEIGHED = 64
_COMMON = 500
_ENTRY = "entries"
# Tables whose rows are one short statement: a paraphrased question shares few words with them.
# For longer rows, reducing the trust in full text lost more hits than it found.
_STATEMENTS = (KINDS["fact"],)


@dataclass(frozen=True)
class Parts:
    """Dependencies shared by all searches."""

    db: Database
    embedder: LazyEmbedder
    queries: CachedQueries
    index: VectorIndex
    follower: EmbeddingWorker
    reranker: Reranker | None
    rerank_multiplier: int
    user_entity: str
    allowed: Allowed = field(default_factory=Allowed)
    common: full_text.CommonTerms = field(default_factory=full_text.CommonTerms)


@dataclass(frozen=True)
class Request:
    """A validated search request."""

    query: str
    limit: int
    filter: Filter
    weights: Mapping[str, float]
    context: int
    explain: bool
    rerank: Rerank
    group_by: GroupBy
    recipe: Recipe
    min_relevance: float

    def wants(self, channel: Channel) -> bool:
        return self.weights.get(channel, 1.0) > 0


class SearchPipeline:
    """The steps of one search, in order; each is timed."""

    def __init__(self, parts: Parts, request: Request, *, trace: Trace) -> None:
        self._parts = parts
        self._request = request
        self._trace = trace
        self._notices: list[str] = []
        self._pending = 0
        self._passages = 0
        self._uses_vectors = False
        self._has_floor = False

    def result(self) -> SearchResult:
        request = self._request
        with self._trace.stage("understand"):
            asked, to_embed = self._understand_query()
        meaning = self._meaning(to_embed)
        hits = self._rerank(self._relevant(self._hits(asked, meaning)))
        shown, hidden = _within_budget(hits)
        return SearchResult(
            query=request.query[:_QUERY_SHOWN],
            hits=shown,
            channels=self._channels(),
            notice=" ".join(self._notices),
            pending=self._pending,
            truncated=hidden > 0,
            hidden=hidden,
            took={
                **{name: round(ms, 3) for name, ms in self._trace.stages.items()},
                "total": round(self._trace.milliseconds, 3),
            },
        )

    def _understand_query(self) -> tuple[Asked, str]:
        """Parse names and dates in the query; return it with the text to embed."""
        request = self._request
        spans = find_name_candidates(request.query)
        user = fold_name(self._parts.user_entity) if mentions_user(request.query) else ""
        wanted = {span.folded for span in spans} | ({user} if user else set())
        with self._parts.db.read() as connection:
            known = entity_names.entities_named(connection, request.filter.project_id, wanted)
            said = select_names(spans, known)
            the_one = single_named_entity(
                said, known, known[user].ids if user in known else frozenset()
            )
            related = (
                entity_names.neighbour_ids(connection, the_one, most=_MOST_RELATED)
                if the_one
                else ()
            )
        asked = Asked(
            recipe=request.recipe,
            weights=request.weights,
            named=the_one,
            related=related,
            dates=find_dates(request.query),
        )
        if request.weights or request.recipe.names_out == "no":
            return asked, request.query
        first_person = request.recipe.names_out == "first_person"
        people = [name for name in known if known[name].is_person] if first_person else []
        return asked, remove_names(request.query, said, people=people)

    def _meaning(self, text: str) -> Meaning | None:
        """Embed the rest of the query if the model is available; never wait for it."""
        if not self._request.wants("vector"):
            return None
        embedder = self._parts.embedder
        if not embedder.ready:
            self._without_model()
            return None
        try:
            with self._trace.stage("embed"):
                vector, cached = self._parts.queries.vector(text[:_QUERY_EMBEDDED])
        except (DimensionMismatchError, EmbeddingError) as error:
            self._by_text_alone(str(error))
            return None
        self._trace.note(cached=cached)
        return Meaning(vector, embedder.identity().model)

    def _without_model(self) -> None:
        self._by_text_alone(self._parts.embedder.warm_if_due())

    def _by_text_alone(self, reason: str) -> None:
        self._notices.append(f"Answered from full text alone. {reason}")

    def _hits(self, asked: Asked, meaning: Meaning | None) -> list[SearchHit]:
        request = self._request
        if meaning is not None and not self._catch_up():
            meaning = None
        with self._parts.db.read() as connection:
            with self._trace.stage("filter"):
                now = format_timestamp(self._parts.db.clock())
                allowed = self._parts.allowed.pieces(connection, request.filter, now=now)
            found, pool = self._find_candidates(connection, meaning, allowed)
            if self._request.wants("lexical") and not asked.by_rank:
                with self._trace.stage("exact"):
                    found.single_out(self._exact_rows(connection, allowed))
            known = meaning if self._uses_vectors else None
            with self._trace.stage("rank"):
                ranking = rank(connection, asked, found=found, pool=pool, meaning=known, now=now)
            with self._trace.stage("load"):
                return self._build_hits(connection, ranking, found, now=now)

    def _find_candidates(
        self, connection: Connection, meaning: Meaning | None, allowed: Ids | None
    ) -> tuple[Channels, int]:
        recipe = self._request.recipe
        standing = embeddings.standing(connection)
        self._pending, self._passages = standing.unembedded, standing.pieces
        pieces = self._passages
        pool = recipe.large_pool if pieces >= recipe.large_store else recipe.pool
        by_words: list[tuple[int, float]] = []
        share = attainable = 1.0
        if self._request.wants("lexical"):
            with self._trace.stage("lexical"):
                terms = self._terms(connection, pieces=pieces)
                variants = query_variants(self._request.query)
                by_words = self._by_words(connection, [*terms, *variants], allowed)
                if by_words:
                    known = full_text.term_coverage(
                        connection, terms[:_WEIGHED], by_words[0][0], limit=_COMMON
                    )
                    attainable = by_words[0][1] / query_coverage(
                        [rarity(count, of=pieces) for count, _ in known],
                        [has for _, has in known],
                    )
                if meaning is not None and by_words:
                    share = self._full_text_trust(known, pieces=pieces)
        by_meaning: list[tuple[int, float]] = []
        if meaning is not None and standing.indexed == 0:
            # No vectors to compare with, perhaps no model configured: return results without them.
            self._uses_vectors = True
        elif meaning is not None:
            with self._trace.stage("vector"):
                by_meaning = self._by_meaning(connection, meaning, allowed, pool=pool)
        return Channels(by_words, by_meaning, trust=share, attainable=attainable), pool

    def _exact_rows(self, connection: Connection, allowed: Ids | None) -> dict[int, float]:
        request = self._request
        terms = query_terms(request.query, most=request.recipe.query_terms)
        return exact_rows(
            connection,
            request.query,
            [*terms, *query_variants(request.query)],
            project_id=request.filter.project_id,
            allowed=allowed,
        )

    def _terms(self, connection: Connection, *, pieces: int) -> list[str]:
        recipe = self._request.recipe
        terms = query_terms(self._request.query, most=recipe.query_terms)
        if pieces < recipe.large_store:
            return terms
        limit = int(pieces * recipe.common_share)
        return self._parts.common.without(connection, terms, limit=limit)

    def _full_text_trust(self, known: list[tuple[int, bool]], *, pieces: int) -> float:
        """Return the weight of the full-text channel by what its best passage covers."""
        recipe = self._request.recipe
        by_rank = self._request.weights or recipe.fusion == "rrf"
        of_facts = self._request.filter.kinds == _STATEMENTS
        if by_rank or not of_facts or recipe.lexical_least >= 1 or len(known) < 2:
            return 1.0
        return lexical_trust(
            [rarity(count, of=pieces) for count, _ in known],
            [has for _, has in known],
            least=recipe.lexical_least,
            little=recipe.covers_little,
            enough=recipe.covers_enough,
        )

    def _by_words(
        self, connection: Connection, terms: list[str], allowed: Ids | None
    ) -> list[tuple[int, float]]:
        recipe = self._request.recipe
        return full_text.search(
            connection,
            terms,
            weights=recipe.bm25_weights(),
            limit=recipe.lexical_reach,
            allowed=allowed,
        )

    def _by_meaning(
        self, connection: Connection, meaning: Meaning, allowed: Ids | None, *, pool: int
    ) -> list[tuple[int, float]]:
        try:
            found = self._parts.index.search(
                connection, meaning.vector, limit=pool, allowed=allowed
            )
        except (DimensionMismatchError, IndexUnavailableError) as error:
            self._by_text_alone(str(error))
            return []
        self._uses_vectors = True
        return found

    def _catch_up(self) -> bool:
        """Embed a few pending passages; return False if the vectors are unusable."""
        follower = self._parts.follower
        waiting = follower.pending()
        if waiting > _FEW:
            follower.nudge()
            self._note_pending(waiting)
            return True
        try:
            if waiting:
                with self._trace.stage("catch_up"):
                    follower.catch_up(limit=_FEW, wait=False)
        except StorageError:
            # Another process writes for long: an answer must not wait for its lock.
            follower.nudge()
            self._note_pending(waiting)
        except (DimensionMismatchError, EmbeddingError) as error:
            self._by_text_alone(str(error))
            return False
        return True

    def _note_pending(self, waiting: int) -> None:
        self._notices.append(
            f"{waiting} passages have no vector yet and are found by full text only."
        )

    def _build_hits(
        self, connection: Connection, ranking: Ranking, found: Channels, *, now: str
    ) -> list[SearchHit]:
        request = self._request
        limit = request.limit * (self._parts.rerank_multiplier if self._reranks() else 1)
        chosen = places(ranking, limit=limit, by_entity=request.group_by == "entity")
        relevances = self._relevances(ranking, found)
        return answer(
            connection,
            ranking,
            places=chosen,
            relevances=relevances,
            found=found,
            recipe=request.recipe,
            explain=request.explain,
            context=request.context,
            now=now,
        )

    def _relevances(self, ranking: Ranking, found: Channels) -> NDArray[np.float64]:
        """Return the relevance of each row of the ranking; note whether the floor applies."""
        ids = ranking.ids
        exact = np.array([id in found.exact for id in ids], np.bool_)
        lexical = np.array([found.bm25.get(id, 0.0) for id in ids]) / found.attainable
        known = relevance(
            self._parts.embedder.identity().model if self._uses_vectors else "",
            cosine=np.array([found.cosine.get(id, 0.0) for id in ids]),
            # A row that the query singles out is what it asks for.
            lexical=np.where(exact, 1.0, lexical),
            linked=(ranking.parts.get("link", np.zeros(len(ids))) > 0) | exact,
            statement=np.array([row.kind == _ENTRY for row in ranking.rows], np.bool_),
            passages=self._passages,
        )
        by_rank = bool(self._request.weights) or self._request.recipe.fusion == "rrf"
        # Without all vectors, or with a query that is embedded in part only, nothing is certain.
        is_partial = self._pending > 0 or len(self._request.query) > _QUERY_EMBEDDED
        self._has_floor = known.calibrated and not by_rank and not is_partial
        return known.values

    def _relevant(self, hits: list[SearchHit]) -> list[SearchHit]:
        """Drop hits below the floor, and report them in the notice."""
        least = self._request.min_relevance
        if not self._has_floor or not least:
            return hits
        kept = [hit for hit in hits if hit.relevance >= least]
        if dropped := len(hits) - len(kept):
            what = "Nothing relevant was found" if not kept else "Some hits are not relevant"
            self._notices.append(
                f"{what}: {dropped} below relevance {least:g} were left out. min_relevance=0 "
                "returns them."
            )
        return kept

    def _reranks(self) -> bool:
        reranker, asked = self._parts.reranker, self._request.rerank
        return reranker is not None and (asked == "on" or (asked == "auto" and reranker.ready))

    def _rerank(self, hits: list[SearchHit]) -> list[SearchHit]:
        request, reranker = self._request, self._parts.reranker
        if request.rerank == "on" and reranker is None:
            self._notices.append(
                "Not reranked: there is no cross-encoder. Set RERANKER_ENABLED and name a local "
                "model in RERANKER_MODEL."
            )
        if reranker is not None and request.rerank == "auto" and not reranker.ready:
            self._notices.append(f"Not reranked. {reranker.warm_if_due()}")
        if reranker is None or not self._reranks() or not hits:
            return hits[: request.limit]
        try:
            with self._trace.stage("rerank"):
                scores = reranker.scores(request.query, [hit.text for hit in hits])
        except EmbeddingError as error:
            self._notices.append(f"Not reranked. {error}")
            return hits[: request.limit]
        order = sorted(range(len(hits)), key=lambda at: -scores[at])
        return [_with_score(hits[at], float(scores[at])) for at in order[: request.limit]]

    def _channels(self) -> list[Channel]:
        used = {"lexical": self._request.wants("lexical"), "vector": self._uses_vectors}
        return [channel for channel in CHANNELS if used[channel]]


def _with_score(hit: SearchHit, score: float) -> SearchHit:
    explain = hit.explain.model_copy(update={"rerank": score}) if hit.explain else None
    return hit.model_copy(update={"score": round(score, 6), "explain": explain})


def _within_budget(hits: list[SearchHit]) -> tuple[list[SearchHit], int]:
    """Return the hits that fit the size limit of a response, and how many do not."""
    spent = 0
    for count, hit in enumerate(hits):
        spent += len(hit.text) + sum(len(row.text) for row in hit.context)
        if count and spent > _BUDGET:
            return hits[:count], len(hits) - count
    return hits, 0
