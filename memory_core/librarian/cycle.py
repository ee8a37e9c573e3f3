"""One librarian cycle, shared by the tool, the dashboard, the background thread and the tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict

import numpy as np

from ..context import ProgressCallback, report_progress, track_progress
from ..model.graph.librarian import LibrarianReport
from ..rules import limits
from ..search.neighbours import Near
from ..services.discovery.similarity import Likeness
from ..services.job_runs import JobRun
from ..services.progress import Progress
from .context import CycleState, LibrarianContext, Options
from .jobs import cycle_jobs

# Items per list in the report; the rest is in the suggestions and in the graph.
SHOWN = 15


def run_cycle(
    desk: LibrarianContext,
    *,
    project_id: str = "default",
    dry_run: bool = False,
    options: Options = Options(),  # noqa: B008  # frozen
    progress: ProgressCallback | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> LibrarianReport:
    """
    Run every job once over a project and return the report.

    Raise ConflictError while another run is active, and CancelledError on cancellation: changes
    committed by then are complete, and form one batch. Without *progress* or *cancelled*, those of
    the current call are used.
    """
    project_id = limits.validate_project(project_id)
    question = asdict(options)
    with track_progress(progress, cancelled):
        notice = desk.discovery.catch_up(Progress())
        before = None
        if not dry_run:
            before = desk.job_runs.last_run("librarian", project_id=project_id, question=question)
        with desk.job_runs.start_run(
            "librarian", project_id=project_id, dry_run=dry_run, question=question
        ) as job_run:
            work = _start_cycle(desk, job_run, project_id, options)
            if before is None:
                jobs = cycle_jobs(work)
                job_run.run_jobs(jobs)
                report_progress(100 * len(jobs), 100 * len(jobs), "done")
            else:
                job_run.outcome = "unchanged"
                job_run.counts["orphans"] = before.counts.get("orphans", 0)
                notice = f"Nothing was written since cycle {before.id}: there is nothing to do."
    return _build_report(work, notice)


def _start_cycle(
    desk: LibrarianContext, job_run: JobRun, project_id: str, options: Options
) -> CycleState:
    no_one = Likeness([], np.empty((0, 0), np.float16), frozenset())
    none = Near(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.float32))
    return CycleState(desk, job_run, project_id, options, likeness=no_one, near=none)


def _build_report(work: CycleState, notice: str) -> LibrarianReport:
    lists = (work.concepts, work.duplicates, work.contradictions, work.relations)
    return LibrarianReport(
        cycle=work.job_run.cycle,
        concepts=work.concepts[:SHOWN],
        duplicates=work.describe(work.duplicates, SHOWN),
        contradictions=work.describe(work.contradictions, SHOWN),
        relations=work.describe(work.relations, SHOWN),
        orphans=work.job_run.counts["orphans"],
        truncated=any(len(found) > SHOWN for found in lists),
        notice=notice,
    )
