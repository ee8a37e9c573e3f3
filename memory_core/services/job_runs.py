"""
Background job runs: one at a time across all processes, each with its row.

1. A run holds a lease and renews it. The lease of a killed process expires;
   the next run marks the killed one as interrupted.
2. All writes of a run are one batch in many short transactions, so that
   they can be undone together.
3. A run can be cancelled between transactions only.
"""

from __future__ import annotations

import os
import secrets
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ..context import as_one_batch, current_actor
from ..errors import CancelledError, ConflictError, MemoryCoreError
from ..ids import IdSource
from ..model.graph.librarian import Cycle, CycleKind, CyclePage, CycleStatus
from ..rules import limits
from ..storage import job_runs, leases
from ..storage.database import Database
from ..storage.leases import Lease
from .progress import Progress

LEASE = "librarian"

# Longer than the longest stretch between two ticks on a busy machine, which is the
# clustering of 50,000 entities.
LEASE_SECONDS = 120.0

_ERROR_CHARACTERS = 500


@dataclass(frozen=True)
class Job:
    """One step of a run; *run* returns the count to record, or None."""

    name: str
    run: Callable[[], int | None]
    message: str


class JobRun(Progress):
    """An active run."""

    def __init__(self, lease: Lease, cycle: Cycle) -> None:
        super().__init__()
        self.lease = lease
        self.cycle = cycle
        self.counts: Counter[str] = Counter()
        self.outcome: CycleStatus = "done"

    def run_jobs(self, jobs: Sequence[Job]) -> None:
        for step, job in enumerate(jobs):
            self.begin_step(step, len(jobs), job.message)
            count = job.run()
            if count is not None:
                self.counts[job.name] = count

    def tick(self, done: int, total: int) -> None:
        """Report progress and renew the lease; raise ConflictError if another process has it."""
        super().tick(done, total)
        if not self.lease.renew_if_due():
            raise ConflictError(
                "Another process took over while this run was suspended. Its writes until then "
                f"can be undone as batch {self.cycle.batch_id!r}."
            )


class JobRuns:
    """Starts and lists runs."""

    def __init__(self, db: Database, ids: IdSource) -> None:
        self._db = db
        self._ids = ids

    @contextmanager
    def start_run(
        self,
        kind: CycleKind,
        *,
        project_id: str,
        dry_run: bool = False,
        question: Mapping[str, Any] | None = None,
    ) -> Iterator[JobRun]:
        """Hold the lease and keep the row of a run; raise ConflictError while another is active."""
        started = time.perf_counter()
        job_run = self._begin(kind, project_id, dry_run, question or {})
        status: CycleStatus = "failed"
        error = "The run failed; server.log has the details."
        try:
            with as_one_batch(job_run.cycle.batch_id):
                yield job_run
            status, error = job_run.outcome, ""
        except CancelledError:
            status, error = "cancelled", ""
            raise
        except MemoryCoreError as failure:
            error = str(failure)[:_ERROR_CHARACTERS]
            raise
        finally:
            milliseconds = (time.perf_counter() - started) * 1000
            self._end(job_run, status=status, error=error, milliseconds=milliseconds)

    def last_run(
        self, kind: CycleKind, *, project_id: str, question: Mapping[str, Any]
    ) -> Cycle | None:
        """Return the last run that examined data, if nothing was written since."""
        with self._db.read() as connection:
            cycle = job_runs.last(
                connection, kind, project_id=project_id, question=question, looked=True
            )
            if cycle is None or not job_runs.nothing_new_since(connection, cycle):
                return None
            return cycle

    def list_runs(
        self,
        *,
        project_id: str = "default",
        kind: CycleKind | None = None,
        limit: int = 20,
        offset: int = 0,
    ) -> CyclePage:
        """Return runs, newest first."""
        project_id = limits.validate_project(project_id, all_allowed=True)
        with self._db.read() as connection:
            found, total = job_runs.page(
                connection,
                project_id,
                kind=kind or "",
                limit=limits.validate_page_size(limit),
                offset=max(offset, 0),
            )
        return CyclePage(cycles=found, total=total)

    def _begin(
        self, kind: CycleKind, project_id: str, dry_run: bool, question: Mapping[str, Any]
    ) -> JobRun:
        holder = f"{current_actor()} (process {os.getpid()}, {secrets.token_hex(3)})"
        lease = Lease(self._db, LEASE, holder=holder, seconds=LEASE_SECONDS)
        with self._db.note() as connection:
            now = self._db.clock()
            if not lease.take(connection):
                raise _busy(leases.holder(connection, LEASE, now=now) or "another process")
            cycle = job_runs.begin(
                connection,
                kind,
                project_id=project_id,
                dry_run=dry_run,
                batch_id=self._ids(),
                question=question,
                now=now,
            )
            job_runs.interrupt(connection, but=cycle.id)
        return JobRun(lease, cycle)

    def _end(self, job_run: JobRun, *, status: str, error: str, milliseconds: float) -> None:
        with self._db.note() as connection:
            job_run.cycle = job_runs.end(
                connection,
                job_run.cycle,
                status=status,
                counts=dict(job_run.counts),
                milliseconds=round(milliseconds, 3),
                now=self._db.clock(),
                error=error,
            )
            job_run.lease.release(connection)


def _busy(holder: str) -> ConflictError:
    return ConflictError(
        f"The librarian is already running for {holder}. Wait until that run has ended; the lease "
        f"of a killed one expires after {LEASE_SECONDS:.0f} seconds."
    )
