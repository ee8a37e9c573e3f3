"""
Extraction of facts from conversations, as persistent jobs.

1. The transcript is stored before a model is called. Any later failure (refusal, timeout or crash)
   leaves a job that is retried. 2. A worker claims a job for a limited time; after a crash the
   claim expires. 3. Extracted facts are stored in the job, and each fact is written together with
   its line there: a job resumed after a crash writes nothing twice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta

from pydantic import JsonValue

from ...context import as_one_batch, current_batch, is_cancelled, report_progress
from ...errors import (
    CancelledError,
    ConflictError,
    ExtractionError,
    LanguageModelUnavailableError,
    ValidationError,
)
from ...extract.protocols import Extractor, LanguageModel
from ...ids import IdSource
from ...model.facts.extraction import ExtractedFact, Message
from ...model.facts.facts import ExtractionJob, JobStatus, RememberResult
from ...model.scope import EVERYTHING, Scope
from ...rules.facts.conversation import as_list, job_status
from ...rules.facts.extraction import extraction_contract, validate_facts
from ...settings.facts import FactDefaults
from ...storage.database import Connection, Database
from ...storage.entries import extraction_jobs as jobs
from .writing import FactWriter, NewFact

ASSISTANT = "assistant"

# Longer than the timeout of any model call.
_BUSY = timedelta(minutes=15)

_FIRST_WAIT = timedelta(minutes=1)
_LONGEST_WAIT = timedelta(days=1)
_EACH_TIME = 5

_AT_ONCE = 20

_OPEN = ("pending", "waiting_for_assistant", "failed")


class Extraction:
    """Creates, runs and retries extraction jobs."""

    def __init__(
        self,
        db: Database,
        ids: IdSource,
        writer: FactWriter,
        settings: FactDefaults,
        *,
        configured: Callable[[], Extractor | None],
    ) -> None:
        self._db = db
        self._ids = ids
        self._writer = writer
        self._settings = settings
        self._configured = configured

    def select_extractor(self, given: Extractor | None = None) -> Extractor | None:
        """Return the given extractor, else the configured one, if any."""
        if given is not None and not all(hasattr(given, name) for name in ("name", "facts")):
            raise ValidationError(
                f"extractor is {given!r:.60}, and must have a name and facts(messages)."
            )
        return given or self._configured()

    def language_model(self) -> LanguageModel | None:
        """Return the configured model, which may merge facts, if there is one."""
        configured = self._configured()
        return configured.model if configured else None

    def new_job(
        self,
        messages: Sequence[Message],
        scope: Scope,
        *,
        metadata: Mapping[str, JsonValue],
        extractor: str = "",
    ) -> ExtractionJob:
        """Return a job that is not stored yet; without an extractor it waits for the assistant."""
        now = self._db.clock()
        return ExtractionJob(
            id=self._ids(),
            **scope.model_dump(),
            status="pending" if extractor else "waiting_for_assistant",
            extractor=extractor or ASSISTANT,
            message_count=len(messages),
            messages=list(messages),
            metadata=dict(metadata),
            # In case the process ends before the extractor is called.
            next_attempt_at=now + _BUSY if extractor else None,
            created_at=now,
            updated_at=now,
        )

    def open_job(self, job: ExtractionJob) -> None:
        """Store a job before any other work on it."""
        with self._db.note() as connection:
            self.open_job_within(connection, job)

    def open_job_within(self, connection: Connection, job: ExtractionJob) -> None:
        """Store a job within the caller's transaction."""
        jobs.insert(connection, job)

    def offer_job(self, job: ExtractionJob) -> RememberResult:
        """Return what the assistant needs to extract the facts itself."""
        return RememberResult(
            outcome="waiting_for_assistant",
            job_id=job.id,
            contract=extraction_contract(),
            notice="Only the transcript is stored so far. Extract the facts from the messages as "
            "the contract says, and call the tool memory_extract_submit with this job_id.",
        )

    def run_job(
        self, job_id: str, extractor: Extractor, *, stoppable: bool = False
    ) -> RememberResult:
        """
        Run a job; model failures are reported, not raised.

        With *stoppable*, raise CancelledError before anything is written if the caller is gone.
        """
        job = self._claim_job(job_id, extractor.name, attempts=1)
        if job.extracted is None:
            try:
                parsed = extractor.facts(job.messages)
            except (ExtractionError, LanguageModelUnavailableError) as error:
                return self._fail_job(job, f"{error.code}: {error}")
            if problem := parsed.problem or _all_refused(parsed.facts, parsed.refused):
                return self._fail_job(job, f"{ExtractionError.code}: {problem}")
            job = self._mark_extracted(job, parsed.facts, parsed.refused)
        if stoppable and is_cancelled():
            self._let_go(job)
            raise CancelledError(
                "Stopped: no fact was stored. The extracted facts are kept with the "
                "conversation; a retry stores them without calling a model."
            )
        return self._write_facts(job, extractor.model)

    def submit_facts(
        self, job_id: str, facts: Sequence[object], scope: Scope = EVERYTHING
    ) -> RememberResult:
        """
        Store the facts that the assistant extracted.

        Raise ExtractionError if none of them is valid, and ConflictError if the job is done.
        """
        parsed = validate_facts(as_list(facts))
        self._require(job_id, scope)
        if problem := parsed.problem or _all_refused(parsed.facts, parsed.refused):
            raise ExtractionError(
                f"Nothing was stored of job {job_id!r}. {problem} Give facts as the contract says: "
                'a list of objects with "content"; an empty list if nothing is worth keeping.'
            )
        job = self._claim_job(job_id, ASSISTANT, attempts=1)
        if job.extracted is None or not job.facts:
            job = self._mark_extracted(job, parsed.facts, parsed.refused)
        return self._write_facts(job, self.language_model())

    def retry_due_jobs(self) -> int:
        """Retry the jobs that are due; return how many."""
        extractor = self._configured()
        if extractor is None:
            return 0
        now = self._db.clock()
        with self._db.read() as connection:
            due = jobs.due(connection, now=now, limit=_AT_ONCE)
        tried = 0
        for id in due:
            if is_cancelled():
                break
            # Also renews the lease of the librarian, as a model can be slow.
            report_progress(tried, len(due), "extracting facts from conversations")
            try:
                self.run_job(id, extractor)
            except ConflictError:
                # Another process claimed it first.
                continue
            tried += 1
        return tried

    def delete_old_jobs(self) -> int:
        """Delete transcripts past their retention time; return how many."""
        before = self._db.clock() - timedelta(days=self._settings.transcript_days)
        with self._db.note() as connection:
            jobs.settle_compared(connection)
            return jobs.forget(connection, before=before)

    def _require(self, job_id: str, scope: Scope) -> None:
        with self._db.read() as connection:
            jobs.get(connection, job_id, scope)

    def _claim_job(self, job_id: str, by: str, *, attempts: int) -> ExtractionJob:
        now = self._db.clock()
        with self._db.note() as connection:
            job = jobs.get(connection, job_id, EVERYTHING)
            if job.status not in _OPEN:
                raise ConflictError(
                    f"The job {job_id!r} is done: {job.status}. Submit the conversation again to "
                    "extract facts once more."
                )
            claimed = jobs.claim(
                connection, job_id, extractor=by, attempts=attempts, now=now, until=now + _BUSY
            )
            if not claimed:
                raise ConflictError(f"The job {job_id!r} is in progress. Check again later.")
            return jobs.get(connection, job_id, EVERYTHING)

    def _fail_job(self, job: ExtractionJob, reason: str) -> RememberResult:
        now = self._db.clock()
        # Only a configured model can retry in the background; the client's model is gone.
        again = job.attempts < self._settings.attempts and self._configured() is not None
        wait = min(_FIRST_WAIT * _EACH_TIME ** (job.attempts - 1), _LONGEST_WAIT)
        with self._db.note() as connection:
            jobs.fail(
                connection,
                job.id,
                reason,
                status="failed",
                now=now,
                next_attempt_at=now + wait if again else None,
            )
        return RememberResult(
            outcome="extraction_failed",
            job_id=job.id,
            reason=reason,
            notice="No fact was stored. The conversation is kept as a job and "
            + ("is retried later" if again else "is not retried automatically")
            + "; or extract the facts yourself and call the tool memory_extract_submit.",
        )

    def _let_go(self, job: ExtractionJob) -> None:
        """Reset a job to its state before the attempt, except for the extracted facts."""
        with self._db.note() as connection:
            jobs.fail(
                connection,
                job.id,
                job.reason,
                status=job.status,
                now=self._db.clock(),
                next_attempt_at=job.next_attempt_at,
            )

    def _mark_extracted(
        self, job: ExtractionJob, facts: Sequence[ExtractedFact], refused: Sequence[str]
    ) -> ExtractionJob:
        with self._db.note() as connection:
            jobs.keep_extracted(connection, job.id, facts, refused=refused, now=self._db.clock())
            return jobs.get(connection, job.id, EVERYTHING)

    def _write_facts(self, job: ExtractionJob, model: LanguageModel | None) -> RememberResult:
        """Write the remaining facts of an extracted job, and close it."""
        batch_id = job.batch_id or current_batch() or self._ids()
        rest = (job.extracted or [])[len(job.facts) :]
        scope = Scope(**job.model_dump(include=set(Scope.model_fields)))
        with as_one_batch(batch_id):
            done = self._writer.write(
                [_new_fact(fact, job) for fact in rest],
                scope,
                cause="remember",
                model=model,
                job_id=job.id,
            )
        facts = [*job.facts, *done]
        status = job_status([fact.outcome for fact in facts])
        with self._db.note() as connection:
            jobs.finish(connection, job.id, status, now=self._db.clock())
        return RememberResult(
            outcome=_OUTCOMES[status],
            facts=facts,
            refused=job.refused,
            job_id=job.id,
            batch_id=batch_id if status in ("stored", "deferred") else "",
        )


_OUTCOMES: Mapping[JobStatus, str] = {
    "stored": "stored",
    "deferred": "deferred",
    "duplicate": "duplicate",
    "nothing_memorable": "nothing_memorable",
}


def _all_refused(facts: Sequence[ExtractedFact], refused: Sequence[str]) -> str:
    """Return why no fact is left, or an empty string if none was extracted."""
    return "" if facts or not refused else f"No valid facts. {' '.join(refused[:5])}"


def _new_fact(fact: ExtractedFact, job: ExtractionJob) -> NewFact:
    where: dict[str, JsonValue] = {"job_id": job.id}
    if fact.source:
        where["source"] = fact.source
    if fact.message >= 0:
        where["message"] = fact.message
    return NewFact(
        content=fact.content,
        said_at=job.created_at,
        category=fact.category or "conversation",
        metadata={**job.metadata, **where},
        occurred_at=fact.occurred_at,
    )
