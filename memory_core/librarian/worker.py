"""
The librarian's background thread, active in one process at a time.

1. Every process has one; only the holder of the lease works, and the others
   check regularly. The lease of a killed process expires.
2. What is due is read from the database, so neither a restart nor another
   holder repeats or omits a run.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from ..context import acting_as, track_progress
from ..errors import ConflictError
from ..search.leased_thread import LeasedThread
from ..services.discovery.background import LEASE
from ..services.discovery.discovery import Discovery
from ..services.job_runs import Job, JobRuns
from ..storage import job_runs
from ..storage.database import Database
from ..storage.history import audit_log
from .scheduled_jobs import database_jobs

logger = logging.getLogger(__name__)

ACTOR = "librarian"

UPKEEP_SECONDS = 1800.0

# How often to check what is due, and whether the lease is free.
LOOK_SECONDS = 30.0

# Outlives three checks; renewed at each, and during long jobs.
_LEASE_SECONDS = 100.0


class Worker(LeasedThread):
    """Runs scheduled jobs and background discovery."""

    def __init__(
        self,
        db: Database,
        job_runs: JobRuns,
        discovery: Discovery,
        *,
        jobs: Sequence[Job] = (),
        upkeep_seconds: Callable[[], float] = lambda: UPKEEP_SECONDS,
    ) -> None:
        super().__init__(
            db,
            name="librarian",
            lease=LEASE,
            lease_seconds=_LEASE_SECONDS,
            look_seconds=LOOK_SECONDS,
        )
        self._jobs = (*database_jobs(db), *jobs)
        # Read each time: the interval may have changed.
        self._upkeep_seconds = upkeep_seconds
        self._job_runs = job_runs
        self._discovery = discovery
        self._began: datetime | None = None

    def step(self) -> float:
        if not self.lease.take():
            return LOOK_SECONDS
        with acting_as(ACTOR), track_progress(self._renew, self._stopping.is_set):
            try:
                self._run_scheduled()
                return self._discover()
            except ConflictError as busy:
                # A manual run takes precedence.
                logger.info("%s", busy)
                return LOOK_SECONDS

    def _renew(self, done: int, total: int, message: str) -> None:
        self.lease.renew_if_due()

    def _run_scheduled(self) -> None:
        now = self._db.clock()
        with self._db.read() as connection:
            found, _ = job_runs.page(connection, "*", kind="upkeep", limit=1)
            first_written = audit_log.first_at(connection)
        # A new database has nothing to maintain, and start-up stays fast.
        self._began = self._began or now
        last = found[0].started_at if found else min(self._began, first_written or now)
        # A run in the future was recorded by a wrong clock, and postpones nothing.
        if last <= now < last + timedelta(seconds=self._upkeep_seconds()):
            return
        with self._job_runs.start_run("upkeep", project_id="*") as job_run:
            job_run.run_jobs(self._jobs)

    def _discover(self) -> float:
        background = self._discovery.background
        wanted = background.current()
        if not wanted.enabled:
            return LOOK_SECONDS
        left = (background.due_at() - self._db.clock()).total_seconds()
        if left > 0:
            return min(left, LOOK_SECONDS)
        for project_id in self._discovery.list_projects():
            self._discovery.discover_relations(
                wanted.similarity_threshold, auto_create=False, project_id=project_id
            )
        return min(float(wanted.interval_seconds), LOOK_SECONDS)
