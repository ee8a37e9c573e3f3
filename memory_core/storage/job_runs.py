"""Rows of background job runs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from apsw import Connection

from ..clock import format_timestamp
from ..context import current_actor
from ..model.graph.librarian import Cycle

_COLUMNS = """id, kind, project_id, actor, started_at, ended_at, milliseconds, status, dry_run,
    seen_seq, first_seq, last_seq, batch_id, counts, pending, error"""

_BEGIN = f"""
insert into cycles (kind, project_id, actor, started_at, status, dry_run, seen_seq, batch_id,
    question, pending)
select :kind, :project_id, :actor, :started_at, 'running', :dry_run,
    (select coalesce(max(seq), 0) from change_log), :batch_id, :question,
    (select unembedded from vector_state)
returning {_COLUMNS}
"""

# The changes of a run are those of its batch.
_OF_BATCH = """(
        select {}(l.seq)
        from change_ranges r cross join change_log l on l.seq between r.first and r.last
        where r.batch_id = cycles.batch_id
    )"""
_FIRST, _LAST_OF = _OF_BATCH.format("min"), _OF_BATCH.format("max")

_END = f"""
update cycles
set ended_at = :ended_at, milliseconds = :milliseconds, status = :status, counts = :counts,
    error = :error,
    first_seq = {_FIRST}, last_seq = {_LAST_OF}
where id = :id
returning {_COLUMNS}
"""

# The holder of the lease is the only active process, so other running rows were killed.
_INTERRUPT = f"""
update cycles
set status = 'interrupted', error = 'Its process ended before it did.',
    first_seq = {_FIRST}, last_seq = {_LAST_OF}
where status = 'running' and id <> :but
"""

_PAGE = f"""
select {_COLUMNS}
from cycles
where (:project_id = '*' or project_id in (:project_id, '*')) and (:kind = '' or kind = :kind)
order by id desc
limit :limit offset :offset
"""

_COUNT = """
select count(*)
from cycles
where (:project_id = '*' or project_id in (:project_id, '*')) and (:kind = '' or kind = :kind)
"""

_LAST = f"""
select {_COLUMNS}
from cycles
where kind = :kind and project_id = :project_id and question = :question
    and status in ('done', 'unchanged') and dry_run = 0
order by id desc limit 1
"""

# The last run that examined data; later runs without data do not count.
_LAST_LOOK = f"""
select {_COLUMNS}
from cycles
where kind = :kind and project_id = :project_id and question = :question
    and status = 'done' and dry_run = 0
order by id desc limit 1
"""

_CHANGED_SINCE = """
select exists (
    select 1 from change_log l join change_transactions t on t.id = l.txn
    where l.seq > :seq and t.batch_id <> :batch_id
        and (:project_id = '*' or l.project = (select id from terms where text = :project_id))
)
"""

_PRUNE = """
delete from cycles where id <= (select max(id) from cycles) - :kept
"""


def begin(
    connection: Connection,
    kind: str,
    *,
    project_id: str,
    dry_run: bool,
    batch_id: str,
    question: Mapping[str, Any],
    now: datetime,
) -> Cycle:
    """Insert a started run."""
    row = connection.execute(
        _BEGIN,
        {
            "kind": kind,
            "project_id": project_id,
            "actor": current_actor(),
            "started_at": format_timestamp(now),
            "dry_run": dry_run,
            "batch_id": batch_id,
            "question": json.dumps(question, sort_keys=True),
        },
    ).fetchone()
    assert row is not None
    return _cycle(row)


def end(
    connection: Connection,
    cycle: Cycle,
    *,
    status: str,
    counts: Mapping[str, int],
    milliseconds: float,
    now: datetime,
    error: str = "",
) -> Cycle:
    """Record the result of a run."""
    row = connection.execute(
        _END,
        {
            "id": cycle.id,
            "status": status,
            "counts": json.dumps(counts, sort_keys=True),
            "milliseconds": milliseconds,
            "ended_at": format_timestamp(now),
            "error": error,
        },
    ).fetchone()
    assert row is not None
    return _cycle(row)


def interrupt(connection: Connection, *, but: int = 0) -> None:
    """Mark the runs whose process was killed."""
    connection.execute(_INTERRUPT, {"but": but})


def page(
    connection: Connection, project_id: str, *, kind: str = "", limit: int = 20, offset: int = 0
) -> tuple[list[Cycle], int]:
    """Return runs, newest first, and the total count."""
    bound = {"project_id": project_id, "kind": kind}
    total = int(connection.execute(_COUNT, bound).get)
    rows = connection.execute(_PAGE, {**bound, "limit": limit, "offset": offset})
    return [_cycle(row) for row in rows], total


def last(
    connection: Connection, kind: str, *, project_id: str, question: Mapping[str, Any], looked: bool
) -> Cycle | None:
    """Return the last successful run of that question; with *looked*, one that examined data."""
    bound = {
        "kind": kind,
        "project_id": project_id,
        "question": json.dumps(question, sort_keys=True),
    }
    row = connection.execute(_LAST_LOOK if looked else _LAST, bound).fetchone()
    return _cycle(row) if row else None


def nothing_new_since(connection: Connection, cycle: Cycle) -> bool:
    """Return whether only the run itself has written since it began, with all vectors present."""
    bound = {"seq": cycle.seen_seq, "batch_id": cycle.batch_id, "project_id": cycle.project_id}
    return not cycle.pending and not connection.execute(_CHANGED_SINCE, bound).get


def prune(connection: Connection, kept: int) -> int:
    """Delete all but the newest *kept* runs; return the number deleted."""
    connection.execute(_PRUNE, {"kept": kept})
    return connection.changes()


def _cycle(row: dict[str, Any]) -> Cycle:
    counts = json.loads(row["counts"])
    return Cycle(**{**row, "counts": counts, "dry_run": bool(row["dry_run"])})
