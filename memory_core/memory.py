"""Putting the parts together: the one place that knows them all."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from .ambient import Clock, IdSource, new_id, utc_now
from .model.ontology import Ontology
from .rules.ontology import parse_ontology
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

    def close(self) -> None:
        """Write down what is waiting and close the file; later calls raise NotInitialised."""
        self.telemetry.close()
        self.db.close()


def open_memory(
    settings: Settings | None = None,
    *,
    path: Path | None = None,
    clock: Clock = utc_now,
    ids: IdSource = new_id,
) -> Memory:
    """Open the memory that *settings* name, or the file at *path*; make it if it is new."""
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
    )


def load_ontology(settings: Settings) -> Ontology:
    """Return the user's own ontology, or the shipped one; raise InvalidConfig if it is broken."""
    path = settings.ontology_file or SHIPPED_ONTOLOGY
    return parse_ontology(path.read_text(encoding="utf-8"))
