"""Read access to the audit log."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from apsw import Connection

from ...clock import format_timestamp
from ...errors import NotFoundError, VersionConflictError
from ...rules.table_names import kind_for_table

# By bisection, as time and seq increase together: each step is half of the one before. The time of
# a seq is that of its transaction.
_SEQ_AT = """
with recursive search (low, step) as (
    select 0, :step
    union all
    select low + step * (
            select iif(:inclusive, coalesce(max(at), '') <= :at, coalesce(max(at), '') < :at)
            from (
                select at from change_ranges where first <= low + step
                order by first desc limit 1
            )
        ),
        step / 2
    from search
    where step > 0
)
select min(low, :newest) from search where step = 0
"""

_FIRST_AT = """
select at from change_ranges order by first limit 1
"""

_NEWEST = """
select coalesce(max(seq), 0) as seq from change_log
"""

_VERSION = """
select seq, at, actor from changes
where seq = (
    select max(seq) from change_log
    where row = (select id from terms where text = :row_id)
        and kind = (select id from terms where text = :kind)
)
"""

_RECENT = """
select seq, at, actor, cause, kind, row_id, subject_id, object_id, op, project_id, batch_id, state
from changes
where project_id = :project_id and seq < :before
order by seq desc limit :limit
"""

_RECENT_ANYWHERE = """
select seq, at, actor, cause, kind, row_id, subject_id, object_id, op, project_id, batch_id, state
from changes
where seq < :before
order by seq desc limit :limit
"""

_BATCH = """
select batch_id from change_context
"""

_CHANGE = """
select seq, at, actor, cause, kind, row_id, subject_id, object_id, op, project_id, batch_id, state
from changes
where seq = :seq
"""


@dataclass(frozen=True)
class Version:
    """The newest change of a row; its seq is the row's version."""

    seq: int
    at: str
    actor: str


@dataclass(frozen=True)
class Change:
    """An entry of the audit log; state is the new state of the row, None if it was deleted."""

    seq: int
    at: str
    actor: str
    cause: str
    kind: str
    row_id: str
    subject_id: str
    object_id: str | None
    op: str
    project_id: str
    batch_id: str
    state: dict[str, Any] | None


def newest(connection: Connection) -> int:
    return int(connection.execute(_NEWEST).get)


def first_at(connection: Connection) -> datetime | None:
    """Return the time of the oldest recorded change."""
    row = connection.execute(_FIRST_AT).fetchone()
    return datetime.fromisoformat(row["at"]) if row else None


def batch(connection: Connection) -> str:
    """Return the id of the current batch."""
    return str(connection.execute(_BATCH).get)


def seq_at(connection: Connection, moment: datetime) -> int:
    """Return the last change made at or before *moment*, or 0."""
    return last_seq(connection, format_timestamp(moment))


def last_seq(connection: Connection, at: str, *, inclusive: bool = True) -> int:
    """Return the last seq at or before a timestamp, or before it if not *inclusive*; or 0."""
    last = newest(connection)
    step = 1 << last.bit_length()
    bound = {"at": at, "inclusive": inclusive, "newest": last, "step": step}
    return int(connection.execute(_SEQ_AT, bound).get)


def version(connection: Connection, kind: str, row_id: str) -> Version:
    """Return the newest change of a row; seq 0 if it has none."""
    row = connection.execute(_VERSION, {"kind": kind, "row_id": row_id}).fetchone()
    return Version(**row) if row else Version(0, "", "")


def check_version(
    connection: Connection, kind: str, row_id: str, expected: int, *, id: str = ""
) -> None:
    """
    Raise VersionConflictError if the row has changed since version *expected*; 0 skips the check.
    """
    newest_change = version(connection, kind, row_id)
    if expected and newest_change.seq != expected:
        raise VersionConflictError(
            kind_for_table(kind),
            id or row_id,
            by=newest_change.actor,
            at=newest_change.at,
            version=newest_change.seq,
        )


def recent(
    connection: Connection, project_id: str, *, before: int = 1 << 62, limit: int = 50
) -> list[Change]:
    """Return the newest changes of a project ("*": of all), newest first."""
    query = _RECENT_ANYWHERE if project_id == "*" else _RECENT
    rows = connection.execute(query, {"project_id": project_id, "before": before, "limit": limit})
    return [change_of(row) for row in rows]


def change(connection: Connection, seq: int) -> Change:
    """Return one entry of the audit log; raise NotFoundError if there is none with that seq."""
    row = connection.execute(_CHANGE, {"seq": seq}).fetchone()
    if row is None:
        raise NotFoundError("change", str(seq))
    return change_of(row)


def change_of(row: dict[str, Any]) -> Change:
    """Return the value of a row that has all columns of _CHANGE."""
    return Change(**{**row, "state": json.loads(row["state"]) if row["state"] else None})
