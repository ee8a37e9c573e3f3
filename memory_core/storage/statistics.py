"""Queries over traces: many rows, few columns."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from apsw import Connection

from ..model.search.statistics import RecentQuery, RecordedCall, SlowSearch

# The index begins with the time, so the cost depends on the rows of the window only.
_TIMINGS = """
select at, operation, milliseconds, stages, hits, cached, channels, error
from traces
where at >= :since and at <= :until and (:project_id = '*' or project_id = :project_id)
order by at desc, id desc
limit :limit
"""

_SLOWEST = """
select at, operation, actor, project_id, query, milliseconds, hits, stages
from traces
where at >= :since and at <= :until and error = ''
    and (:project_id = '*' or project_id = :project_id)
    and operation in (select value from json_each(:operations))
order by milliseconds desc, id desc
limit :limit
"""

_NEWEST = """
select at, operation, actor, project_id, milliseconds, hits, error
from traces
where actor <> :but_by and (:project_id = '*' or project_id = :project_id)
order by at desc, id desc
limit :limit
"""

_ASKED = """
select query, actor, at
from traces
where query <> '' and (:project_id = '*' or project_id = :project_id)
    and operation in (select value from json_each(:operations))
order by at desc, id desc
limit :limit
"""


@dataclass(frozen=True)
class Timing:
    """One call: total and stage durations in milliseconds, and the result."""

    at: str
    operation: str
    milliseconds: float
    stages: dict[str, float]
    hits: int | None
    cached: int | None
    channels: str
    error: str


def timings(
    connection: Connection, since: str, until: str, *, project_id: str, limit: int
) -> list[Timing]:
    """Return the newest calls of a project ("*": of all), newest first."""
    bound = {"since": since, "until": until, "project_id": project_id, "limit": limit}
    return [
        Timing(**{**row, "stages": json.loads(row["stages"])})
        for row in connection.execute(_TIMINGS, bound)
    ]


def slowest(
    connection: Connection,
    since: str,
    until: str,
    *,
    project_id: str,
    operations: Iterable[str],
    limit: int,
) -> list[SlowSearch]:
    """Return the successful calls of these operations, longest first."""
    bound = {
        "since": since,
        "until": until,
        "project_id": project_id,
        "operations": json.dumps(sorted(operations)),
        "limit": limit,
    }
    return [
        SlowSearch(**{**row, "stages": json.loads(row["stages"])})
        for row in connection.execute(_SLOWEST, bound)
    ]


def newest(
    connection: Connection, *, project_id: str, but_by: str, limit: int
) -> list[RecordedCall]:
    """Return the newest calls of all actors except one, newest first."""
    bound = {"project_id": project_id, "but_by": but_by, "limit": limit}
    return [RecordedCall(**row) for row in connection.execute(_NEWEST, bound)]


def recent_queries(
    connection: Connection, *, project_id: str, operations: Iterable[str], limit: int
) -> list[RecentQuery]:
    """Return the queries of these operations, newest first, duplicates included."""
    bound = {
        "project_id": project_id,
        "operations": json.dumps(sorted(operations)),
        "limit": limit,
    }
    return [RecentQuery(**row) for row in connection.execute(_ASKED, bound)]
