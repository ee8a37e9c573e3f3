"""Scheduled maintenance of facts and extraction jobs."""

from __future__ import annotations

from ...context import as_one_batch, is_cancelled, report_progress
from ...ids import IdSource
from ...model.facts.facts import FactMaintenanceReport
from ...storage.database import Database
from ...storage.entries import extraction_jobs as jobs
from ...storage.entries import facts as rows
from .extraction import Extraction
from .writing import FactWriter

_AT_ONCE = 100


class FactUpkeep:
    """
    Retries failed jobs, compares facts that were stored without comparison, deletes old
    transcripts.
    """

    def __init__(
        self,
        db: Database,
        ids: IdSource,
        *,
        writer: FactWriter,
        extraction: Extraction,
    ) -> None:
        self._db = db
        self._ids = ids
        self._writer = writer
        self._extraction = extraction

    def run(self) -> FactMaintenanceReport:
        return FactMaintenanceReport(
            retried=self.retry_due(),
            compared=self.compare_waiting(),
            forgotten=self.forget_old(),
        )

    def retry_due(self) -> int:
        """Retry the jobs that are due; return how many."""
        return self._extraction.retry_due_jobs()

    def forget_old(self) -> int:
        """Delete transcripts past their retention time; return how many."""
        return self._extraction.delete_old_jobs()

    def compare_waiting(self) -> int:
        """Compare the facts that were stored without comparison; return how many."""
        done, after = 0, ""
        while not is_cancelled():
            with self._db.read() as connection:
                waiting = rows.uncompared_facts(connection, after=after, limit=_AT_ONCE)
            if not waiting:
                break
            for fact in waiting:
                # A batch per fact, so that each can be undone on its own.
                with as_one_batch(self._ids()):
                    compared = self._writer.compare(fact, model=self._extraction.language_model())
                if compared is None:
                    # Without vectors for one fact there are none for the next.
                    return done
                done += 1
                report_progress(done, 0, "comparing facts")
            after = waiting[-1].id
        with self._db.note() as connection:
            jobs.settle_compared(connection)
        return done
