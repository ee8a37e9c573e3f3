"""Rows of extraction jobs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from apsw import Connection

from ...clock import format_timestamp
from ...errors import NotFoundError
from ...model.facts.extraction import ExtractedFact
from ...model.facts.facts import ExtractionJob, JobStatus, WrittenFact
from ...model.scope import Scope
from ..scoping import SEEN, bound_of, page_of, scope_query

_COLUMNS = """id, project_id, user_id, agent_id, session_id, status, extractor, attempts, reason,
    json_array_length(messages) as message_count, messages, metadata, facts, refused, written,
    batch_id, next_attempt_at, created_at, updated_at"""

_BY_ID = f"""
select {_COLUMNS} from extraction_jobs where id = :id and {SEEN}
"""

_PAGE = f"""
select {_COLUMNS}
from extraction_jobs
where {SEEN} and (:status = '' or status = :status)
    and (:created_at = '' or (created_at, id) < (:created_at, :id))
order by created_at desc, id desc
limit :limit
"""

_COUNT = f"""
select count(*) from extraction_jobs where {SEEN} and (:status = '' or status = :status)
"""

_INSERT = """
insert into extraction_jobs (id, project_id, user_id, agent_id, session_id, messages, metadata,
    extractor, status, busy_until, next_attempt_at, created_at, updated_at)
values (:id, :project_id, :user_id, :agent_id, :session_id, :messages, :metadata,
    :extractor, :status, :busy_until, :next_attempt_at, :created_at, :created_at)
"""

_CLAIM = """
update extraction_jobs
set busy_until = :busy_until, extractor = :extractor, attempts = attempts + :attempts,
    updated_at = :now
where id = :id and status in ('pending', 'waiting_for_assistant', 'failed')
    and (busy_until is null or busy_until <= :now)
"""

_DUE = """
select id from extraction_jobs
where next_attempt_at is not null and next_attempt_at <= :now
    and status in ('pending', 'failed') and (busy_until is null or busy_until <= :now)
order by next_attempt_at, id
limit :limit
"""

_FAIL = """
update extraction_jobs
set status = :status, reason = :reason, busy_until = null, next_attempt_at = :next_attempt_at,
    updated_at = :now
where id = :id
"""

_EXTRACTED = """
update extraction_jobs
set facts = :facts, refused = :refused, updated_at = :now
where id = :id
"""

_PROGRESS = """
update extraction_jobs
set written = json_insert(written, '$[#]', json(:written)), batch_id = :batch_id,
    updated_at = :now
where id = :id
"""

_FINISH = """
update extraction_jobs
set status = :status, reason = '', busy_until = null, next_attempt_at = null, updated_at = :now
where id = :id
"""

_FORGET = """
delete from extraction_jobs
where status in ('stored', 'deferred', 'duplicate', 'nothing_memorable') and updated_at < :before
"""

# What was stored first and compared later is now like any other.
_COMPARED = """
update extraction_jobs
set status = 'stored'
where status = 'deferred' and not exists (
    select 1
    from json_each(extraction_jobs.written) w
    join uncompared u on u.entry_id = w.value ->> 'id'
)
"""


def insert(
    connection: Connection, job: ExtractionJob, *, busy_until: datetime | None = None
) -> None:
    values = job.model_dump(mode="json", include={"messages", "metadata"})
    scope = job.model_dump(include=set(Scope.model_fields))
    connection.execute(
        _INSERT,
        {
            **scope,
            "id": job.id,
            "messages": json.dumps(values["messages"], ensure_ascii=False),
            "metadata": json.dumps(values["metadata"], ensure_ascii=False, sort_keys=True),
            "extractor": job.extractor,
            "status": job.status,
            "busy_until": _stamp(busy_until),
            "next_attempt_at": _stamp(job.next_attempt_at),
            "created_at": format_timestamp(job.created_at),
        },
    )


def get(connection: Connection, id: str, scope: Scope) -> ExtractionJob:
    """Return a job with its messages; raise NotFoundError if the scope may not see it."""
    bound = {**bound_of(scope), "id": id}
    query = scope_query(_BY_ID, scope.project_id, bound["user_id"])
    row = connection.execute(query, bound).fetchone()
    if row is None:
        hint = (
            "List the jobs with the tool list_extraction_jobs. Give user_id to find those of a "
            "user."
        )
        raise NotFoundError("extraction job", id, hint)
    return _job(row)


def page(
    connection: Connection,
    scope: Scope,
    *,
    status: str = "",
    after: tuple[str, str] = ("", ""),
    limit: int = 50,
) -> tuple[list[ExtractionJob], int]:
    """Return jobs, newest first, and how many match in all."""
    bound = {**bound_of(scope), "status": status}
    place = {"created_at": after[0], "id": after[1], "limit": limit}
    rows, total = page_of(connection, _PAGE, count=_COUNT, bound=bound, place=place)
    return [_job(row) for row in rows], total


def claim(
    connection: Connection,
    id: str,
    *,
    extractor: str,
    attempts: int,
    now: datetime,
    until: datetime,
) -> bool:
    """Claim a job; return False if it is done or claimed by another worker."""
    bound = {
        "id": id,
        "extractor": extractor,
        "attempts": attempts,
        "now": format_timestamp(now),
        "busy_until": format_timestamp(until),
    }
    connection.execute(_CLAIM, bound)
    return connection.changes() == 1


def due(connection: Connection, *, now: datetime, limit: int) -> list[str]:
    """Return jobs that are due for a retry, longest due first."""
    rows = connection.execute(_DUE, {"now": format_timestamp(now), "limit": limit})
    return [row["id"] for row in rows]


def fail(
    connection: Connection,
    id: str,
    reason: str,
    *,
    status: JobStatus,
    now: datetime,
    next_attempt_at: datetime | None,
) -> None:
    """Release a failed job until the next attempt."""
    bound = {
        "id": id,
        "status": status,
        "reason": reason,
        "now": format_timestamp(now),
        "next_attempt_at": _stamp(next_attempt_at),
    }
    connection.execute(_FAIL, bound)


def keep_extracted(
    connection: Connection,
    id: str,
    facts: Sequence[ExtractedFact],
    *,
    refused: Sequence[str],
    now: datetime,
) -> None:
    """Store the extracted facts, so that a retry does not extract them again."""
    bound = {
        "id": id,
        "facts": _placeholders(fact.model_dump(mode="json") for fact in facts),
        "refused": _placeholders(refused),
        "now": format_timestamp(now),
    }
    connection.execute(_EXTRACTED, bound)


def keep_written(
    connection: Connection, id: str, written: WrittenFact, *, batch_id: str, now: datetime
) -> None:
    """Record the result of the next fact, in the transaction that writes it."""
    text = json.dumps(written.model_dump(mode="json"), ensure_ascii=False)
    bound = {"id": id, "written": text, "batch_id": batch_id, "now": format_timestamp(now)}
    connection.execute(_PROGRESS, bound)


def finish(connection: Connection, id: str, status: JobStatus, *, now: datetime) -> None:
    connection.execute(_FINISH, {"id": id, "status": status, "now": format_timestamp(now)})


def forget(connection: Connection, *, before: datetime) -> int:
    """Delete the jobs completed before that moment; return how many."""
    connection.execute(_FORGET, {"before": format_timestamp(before)})
    return connection.changes()


def settle_compared(connection: Connection) -> None:
    """Set the status of jobs to stored when all their facts have been compared."""
    connection.execute(_COMPARED)


def _stamp(moment: datetime | None) -> str | None:
    return format_timestamp(moment) if moment else None


def _placeholders(values: Any) -> str:
    return json.dumps(list(values), ensure_ascii=False)


def _job(row: Mapping[str, Any]) -> ExtractionJob:
    values = dict(row)
    values["extracted"] = values.pop("facts")
    values["facts"] = values.pop("written")
    read = {name: json.loads(values[name]) for name in _JSON if values[name] is not None}
    return ExtractionJob(**{**values, **read})


_JSON = ("messages", "metadata", "extracted", "refused", "facts")
