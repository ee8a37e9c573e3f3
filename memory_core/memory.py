"""
Putting the parts together: the one place that knows them all.

A part is made when it is first asked for, from the parts it needs; so this
page reads in any order, and what nobody uses costs nothing.
"""

from __future__ import annotations

import threading
from functools import cached_property
from pathlib import Path

from .ambient import Clock, IdSource, new_id, utc_now
from .librarian.librarian import Librarian
from .librarian.upkeep import entry_chores
from .librarian.work import Desk
from .model.upkeep import Optimized
from .rules.ontology import parse_ontology
from .search.embedder import Embedder, LazyEmbedder, loaded
from .search.index import VectorIndex, VectorSource
from .search.models import choose_engine
from .search.pending import EmbeddingFollower
from .search.query_cache import CachedQueries
from .search.reranker import CrossEncoderReranker, Reranker
from .search.snapshot import snapshot_of
from .services.analytics import Analytics
from .services.atlas import Atlas
from .services.background import Background, BackgroundDiscovery
from .services.bottles import Bottles
from .services.curation import Curation
from .services.demonstration import Demonstration
from .services.discovery import Discovery
from .services.entries import Entries
from .services.entry_query import EntryQuery
from .services.entry_settings import EntrySettings
from .services.entry_status import EntryStatus
from .services.entry_upkeep import EntryUpkeep
from .services.exploration import Exploration
from .services.graph import Graph
from .services.groups import Groups
from .services.health import Health
from .services.history import History
from .services.interchange import Interchange, Writers
from .services.knowledge import Knowledge
from .services.knowledge_search import KnowledgeSearch
from .services.lifecycle import Lifecycle
from .services.observations import Observations
from .services.overview import Overview
from .services.relations import Relations
from .services.search import Search
from .services.sessions import Sessions
from .services.shifts import Shifts
from .services.statistics import Statistics
from .services.suggestions import Suggestions
from .services.timeline import Timelines
from .services.undoing import Undo
from .services.upkeep import Upkeep
from .settings import Settings
from .storage import embeddings, merged
from .storage.database import Database
from .telemetry import Telemetry

SHIPPED_ONTOLOGY = Path(__file__).parents[1] / "ontology.json"


class Memory:
    """One memory, opened. Each attribute is a family of things to do with it."""

    def __init__(
        self, settings: Settings, db: Database, *, embedder: LazyEmbedder, ids: IdSource
    ) -> None:
        self.settings = settings
        self.db = db
        self.embedder = embedder
        self._ids = ids
        self._closed = False
        # Of warm() and close(), one comes first: nothing is started in a closed memory.
        self._changing = threading.Lock()
        # The user's own, or the shipped one; a broken one raises InvalidConfig.
        rules = settings.ontology_file or SHIPPED_ONTOLOGY
        self.ontology = parse_ontology(rules.read_text(encoding="utf-8"))
        self.telemetry = Telemetry(
            db, keep_queries=settings.trace_queries, keep_days=settings.trace_days
        )
        self.follower = EmbeddingFollower(db, embedder)
        db.after_write.append(self.follower.nudge)
        self.follower.when_level.append(lambda: self.index.save_if_worth())
        self.follower.when_level.append(lambda: self.entry_index.save_if_worth())

    def warm(self) -> None:
        """Load the model and follow what is written, both in the background; return at once."""
        with self._changing:
            if not self._closed:
                self.embedder.warm()
                self.follower.start()
                self.librarian.start()

    def catch_up(self) -> int:
        """Load the model and give every piece its vector; return how many got one."""
        self.embedder.get()
        return self.follower.catch_up()

    def reindex(self) -> int:
        """Switch to the model in use and make the vectors it lacks; return how many were made."""
        identity = self.embedder.identity()
        with self.db.note() as connection:
            embeddings.reindex(connection, identity)
        return self.follower.catch_up()

    def optimize(self, *, reindex: bool = False) -> Optimized:
        """Tidy up; with *reindex* switch to the model in use and make what it lacks first."""
        made = self.reindex() if reindex else 0
        return self.upkeep.optimize().model_copy(update={"vectors_made": made})

    def close(self) -> None:
        """Write down what is waiting and close the file; later calls raise NotInitialised."""
        with self._changing:
            self._closed = True
        self.librarian.stop()
        self.follower.stop()
        self.telemetry.close()
        self.index.save_if_worth()
        self.entry_index.save_if_worth()
        self.db.close()

    # Writing

    @cached_property
    def observations(self) -> Observations:
        return Observations(self.db, self._ids)

    @cached_property
    def graph(self) -> Graph:
        return Graph(self.db, self._ids, self.ontology, self.observations)

    @cached_property
    def relations(self) -> Relations:
        return Relations(self.db, self._ids, self.ontology)

    @cached_property
    def knowledge(self) -> Knowledge:
        return Knowledge(
            self.db,
            self._ids,
            roots=self.settings.allowed_roots(),
            chunk_size=self.settings.knowledge_chunk_size,
            max_bytes=self.settings.knowledge_max_bytes,
        )

    @cached_property
    def sessions(self) -> Sessions:
        return Sessions(self.db, self._ids, self.observations)

    @cached_property
    def bottles(self) -> Bottles:
        return Bottles(self.db, self._ids)

    @cached_property
    def demonstration(self) -> Demonstration:
        return Demonstration(
            self._ids,
            graph=self.graph,
            observations=self.observations,
            relations=self.relations,
            knowledge=self.knowledge,
            lifecycle=self.lifecycle,
            bottles=self.bottles,
            entries=self.entries,
        )

    # Finding

    @cached_property
    def exploration(self) -> Exploration:
        return Exploration(self.db, self.ontology, token_budget=self.settings.result_token_budget)

    @cached_property
    def index(self) -> VectorIndex:
        return self._index("", embeddings)

    @cached_property
    def queries(self) -> CachedQueries:
        return CachedQueries(self.embedder, size=self.settings.embedding_cache_size)

    @cached_property
    def search(self) -> Search:
        return Search(
            self.db,
            self.embedder,
            self.ontology,
            queries=self.queries,
            index=self.index,
            follower=self.follower,
            telemetry=self.telemetry,
            recipe=self.settings.ranking(),
            reranker=self._reranker() if self.settings.reranker_enabled else None,
            rerank_multiplier=self.settings.rerank_candidate_multiplier,
            user_entity=self.settings.memory_user_entity,
        )

    @cached_property
    def knowledge_search(self) -> KnowledgeSearch:
        return KnowledgeSearch(self.db, self.search)

    # Entries and their groups

    @cached_property
    def entry_settings(self) -> EntrySettings:
        return EntrySettings(self.db, self.settings.entry_defaults())

    @cached_property
    def entries(self) -> Entries:
        return Entries(self.db, self._ids, self.entry_settings)

    @cached_property
    def entry_index(self) -> VectorIndex:
        return self._index("entries", merged)

    @cached_property
    def entry_query(self) -> EntryQuery:
        return EntryQuery(
            self.db,
            self.embedder,
            queries=self.queries,
            index=self.entry_index,
            follower=self.follower,
            telemetry=self.telemetry,
        )

    @cached_property
    def entry_status(self) -> EntryStatus:
        return EntryStatus(self.db, self.entry_settings, self.embedder)

    @cached_property
    def entry_upkeep(self) -> EntryUpkeep:
        return EntryUpkeep(
            self.db,
            self._ids,
            self.entry_settings,
            embedder=self.embedder,
            follower=self.follower,
        )

    @cached_property
    def groups(self) -> Groups:
        return Groups(
            self.db,
            self._ids,
            self.entry_settings,
            embedder=self.embedder,
            follower=self.follower,
        )

    # The past

    @cached_property
    def history(self) -> History:
        return History(self.db)

    @cached_property
    def timelines(self) -> Timelines:
        return Timelines(self.db, self.ontology, self.exploration)

    @cached_property
    def undo(self) -> Undo:
        return Undo(self.db)

    # Putting two and two together

    @cached_property
    def shifts(self) -> Shifts:
        return Shifts(self.db, self._ids)

    @cached_property
    def suggestions(self) -> Suggestions:
        return Suggestions(self.db, self._ids, self.ontology, self.graph)

    @cached_property
    def discovery(self) -> Discovery:
        background = BackgroundDiscovery(
            self.db,
            Background(
                enabled=self.settings.background_discovery,
                interval_seconds=self.settings.bg_discovery_interval,
                similarity_threshold=self.settings.bg_discovery_threshold,
            ),
        )
        background.on_change.append(lambda: self.librarian.background_changed())
        return Discovery(
            self.db,
            self._ids,
            self.ontology,
            shifts=self.shifts,
            suggestions=self.suggestions,
            background=background,
            follower=self.follower,
        )

    @cached_property
    def librarian(self) -> Librarian:
        return Librarian(
            Desk(
                self.db,
                self._ids,
                self.ontology,
                shifts=self.shifts,
                suggestions=self.suggestions,
                discovery=self.discovery,
            ),
            chores=entry_chores(self.entry_upkeep, self.groups),
            upkeep_seconds=lambda: self.entry_settings.number("daemon_interval"),
        )

    # Keeping it in order

    @cached_property
    def curation(self) -> Curation:
        return Curation(self.db, self.graph, self.observations, self.lifecycle)

    @cached_property
    def lifecycle(self) -> Lifecycle:
        return Lifecycle(self.db)

    @cached_property
    def upkeep(self) -> Upkeep:
        return Upkeep(self.db, caches=[snapshot_of(self.db.path, of=of) for of in ("", "entries")])

    @cached_property
    def interchange(self) -> Interchange:
        writers = Writers(self.graph, self.observations, self.relations)
        return Interchange(self.db, self._ids, writers, roots=self.settings.allowed_roots())

    @cached_property
    def health(self) -> Health:
        return Health(
            self.db,
            self.upkeep,
            index=self.index.status,
            model=lambda: (self.embedder.state, self.embedder.reason),
        )

    @cached_property
    def statistics(self) -> Statistics:
        return Statistics(self.db, self.telemetry)

    @cached_property
    def analytics(self) -> Analytics:
        return Analytics(self.db)

    @cached_property
    def overview(self) -> Overview:
        return Overview(self.db, self.timelines)

    @cached_property
    def atlas(self) -> Atlas:
        return Atlas(self.db)

    def _reranker(self) -> Reranker:
        return CrossEncoderReranker(
            self.settings.reranker_model, allow_download=self.settings.allow_model_download
        )

    def _index(self, of: str, source: VectorSource) -> VectorIndex:
        return VectorIndex(
            self.embedder.identity,
            snapshot_of(self.db.path, of=of),
            oversample=self.settings.vector_oversample,
            candidates=self.settings.vector_candidates,
            exact_below=self.settings.vector_exact_below,
            source=source,
        )


def open_memory(
    settings: Settings | None = None,
    *,
    path: Path | None = None,
    embedder: Embedder | None = None,
    clock: Clock = utc_now,
    ids: IdSource = new_id,
) -> Memory:
    """
    Open the memory that *settings* name, or the file at *path*; make it if it is new.

    No model is loaded yet: searches answer by full text until warm() or
    catch_up() has. An *embedder* that is given is ready from the start.
    """
    settings = settings or Settings()
    lazy = (
        loaded(embedder)
        if embedder
        else choose_engine(
            settings.embedding_model,
            settings.embedding_engine,
            allow_download=settings.allow_model_download,
        )
    )
    db = Database(path or settings.database_path(), clock)
    return Memory(settings, db, embedder=lazy, ids=ids)
