"""
Open a memory and compose its services.

1. Each service is an attribute of Memory, created by the first thread that reads it.
2. A service that must be stopped or saved registers that with ``_at_close`` when it is created.
   A dependency is created before its user, so closing in reverse order stops users first.
3. close() is final: later calls raise NotInitialisedError.
"""

from __future__ import annotations

import atexit
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from weakref import WeakSet

from . import components as parts
from .clock import Clock, utc_now
from .embedder_factory import choose_embedder
from .home_folder import expand_home
from .ids import IdSource, new_id
from .lazy_attribute import LazyAttribute, Value
from .mirror_factory import choose_mirror
from .ontology_loader import load_ontology
from .search.backends.factory import require_backend
from .search.embedder import Embedder, LazyEmbedder, loaded_embedder
from .settings import Settings
from .storage.database import Database
from .telemetry import Telemetry
from .validation import require_openable

# For all threads together, when a memory is closed.
CLOSE_SECONDS = 10.0

_open: WeakSet[Memory] = WeakSet()


def service(create: Callable[[Memory], Value]) -> LazyAttribute[Memory, Value]:
    """Return a service of Memory; also a decorator of the method that creates it."""
    return LazyAttribute(create)


class Memory:
    """An open memory. Each attribute is a service; open_memory() returns one."""

    def __init__(
        self, settings: Settings, db: Database, *, embedder: LazyEmbedder, ids: IdSource
    ) -> None:
        self.closed = threading.Event()
        self.creating = threading.RLock()
        self._closing = threading.Lock()
        self._close_by = 0.0
        self._closers = ExitStack()
        self._at_close(db.close)
        self.settings = settings
        self.db = db
        self.embedder = embedder
        self._stop_at_close(embedder.join)
        self._ids = ids
        self.ontology = load_ontology(settings)
        self.telemetry = Telemetry(
            db, keep_queries=settings.trace_queries, keep_days=settings.trace_days
        )
        self._at_close(self.telemetry.close)
        # A copy of the vectors for other programs, if one is set; searches never read it.
        self.mirror = choose_mirror(settings, db)
        _open.add(self)

    def warm(self) -> None:
        """Load the model and start the background threads; return at once."""
        with self.creating:
            if not self.closed.is_set():
                self.embedder.warm()
                self.follower.start()
                self.librarian.start_worker()
                if self._mirror_follower:
                    self._mirror_follower.start()

    def close(self) -> None:
        """
        Stop what was started, save what is pending and close the file. Idempotent.

        A thread in a step that takes longer than CLOSE_SECONDS ends later; see threads.py.
        """
        with self.creating:
            self._close_by = self._close_by or time.monotonic() + CLOSE_SECONDS
            self.closed.set()
        with self._closing:
            self._closers.close()

    def _at_close(self, stop: Callable[[], object]) -> None:
        """Call *stop* in close(), or at once if the memory is closed already."""
        if self.closed.is_set():
            stop()
        else:
            self._closers.callback(stop)

    def _stop_at_close(self, stop: Callable[[float], object]) -> None:
        """As _at_close; *stop* takes the seconds that it may wait for a thread."""
        self._at_close(lambda: stop(max(0.0, self._close_by - time.monotonic())))

    # --- Embedding and vector indexes

    @service
    def follower(self) -> parts.EmbeddingWorker:
        """Embeds new texts, in the background or by catch_up()."""
        follower = parts.EmbeddingWorker(self.db, self.embedder)
        follower.when_level.append(self._save_indexes)
        self.db.after_write.append(follower.nudge)
        self._stop_at_close(follower.stop)
        return follower

    @service
    def _mirror_follower(self) -> parts.MirrorFollower | None:
        if self.mirror is None:
            return None
        follower = parts.MirrorFollower(self.db, self.mirror)
        self._stop_at_close(follower.stop)
        return follower

    index = service(lambda m: m._vector_index("", parts.PIECES))
    entry_index = service(lambda m: m._vector_index("entries", parts.ENTRIES))

    def _vector_index(self, of: str, source: parts.VectorLog) -> parts.VectorIndex:
        made = parts.VectorIndex(
            self.embedder.identity,
            parts.snapshot_of(self.db.path, of=of),
            oversample=self.settings.vector_oversample,
            candidates=self.settings.vector_candidates,
            exact_below=self.settings.vector_exact_below,
            backend=self.settings.vector_backend,
            source=source,
        )
        self._at_close(made.save_if_worth)
        return made

    def _save_indexes(self) -> None:
        if self._mirror_follower:
            self._mirror_follower.nudge()
        self.index.save_if_worth()
        self.entry_index.save_if_worth()

    def catch_up(self) -> int:
        """Load the model and embed every pending text; return how many were embedded."""
        self.embedder.get()
        return self.follower.catch_up()

    def reindex(self) -> int:
        """Switch to the configured model and embed what it lacks; return how many texts."""
        identity = self.embedder.identity()
        with self.db.note() as connection:
            parts.reindex(connection, identity)
        return self.follower.catch_up()

    def optimize(self, *, reindex: bool = False) -> parts.OptimizeResult:
        """Reclaim space; with *reindex* switch to the configured model first."""
        made = self.reindex() if reindex else 0
        return self.upkeep.optimize_database().model_copy(update={"vectors_made": made})

    # --- Graph, documents and bottles

    observations = service(lambda m: parts.Observations(m.db, m._ids))
    graph = service(lambda m: parts.Graph(m.db, m._ids, m.ontology, m.observations))
    relations = service(lambda m: parts.Relations(m.db, m._ids, m.ontology))
    exploration = service(
        lambda m: parts.Exploration(m.db, m.ontology, token_budget=m.settings.result_token_budget)
    )
    knowledge = service(lambda m: m._knowledge_in(m.db))
    prose = service(
        lambda m: parts.Prose(
            m.db,
            knowledge=m.knowledge,
            graph=m.graph,
            observations=m.observations,
            relations=m.relations,
            user_entity=m.settings.memory_user_entity,
        )
    )
    bottles = service(lambda m: parts.Bottles(m.db, m._ids))

    def _knowledge_in(self, db: Database) -> parts.Knowledge:
        return parts.Knowledge(
            db,
            self._ids,
            roots=self.settings.allowed_roots(),
            chunk_size=self.settings.knowledge_chunk_size,
            max_bytes=self.settings.knowledge_max_bytes,
        )

    # --- Search

    @service
    def _reranker(self) -> parts.Reranker | None:
        if not self.settings.reranker_enabled:
            return None
        made = parts.CrossEncoderReranker(
            self.settings.reranker_model, allow_download=self.settings.allow_model_download
        )
        self._stop_at_close(made.join)
        return made

    queries = service(
        lambda m: parts.CachedQueries(m.embedder, size=m.settings.embedding_cache_size)
    )
    search = service(
        lambda m: parts.Search(
            m.db,
            m.embedder,
            m.ontology,
            queries=m.queries,
            index=m.index,
            follower=m.follower,
            telemetry=m.telemetry,
            recipe=m.settings.ranking(),
            reranker=m._reranker,
            rerank_multiplier=m.settings.rerank_candidate_multiplier,
            user_entity=m.settings.memory_user_entity,
        )
    )
    knowledge_search = service(lambda m: parts.KnowledgeSearch(m.db, m.search))
    saved_searches = service(lambda m: parts.SavedSearches(m.db))

    # --- Entries and groups

    entry_settings = service(lambda m: parts.EntrySettings(m.db, m.settings.entry_defaults()))
    entries = service(lambda m: parts.Entries(m.db, m._ids, m.entry_settings))
    entry_query = service(
        lambda m: parts.EntryQuery(
            m.db,
            m.embedder,
            queries=m.queries,
            index=m.entry_index,
            follower=m.follower,
            telemetry=m.telemetry,
        )
    )
    entry_status = service(lambda m: parts.EntryStatus(m.db, m.entry_settings, m.embedder))
    entry_upkeep = service(
        lambda m: parts.EntryUpkeep(
            m.db, m._ids, m.entry_settings, embedder=m.embedder, follower=m.follower
        )
    )
    groups = service(
        lambda m: parts.Groups(
            m.db, m._ids, m.entry_settings, embedder=m.embedder, follower=m.follower
        )
    )

    # --- Maintenance

    upkeep = service(
        lambda m: parts.Upkeep(
            m.db,
            keep=m.settings.backups_kept,
            interval_hours=m.settings.backup_interval_hours,
            caches=[parts.snapshot_of(m.db.path, of=of) for of in ("", "entries")],
            settle=m.telemetry.flush,
            roots=m.settings.allowed_roots(),
        )
    )
    lifecycle = service(lambda m: parts.Lifecycle(m.db, m.upkeep))
    history_trimming = service(lambda m: parts.HistoryTrimming(m.db, m.upkeep, m.settings))
    curation = service(lambda m: parts.Curation(m.db, m.graph, m.observations, m.lifecycle))
    health = service(
        lambda m: parts.Health(
            m.db,
            m.upkeep,
            index=m.index.status,
            model=lambda: (m.embedder.state, m.embedder.reason),
            mirrors=m.mirror.status if m.mirror else list,
        )
    )

    # --- Facts, conversations and sessions

    @service
    def fact_writer(self) -> parts.FactWriter:
        near = parts.NearestFacts(self.db, self.embedder, index=self.index, follower=self.follower)
        self._stop_at_close(near.stop)
        return parts.FactWriter(self.db, self._ids, near, self.settings.fact_defaults())

    # Extracts facts from conversations; None unless LLM_PROVIDER is set.
    extractor = service(lambda m: parts.choose_extractor(m.settings))
    extraction = service(
        lambda m: parts.Extraction(
            m.db,
            m._ids,
            m.fact_writer,
            m.settings.fact_defaults(),
            configured=lambda: m.extractor,
        )
    )
    conversation = service(
        lambda m: parts.Conversation(
            m.db,
            m._ids,
            writer=m.fact_writer,
            extraction=m.extraction,
            search=m.search,
            upkeep=m.upkeep,
        )
    )
    fact_upkeep = service(
        lambda m: parts.FactUpkeep(m.db, m._ids, writer=m.fact_writer, extraction=m.extraction)
    )
    fact_review = service(lambda m: parts.FactReview(m.db))
    sessions = service(lambda m: parts.Sessions(m.db, m._ids, m.observations, m.extraction))

    # --- History and figures

    history = service(lambda m: parts.History(m.db))
    timelines = service(lambda m: parts.Timelines(m.db, m.ontology, m.exploration))
    undo = service(lambda m: parts.Undo(m.db))
    statistics = service(lambda m: parts.Statistics(m.db, m.telemetry))
    analytics = service(lambda m: parts.Analytics(m.db))
    overview = service(lambda m: parts.Overview(m.db, m.timelines))
    atlas = service(lambda m: parts.Atlas(m.db))

    # --- Suggestions, discovery and the librarian

    @service
    def _background_discovery(self) -> parts.BackgroundDiscovery:
        defaults = parts.Background(
            enabled=self.settings.background_discovery,
            interval_seconds=self.settings.bg_discovery_interval,
            similarity_threshold=self.settings.bg_discovery_threshold,
        )
        made = parts.BackgroundDiscovery(self.db, defaults)
        made.on_change.append(lambda: self.librarian.background_changed())
        return made

    job_runs = service(lambda m: parts.JobRuns(m.db, m._ids))
    suggestions = service(lambda m: parts.Suggestions(m.db, m._ids, m.ontology, m.graph))
    discovery = service(
        lambda m: parts.Discovery(
            m.db,
            m._ids,
            m.ontology,
            job_runs=m.job_runs,
            suggestions=m.suggestions,
            background=m._background_discovery,
            follower=m.follower,
        )
    )

    @service
    def librarian(self) -> parts.Librarian:
        desk = parts.LibrarianContext(
            self.db,
            self._ids,
            self.ontology,
            job_runs=self.job_runs,
            suggestions=self.suggestions,
            discovery=self.discovery,
        )
        made = parts.Librarian(
            desk,
            jobs=(
                *parts.entry_jobs(self.entry_upkeep, self.groups),
                *parts.fact_jobs(self.fact_upkeep),
                *parts.upkeep_jobs(self.upkeep, self.knowledge),
            ),
            upkeep_seconds=lambda: self.entry_settings.number("daemon_interval"),
        )
        self._stop_at_close(made.stop_worker)
        return made

    # --- Import and export

    interchange = service(lambda m: m._interchange_in(m.db))
    bundles = service(lambda m: m._bundles_in(m.db))
    demonstration = service(
        lambda m: parts.Demonstration(
            m._ids,
            graph=m.graph,
            observations=m.observations,
            relations=m.relations,
            knowledge=m.knowledge,
            lifecycle=m.lifecycle,
            bottles=m.bottles,
            entries=m.entries,
            conversation=m.conversation,
            extraction=m.extraction,
        )
    )

    def _interchange_in(self, db: Database) -> parts.Interchange:
        """Return imports and exports of this database, or of the copy that a preview uses."""
        return parts.Interchange(
            db,
            self._ids,
            self._writers_in(db),
            roots=(*parts.data_folders(self.db.path), *self.settings.allowed_roots()),
            bundles=self._bundles_in(db),
            over=self._interchange_in,
        )

    def _bundles_in(self, db: Database) -> parts.Bundles:
        return parts.Bundles(
            db,
            self._ids,
            self._writers_in(db),
            self._knowledge_in(db),
            roots=(*parts.data_folders(self.db.path), *self.settings.allowed_roots()),
            max_bytes=self.settings.knowledge_max_bytes,
            folder=self.db.path.parent / parts.EXPORTS,
        )

    def _writers_in(self, db: Database) -> parts.Writers:
        facts = parts.Observations(db, self._ids)
        return parts.Writers(
            parts.Graph(db, self._ids, self.ontology, facts),
            facts,
            parts.Relations(db, self._ids, self.ontology),
        )


@atexit.register
def _close_all() -> None:
    """Close what the program left open, so that no thread works on while the program ends."""
    for memory in list(_open):
        memory.close()


def open_memory(
    settings: Settings | None = None,
    *,
    path: str | Path | None = None,
    embedder: Embedder | None = None,
    clock: Clock = utc_now,
    ids: IdSource = new_id,
) -> Memory:
    """
    Open the memory that *settings* name, or the file at *path*; create it if it is missing.

    Without either, the environment and .env decide; with a *path* alone, the defaults apply. No
    model is loaded: searches use full text until warm() or catch_up() has loaded it. A given
    *embedder* is ready at once. An argument of the wrong type raises ConfigurationError.
    """
    require_openable(settings, path=path, embedder=embedder, clock=clock, ids=ids)
    settings = settings or (Settings() if path else Settings.load())
    require_backend(settings.vector_backend)
    lazy = loaded_embedder(embedder) if embedder else choose_embedder(settings)
    file = expand_home(path) if path else settings.database_path()
    db = Database(file, clock, redacts=settings.redact_secrets)
    db.reindex_some()
    return Memory(settings, db, embedder=lazy, ids=ids)
