"""Public interface of the librarian."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ..context import ProgressCallback
from ..model.graph.librarian import ConceptPage, CycleKind, CyclePage, LibrarianReport
from ..rules import limits
from ..services.discovery.suggestions import Suggestions
from ..services.job_runs import Job
from ..storage.graph import concepts
from .context import LibrarianContext, Options
from .cycle import run_cycle
from .worker import UPKEEP_SECONDS, Worker

# Members listed per concept.
MEMBERS = 30


class Librarian:
    """Runs cycles on request and scheduled jobs in the background."""

    def __init__(
        self,
        desk: LibrarianContext,
        options: Options | None = None,
        *,
        jobs: Sequence[Job] = (),
        upkeep_seconds: Callable[[], float] = lambda: UPKEEP_SECONDS,
    ) -> None:
        self._desk = desk
        self._options = options or Options()
        self.worker = Worker(
            desk.db, desk.job_runs, desk.discovery, jobs=jobs, upkeep_seconds=upkeep_seconds
        )

    @property
    def suggestions(self) -> Suggestions:
        """Suggestions that await a decision."""
        return self._desk.suggestions

    def run_cycle(
        self,
        *,
        project_id: str = "default",
        dry_run: bool = False,
        auto_create: bool = False,
        progress: ProgressCallback | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> LibrarianReport:
        """Cluster, name, compare and relate the entities of a project; see cycle.run_cycle()."""
        return run_cycle(
            self._desk,
            project_id=project_id,
            dry_run=dry_run,
            options=replace(self._options, auto_create=auto_create),
            progress=progress,
            cancelled=cancelled,
        )

    def list_cycles(
        self,
        *,
        project_id: str = "default",
        kind: CycleKind | None = None,
        limit: int = 20,
        offset: int = 0,
    ) -> CyclePage:
        """Return the recorded runs, newest first."""
        return self._desk.job_runs.list_runs(
            project_id=project_id, kind=kind, limit=limit, offset=offset
        )

    def list_concepts(
        self, *, project_id: str = "default", limit: int = 20, offset: int = 0
    ) -> ConceptPage:
        """Return the librarian's concepts with their members, largest first."""
        with self._desk.db.read() as connection:
            found, total = concepts.page(
                connection,
                limits.validate_project(project_id, all_allowed=True),
                limit=limits.validate_page_size(limit),
                offset=max(offset, 0),
                each=MEMBERS,
            )
        return ConceptPage(concepts=found, total=total)

    def start_worker(self) -> None:
        """Start the background thread; it works while no other process does."""
        self.worker.start()

    def stop_worker(self, timeout: float = 10.0) -> bool:
        """Stop the background thread; return whether it ended in time."""
        return self.worker.stop(timeout)

    def background_changed(self) -> None:
        """Apply changed settings of background discovery at once."""
        if self._desk.discovery.background.current().enabled:
            self.start_worker()
        self.worker.nudge()
