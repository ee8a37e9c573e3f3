"""
The thread that works in the background, in one process at a time.

1. Every process has one; only the one with the lease works, and the others look
   again from time to time. A killed process loses it when it expires.
2. It asks the database what is due, so a restart or a change of hands neither
   repeats nor forgets a run.
3. Nothing that goes wrong ends it; it logs, and tries again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from ..context import acting_as, track_progress
from ..errors import CancelledError, ConflictError, MemoryCoreError, NotInitialisedError
from ..search.leased_thread import LeasedThread
from ..services.discovery.background import LEASE
from ..services.discovery.discovery import Discovery
from ..services.job_runs import JobRuns
from ..storage import job_runs
from ..storage.database import Database
from ..storage.history import audit_log
from .scheduled_jobs import DATABASE_JOBS, ServiceJob

logger = logging.getLogger(__name__)

ACTOR = "librarian"

UPKEEP_SECONDS = 1800.0

# How often to look what is due, and whether the lease is free.
LOOK_SECONDS = 30.0

# The lease outlives three looks; it is renewed at each, and on the way through long work.
_LEASE_SECONDS = 100.0
_RENEW_SECONDS = 20.0


class Worker(LeasedThread):
    """The thread and its handle."""

    def __init__(
        self,
        db: Database,
        job_runs: JobRuns,
        discovery: Discovery,
        *,
        jobs: Sequence[ServiceJob] = (),
        upkeep_seconds: Callable[[], float] = lambda: UPKEEP_SECONDS,
    ) -> None:
        super().__init__(db, lease=LEASE, lease_seconds=_LEASE_SECONDS, thread_name="librarian")
        self._jobs = jobs
        # Read each time: the interval may have changed.
        self._upkeep_seconds = upkeep_seconds
        self._job_runs = job_runs
        self._discovery = discovery
        self._renewed: datetime | None = None
        self._began: datetime | None = None

    def step(self) -> float:
        """Do what is due, if the lease is ours; return in how many seconds to look again."""
        if not self._leads():
            return LOOK_SECONDS
        with acting_as(ACTOR), track_progress(self._renew, self._stopping.is_set):
            try:
                self._keep_up()
                return self._discover()
            except ConflictError as busy:
                # A manual run takes precedence.
                logger.info("%s", busy)
                return LOOK_SECONDS

    def release(self) -> None:
        super().release()
        self._renewed = None

    def _run(self) -> None:
        try:
            self._work()
        finally:
            self._let_go()

    def _let_go(self) -> None:
        try:
            self.release()
        except MemoryCoreError as error:
            logger.info("The librarian's lease runs out by itself: %s", error.code)

    def _work(self) -> None:
        while not self._stopping.is_set():
            self._nudged.clear()
            wait = LOOK_SECONDS
            try:
                wait = self.step()
            except (CancelledError, NotInitialisedError):
                # Stopped, or started while the memory was being closed.
                return
            except MemoryCoreError as error:
                logger.warning("The librarian puts off its work: %s", error.code)
            except Exception:
                logger.exception("The librarian stumbled and goes on")
            self._nudged.wait(wait)

    def _leads(self) -> bool:
        now = self._db.clock()
        leads = self._take_lease()
        self._renewed = now if leads else None
        return leads

    def _renew(self, done: int, total: int, message: str) -> None:
        now = self._db.clock()
        # A clock that was set back would else keep the lease from being renewed until it is past.
        if self._renewed is None or abs((now - self._renewed).total_seconds()) >= _RENEW_SECONDS:
            self._leads()

    def _keep_up(self) -> None:
        now = self._db.clock()
        with self._db.read() as connection:
            found, _ = job_runs.page(connection, "*", kind="upkeep", limit=1)
            first_written = audit_log.first_at(connection)
        # A new database has nothing to maintain, and start-up stays fast.
        self._began = self._began or now
        last = found[0].started_at if found else min(self._began, first_written or now)
        # A run in the future was made under a clock gone wrong, and puts nothing off.
        if last <= now < last + timedelta(seconds=self._upkeep_seconds()):
            return
        with self._job_runs.start_run("upkeep", project_id="*") as job_run:
            steps = len(DATABASE_JOBS) + len(self._jobs)
            for step, job in enumerate(DATABASE_JOBS):
                job_run.begin_step(step, steps, job.what)
                with self._db.note() as connection:
                    job_run.counts[job.name] = job.run(connection)
            for step, service_job in enumerate(self._jobs, start=len(DATABASE_JOBS)):
                job_run.begin_step(step, steps, service_job.what)
                job_run.counts[service_job.name] = service_job.run()

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
