"""The audit log as a list of events, filtered and paged."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from apsw import Connection

from ...model.scope import Scope
from ..scoping import OWNED_LIST, bound_of, row_seen, scope_query
from .audit_log import Change, change_of

# The type of the entity that a change refers to, even if it was deleted since.
_TYPE = """coalesce(
        (select node_type from entities where id = c.subject_id),
        (select state ->> 'node_type' from changes
            where kind = 'entities' and row_id = c.subject_id and state is not null
            order by seq desc limit 1),
        ''
    )"""

# The window is a range of seq and not of time, so that rows are read in order and
# reading stops at the end of the page.
_WHERE = f"""
where project_id = :project_id
    and seq >= :first and seq <= :last
    and kind <> 'chunks'
    and {row_seen("c.kind", "c.row_id")}
    and (:kind = '' or kind = :kind)
    and (:actor = '' or actor = :actor)
    and (:node_type = '' or {_TYPE} = :node_type)
"""

_ABOUT = """
    and seq in (
        select seq from changes where subject_id = :row_id
        union select seq from changes where object_id = :row_id
    )
"""

_COLUMNS = f"""seq, at, actor, cause, kind, row_id, subject_id, object_id, op, project_id,
    batch_id, state, {_TYPE} as node_type"""

_OLDEST_FIRST = f"""
select {_COLUMNS}
from changes c
{_WHERE}
order by seq
limit :limit offset :offset
"""

_NEWEST_FIRST = f"""
select {_COLUMNS}
from changes c
{_WHERE}
order by seq desc
limit :limit offset :offset
"""

_COUNT = f"""
select count(*)
from changes c
{_WHERE}
"""

# Without a filter, counting uses indexes only; no row without a user is read.
_COUNT_ALL = f"""
select (
    select count(*) from changes where project_id = :project_id and +seq between :first and :last
) - (
    select count(*) from changes
    where kind = 'chunks' and project_id = :project_id and +seq between :first and :last
) - (
    select count(*) from changes c
    where :user_id is not null and kind in ({OWNED_LIST})
        and +project_id = :project_id and seq between :first and :last
        and ({row_seen("c.kind", "c.row_id")}) is not true
)
"""

_FIRST = """
select seq from changes where at >= :start order by at, seq limit 1
"""

_LAST = """
select seq from changes where at <= :end order by at desc, seq desc limit 1
"""

# The state of each row before a change, and its last state before that.
_EARLIER = """
select c.seq,
    (select state from changes where kind = c.kind and row_id = c.row_id and seq < c.seq
        order by seq desc limit 1) as before,
    (select state from changes where kind = c.kind and row_id = c.row_id and seq < c.seq
        and state is not null order by seq desc limit 1) as known
from json_each(:seqs) w cross join changes c on c.seq = w.value
"""

_ACTORS = """
select distinct actor from changes c where project_id = :project_id order by actor
"""


@dataclass(frozen=True)
class Window:
    """Filter of events: entity, type, kind, actor and time range."""

    scope: Scope
    row_id: str = ""
    node_type: str = ""
    kind: str = ""
    actor: str = ""
    start: str = ""
    end: str = "9999"


@dataclass(frozen=True)
class Earlier:
    """State before a change, None if the row did not exist, and its last existing state."""

    before: dict[str, Any] | None
    known: dict[str, Any] | None


def events(
    connection: Connection, window: Window, *, newest_first: bool, limit: int, offset: int
) -> list[tuple[Change, str]]:
    """Return changes with the type of the entity they refer to."""
    query = _NEWEST_FIRST if newest_first else _OLDEST_FIRST
    bound = {**_parameters(connection, window), "limit": limit, "offset": offset}
    rows: list[Any] = connection.execute(_narrow_query(query, window), bound).fetchall()
    types = [row.pop("node_type") for row in rows]
    return list(zip(map(change_of, rows), types, strict=True))


def earlier(connection: Connection, seqs: Sequence[int]) -> dict[int, Earlier]:
    """Return the state of each row before a change, by the seq of the change."""
    rows = connection.execute(_EARLIER, {"seqs": json.dumps(list(seqs))})
    return {row["seq"]: Earlier(_state(row["before"]), _state(row["known"])) for row in rows}


def count(connection: Connection, window: Window) -> int:
    narrow = (
        window.row_id
        or window.node_type
        or window.kind
        or window.actor
        or window.scope.agent_id
        or window.scope.session_id
    )
    query = _narrow_query(_COUNT if narrow else _COUNT_ALL, window)
    return int(connection.execute(query, _parameters(connection, window)).get)


def actors(connection: Connection, project_id: str) -> list[str]:
    """Return all actors that ever changed a project ("*": any), by name."""
    rows = connection.execute(scope_query(_ACTORS, project_id), {"project_id": project_id})
    return [row["actor"] for row in rows]


def _state(written: str | None) -> dict[str, Any] | None:
    return json.loads(written) if written else None


def _narrow_query(query: str, window: Window) -> str:
    if window.row_id:
        query = query.replace(_WHERE, _WHERE + _ABOUT)
    return scope_query(query, window.scope.project_id)


def _parameters(connection: Connection, window: Window) -> dict[str, str | int | None]:
    # Time and seq increase together.
    first = connection.execute(_FIRST, {"start": window.start}).get
    last = connection.execute(_LAST, {"end": window.end}).get
    return {
        **bound_of(window.scope),
        "row_id": window.row_id,
        "node_type": window.node_type,
        "kind": window.kind,
        "actor": window.actor,
        "first": first or 1 << 62,
        "last": last or -1,
    }
