"""Context and state of one librarian cycle."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..ids import IdSource
from ..model.graph.librarian import ConceptChange, Suggestion
from ..model.graph.ontology import Ontology
from ..search.neighbours import Near
from ..services.discovery.discovery import Discovery
from ..services.discovery.similarity import Likeness
from ..services.discovery.suggestions import Suggestions
from ..services.job_runs import JobRun, JobRuns
from ..storage.database import Database
from ..storage.graph.suggestions import Noted, Pair


@dataclass(frozen=True)
class Options:
    """Similarity thresholds; each is explained where it is used."""

    relation: float = 0.7
    # 0: computed from the similarities in the project.
    cluster: float = 0.0
    smallest: int = 3
    auto_create: bool = False


@dataclass(frozen=True)
class LibrarianContext:
    """Dependencies of the librarian, the same for every cycle."""

    db: Database
    ids: IdSource
    ontology: Ontology
    job_runs: JobRuns
    suggestions: Suggestions
    discovery: Discovery


@dataclass
class CycleState:
    """State of one running cycle; jobs read the results of earlier ones here."""

    desk: LibrarianContext
    job_run: JobRun
    project_id: str
    options: Options
    likeness: Likeness
    near: Near
    close: float = 1.0
    clusters: list[frozenset[str]] = field(default_factory=list)
    cohesion: list[float] = field(default_factory=list)
    concepts: list[ConceptChange] = field(default_factory=list)
    duplicates: list[Noted] = field(default_factory=list)
    contradictions: list[Noted] = field(default_factory=list)
    relations: list[Noted] = field(default_factory=list)
    same: set[Pair] = field(default_factory=set)

    @property
    def dry_run(self) -> bool:
        return self.job_run.cycle.dry_run

    @property
    def cause(self) -> str:
        return "librarian_cycle"

    def describe(self, noted: list[Noted], most: int) -> list[Suggestion]:
        shown = self.desk.suggestions.describe_suggestions(noted[:most])
        if self.dry_run:
            # Not stored, so there is no id to accept or reject.
            return [each.model_copy(update={"id": ""}) for each in shown]
        return shown
