"""
Long work in the background: one at a time over all processes, each with its row.

1. A running job holds a lease and renews it. One that was killed
   holds it until it expires; the next one writes down that it was interrupted.
2. All that a run writes is one batch, over as many short transactions as it
   takes, so that it can be undone as one.
3. A run can be cancelled between transactions only.
"""

from __future__ import annotations

import os
import secrets
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from ..context import as_one_batch, current_actor
from ..errors import CancelledError, ConflictError, MemoryCoreError
from ..ids import IdSource
from ..model.graph.librarian import Cycle, CycleKind, CyclePage, CycleStatus
from ..rules import limits
from ..storage import job_runs, leases
from ..storage.database import Database
from .progress import Progress

LEASE = "librarian"

# Longer than the longest stretch between two ticks on a busy machine, which is the
# clustering of 50,000 entities; renewed after a sixth of it.
LEASE_SECONDS = 120.0
_RENEW_SECONDS = 20.0

_ERROR_CHARACTERS = 500


class JobRun(Progress):
    """A run under way."""

    def __init__(self, db: Database, holder: str, cycle: Cycle) -> None:
        super().__init__()
        self._db = db
        self._renewed: datetime = db.clock()
        self.holder = holder
        self.cycle = cycle
        self.counts: Counter[str] = Counter()
        self.outcome: CycleStatus = "done"

    def tick(self, done: int, total: int) -> None:
        """As any step's, and renew the lease; raise ConflictError if another process has it."""
        super().tick(done, total)
        self._renew()

    def _renew(self) -> None:
        now = self._db.clock()
        # Also when the clock was set back: the lease must not end far in the future either.
        if abs((now - self._renewed).total_seconds()) < _RENEW_SECONDS:
            return
        with self._db.note() as connection:
            if not leases.renew(
                connection, LEASE, holder=self.holder, now=now, seconds=LEASE_SECONDS
            ):
                raise ConflictError(
                    "Another process took over while this run stood still. What it had written "
                    f"by then can be undone as batch {self.cycle.batch_id!r}."
                )
        self._renewed = now


class JobRuns:
    """Begins runs and lists those that were."""

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
        """
        Hold the lease for the block and write its row; raise ConflictError while another works.
        """
        started = time.perf_counter()
        job_run = self._begin(kind, project_id, dry_run, question or {})
        status: CycleStatus = "failed"
        error = "It failed; server.log has the details."
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
        """Return the last run that looked, if nothing was written since it did."""
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
        with self._db.note() as connection:
            now = self._db.clock()
            if not _take_lease(connection, holder, now):
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
        return JobRun(self._db, holder, cycle)

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
            leases.release(connection, LEASE, holder=job_run.holder)


def _take_lease(connection: Any, holder: str, now: datetime) -> bool:
    return leases.take(connection, LEASE, holder=holder, now=now, seconds=LEASE_SECONDS)


def _busy(holder: str) -> ConflictError:
    return ConflictError(
        f"The librarian is at work already, for {holder}. Wait until that run has ended; one that "
        f"was killed is let go after {LEASE_SECONDS:.0f} seconds."
    )
