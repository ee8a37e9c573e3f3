"""Rows of bottles."""

from __future__ import annotations

from typing import Any

from apsw import Connection

from ...clock import format_timestamp
from ...errors import NotFoundError
from ...model.graph.bottles import PRIORITIES, Bottle
from ..scoping import scope_query

_COLUMNS = """id, project_id, message, priority, recipient, author, author_session_id,
    expires_at, acknowledged_at, acknowledged_by, created_at"""

_BY_ID = f"""
select {_COLUMNS}
from bottles
where id = :id and project_id = :project_id
"""

# A recipient also gets the bottles without a recipient.
_WHERE = """
where project_id = :project_id
    and (:acknowledged or acknowledged_at is null)
    and (:recipient = '' or recipient in ('', :recipient))
"""

_SHOWN = f"""
select {_COLUMNS}
from bottles
{_WHERE}
    and (expires_at is null or expires_at > :now)
order by priority desc, created_at desc, id desc
limit :limit offset :offset
"""

_COUNT = f"""
select
    count(*) filter (where expires_at is null or expires_at > :now) as total,
    count(*) filter (where expires_at <= :now) as expired
from bottles
{_WHERE}
"""

_ELSEWHERE = """
select project_id, count(*) as n from bottles
where project_id <> :project_id and acknowledged_at is null
    and (expires_at is null or expires_at > :now)
    and (:recipient = '' or recipient in ('', :recipient))
group by project_id
order by n desc, project_id
"""

_RECIPIENTS = """
select distinct recipient from bottles
where project_id = :project_id and recipient <> ''
order by recipient
"""

_INSERT = f"""
insert into bottles ({_COLUMNS})
values (:id, :project_id, :message, :priority, :recipient, :author, :author_session_id,
    :expires_at, :acknowledged_at, :acknowledged_by, :created_at)
"""

_ACKNOWLEDGE = """
update bottles
set acknowledged_at = :acknowledged_at, acknowledged_by = :acknowledged_by
where id = :id
"""

_EXPIRE = """
update bottles set expires_at = :expires_at where id = :id
"""


def get(connection: Connection, project_id: str, id: str) -> Bottle:
    row = connection.execute(_BY_ID, {"id": id, "project_id": project_id}).fetchone()
    if row is None:
        raise NotFoundError(
            "bottle", id, f"List those of project {project_id!r} with the tool get_bottles."
        )
    return _bottle(row)


def unread_elsewhere(
    connection: Connection, project_id: str, *, recipient: str, now: str
) -> dict[str, int]:
    """Return the number of unread bottles of each other project, most first."""
    bound = {"project_id": project_id, "recipient": recipient, "now": now}
    return {row["project_id"]: row["n"] for row in connection.execute(_ELSEWHERE, bound)}


def list_bottles(
    connection: Connection,
    project_id: str,
    *,
    acknowledged: bool,
    recipient: str,
    now: str,
    limit: int,
    offset: int,
) -> tuple[list[Bottle], int, int]:
    """Return the page of bottles, the total count, and how many have expired."""
    bound = {
        "project_id": project_id,
        "acknowledged": acknowledged,
        "recipient": recipient,
        "now": now,
    }
    counted: Any = connection.execute(scope_query(_COUNT, project_id), bound).fetchone()
    rows = connection.execute(
        scope_query(_SHOWN, project_id), {**bound, "limit": limit, "offset": offset}
    )
    return [_bottle(row) for row in rows], int(counted["total"]), int(counted["expired"])


def recipients(connection: Connection, project_id: str) -> list[str]:
    rows = connection.execute(scope_query(_RECIPIENTS, project_id), {"project_id": project_id})
    return [row["recipient"] for row in rows]


def insert(connection: Connection, bottle: Bottle) -> None:
    moments = ("expires_at", "acknowledged_at", "created_at")
    connection.execute(
        _INSERT,
        {
            **dict(bottle),
            "priority": PRIORITIES.index(bottle.priority),
            **{
                name: format_timestamp(at) if (at := getattr(bottle, name)) else None
                for name in moments
            },
        },
    )


def acknowledge(connection: Connection, id: str, *, by: str, at: str) -> None:
    connection.execute(_ACKNOWLEDGE, {"id": id, "acknowledged_by": by, "acknowledged_at": at})


def expire(connection: Connection, id: str, at: str) -> None:
    connection.execute(_EXPIRE, {"id": id, "expires_at": at})


def _bottle(row: Any) -> Bottle:
    return Bottle(**{**row, "priority": PRIORITIES[row["priority"]]})
