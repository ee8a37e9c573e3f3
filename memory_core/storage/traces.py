"""Rows of traces and of use counts. Not tracked."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from apsw import Connection

_INSERT = """
insert into traces (at, operation, actor, project_id, milliseconds, stages, query,
    hits, cached, channels, error)
values (:at, :operation, :actor, :project_id, :milliseconds, :stages, :query,
    :hits, :cached, :channels, :error)
"""

_SINCE = """
select at, operation, actor, project_id, milliseconds, stages, query, hits, cached, channels, error
from traces
where at >= :since and (:project_id = '*' or project_id = :project_id)
order by at desc, id desc
limit :limit
"""

_FORGET_BEFORE = """
delete from traces where at < :before
"""

_USED = """
insert into usage (kind, row_id, retrievals, last_retrieved_at)
values (:kind, :row_id, 1, :at)
on conflict (kind, row_id) do update set
    retrievals = retrievals + 1,
    last_retrieved_at = max(last_retrieved_at, excluded.last_retrieved_at)
"""


@dataclass(frozen=True)
class TraceRow:
    """One call: total and stage durations in milliseconds, hits, and the error code."""

    at: str
    operation: str
    actor: str
    project_id: str
    milliseconds: float
    stages: Mapping[str, float] = field(default_factory=dict)
    query: str = ""
    hits: int | None = None
    cached: int | None = None
    channels: str = ""
    error: str = ""


def insert(connection: Connection, rows: Iterable[TraceRow]) -> None:
    connection.executemany(_INSERT, (_parameters(row) for row in rows))


def since(connection: Connection, moment: str, *, project_id: str, limit: int) -> list[TraceRow]:
    """Return the newest traces at or after *moment*, newest first."""
    rows = connection.execute(_SINCE, {"since": moment, "project_id": project_id, "limit": limit})
    return [TraceRow(**{**row, "stages": json.loads(row["stages"])}) for row in rows]


def forget_before(connection: Connection, moment: str) -> int:
    connection.execute(_FORGET_BEFORE, {"before": moment})
    return connection.changes()


def count_use(connection: Connection, used: Iterable[tuple[str, str]], at: str) -> None:
    """Add one retrieval to each (kind, row id)."""
    connection.executemany(
        _USED, ({"kind": kind, "row_id": row_id, "at": at} for kind, row_id in used)
    )


def _parameters(row: TraceRow) -> dict[str, str | float | int | None]:
    return {
        "at": row.at,
        "operation": row.operation,
        "actor": row.actor,
        "project_id": row.project_id,
        "milliseconds": row.milliseconds,
        "stages": json.dumps(row.stages),
        "query": row.query,
        "hits": row.hits,
        "cached": row.cached,
        "channels": row.channels,
        "error": row.error,
    }
