"""Putting the parts together: the one place that knows them all."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from .ambient import Clock, IdSource, new_id, utc_now
from .model.ontology import Ontology
from .rules.ontology import parse_ontology
from .services.exploration import Exploration
from .services.graph import Graph
from .services.observations import Observations
from .services.relations import Relations
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
    return Memory(
        settings=settings,
        db=db,
        telemetry=telemetry,
        ontology=ontology,
        graph=Graph(db, ids, ontology, observations),
        observations=observations,
        relations=Relations(db, ids, ontology),
        exploration=Exploration(db, ontology, token_budget=settings.result_token_budget),
    )


def load_ontology(settings: Settings) -> Ontology:
    """Return the user's own ontology, or the shipped one; raise InvalidConfig if it is broken."""
    path = settings.ontology_file or SHIPPED_ONTOLOGY
    return parse_ontology(path.read_text(encoding="utf-8"))
