"""Putting the parts together: the one place that knows them all."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from .ambient import Clock, IdSource, new_id, utc_now
from .model.ontology import Ontology
from .model.recipe import Recipe
from .rules.ontology import parse_ontology
from .search.embedder import Embedder, LazyEmbedder, loaded
from .search.index import VectorIndex
from .search.models import choose_engine
from .search.pending import EmbeddingFollower
from .search.query_cache import CachedQueries
from .search.reranker import CrossEncoderReranker, Reranker
from .services.atlas import Atlas
from .services.bottles import Bottles
from .services.demonstration import Demonstration
from .services.exploration import Exploration
from .services.graph import Graph
from .services.history import History
from .services.knowledge import Knowledge
from .services.lifecycle import Lifecycle
from .services.observations import Observations
from .services.relations import Relations
from .services.search import Search
from .services.sessions import Sessions
from .services.timeline import Timelines
from .services.undoing import Undo
from .settings import Settings
from .storage.database import Database
from .telemetry import Telemetry

SHIPPED_ONTOLOGY = Path(__file__).parents[1] / "ontology.json"


@dataclass(frozen=True)
class Memory:
    """One memory, opened. Each attribute is a family of things to do with it."""

    settings: Settings
    db: Database
    telemetry: Telemetry
    ontology: Ontology
    graph: Graph
    observations: Observations
    relations: Relations
    exploration: Exploration
    history: History
    timelines: Timelines
    sessions: Sessions
    bottles: Bottles
    knowledge: Knowledge
    lifecycle: Lifecycle
    undo: Undo
    atlas: Atlas
    demonstration: Demonstration
    search: Search
    embedder: LazyEmbedder
    follower: EmbeddingFollower
    index: VectorIndex

    def warm(self) -> None:
        """Load the model and follow what is written, both in the background; return at once."""
        self.embedder.warm()
        self.follower.start()

    def catch_up(self) -> int:
        """Load the model and give every piece its vector; return how many got one."""
        self.embedder.get()
        return self.follower.catch_up()

    def close(self) -> None:
        """Write down what is waiting and close the file; later calls raise NotInitialised."""
        self.follower.stop()
        self.telemetry.close()
        self.index.save_if_worth()
        self.db.close()


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
    db = Database(path or settings.database_path(), clock)
    telemetry = Telemetry(db, keep_queries=settings.trace_queries, keep_days=settings.trace_days)
    ontology = load_ontology(settings)
    observations = Observations(db, ids)
    graph = Graph(db, ids, ontology, observations)
    relations = Relations(db, ids, ontology)
    lifecycle = Lifecycle(db)
    knowledge = Knowledge(
        db,
        ids,
        roots=settings.allowed_roots(),
        chunk_size=settings.knowledge_chunk_size,
        max_bytes=settings.knowledge_max_bytes,
    )
    exploration = Exploration(db, ontology, token_budget=settings.result_token_budget)
    lazy = _embedder(settings, embedder)
    index = _index(settings, db, lazy)
    follower = EmbeddingFollower(db, lazy)
    db.after_write.append(follower.nudge)
    return Memory(
        settings=settings,
        db=db,
        telemetry=telemetry,
        ontology=ontology,
        graph=graph,
        observations=observations,
        relations=relations,
        exploration=exploration,
        history=History(db),
        timelines=Timelines(db, ontology, exploration),
        sessions=Sessions(db, ids, observations),
        bottles=Bottles(db, ids),
        knowledge=knowledge,
        lifecycle=lifecycle,
        undo=Undo(db),
        atlas=Atlas(db),
        demonstration=Demonstration(
            ids,
            graph=graph,
            observations=observations,
            relations=relations,
            knowledge=knowledge,
            lifecycle=lifecycle,
        ),
        search=Search(
            db,
            lazy,
            queries=CachedQueries(lazy, size=settings.embedding_cache_size),
            index=index,
            follower=follower,
            telemetry=telemetry,
            recipe=Recipe(fusion=settings.fusion),
            reranker=_reranker(settings),
            rerank_multiplier=settings.rerank_candidate_multiplier,
            user_entity=settings.memory_user_entity,
        ),
        embedder=lazy,
        follower=follower,
        index=index,
    )


def _embedder(settings: Settings, given: Embedder | None) -> LazyEmbedder:
    if given is not None:
        return loaded(given)
    return choose_engine(
        settings.embedding_model,
        settings.embedding_engine,
        allow_download=settings.allow_model_download,
    )


def _index(settings: Settings, db: Database, embedder: LazyEmbedder) -> VectorIndex:
    return VectorIndex(
        embedder.identity,
        # Beside the memory file: whoever moves or deletes one sees the other.
        db.path.with_name(f"{db.path.name}-vectors"),
        oversample=settings.vector_oversample,
        candidates=settings.vector_candidates,
        exact_below=settings.vector_exact_below,
    )


def _reranker(settings: Settings) -> Reranker | None:
    if not settings.reranker_enabled:
        return None
    return CrossEncoderReranker(
        settings.reranker_model, allow_download=settings.allow_model_download
    )


def load_ontology(settings: Settings) -> Ontology:
    """Return the user's own ontology, or the shipped one; raise InvalidConfig if it is broken."""
    path = settings.ontology_file or SHIPPED_ONTOLOGY
    return parse_ontology(path.read_text(encoding="utf-8"))
