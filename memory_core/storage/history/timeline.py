"""The audit log as a list of events, filtered and paged."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from apsw import Connection

from ...model.scope import Scope
from ..scoping import OWNED_LIST, bound_of, row_seen, scope_query
from .audit_log import Change, change_of, last_seq

# The type of the entity that a change refers to, even if it was deleted since.
_TYPE = """coalesce(
        (select node_type from entities where id = c.subject_id),
        (select state ->> 'node_type' from recorded_states
            where row = coalesce(c.subject_term, c.row_term) and op < 2
                and kind = (select id from terms where text = 'entities')
            order by seq desc limit 1),
        ''
    )"""

# The window is a range of seq and not of time, so that rows are read in order and
# reading stops at the end of the page.
_WHERE = f"""
where project_id = :project_id
    and seq >= :first and seq <= :last
    and kind <> 'chunks'
    and {row_seen("c")}
    and (:kind = '' or kind = :kind)
    and (:actor = '' or actor = :actor)
    and (:node_type = '' or {_TYPE} = :node_type)
"""

_ABOUT = """
    and seq in (
        select l.seq from terms w join change_log l on l.row = w.id where w.text = :row_id
        union select l.seq from terms w join change_log l on l.subject = w.id
            where w.text = :row_id
        union select l.seq from terms w join change_log l on l.object = w.id
            where w.text = :row_id
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

# Without a filter, no state is read, except of rows that may have a user.
_COUNT_ALL = f"""
select (
    select count(*) from change_log
    where (:project_id = '*' or project = (select id from terms where text = :project_id))
        and seq between :first and :last
        and kind is not (select id from terms where text = 'chunks')
) - (
    select count(*) from changes c
    where :user_id is not null and kind in ({OWNED_LIST})
        and project_id = :project_id and seq between :first and :last
        and ({row_seen("c")}) is not true
)
"""

# The state of each row before a change, and its last state before that.
_EARLIER = """
select c.seq,
    (select state from recorded_states
        where row = c.row_term and kind = c.kind_term and seq < c.seq
        order by seq desc limit 1) as before,
    (select state from recorded_states
        where row = c.row_term and kind = c.kind_term and seq < c.seq and op < 2
        order by seq desc limit 1) as known
from json_each(:seqs) w cross join changes c on c.seq = w.value
"""

_ACTORS = """
select text as actor from terms
where id in (
    select t.actor
    from change_log l join change_transactions t on t.id = l.txn
    where :project_id = '*' or l.project = (select id from terms where text = :project_id)
)
order by text
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
    rows = connection.execute(_ACTORS, {"project_id": project_id})
    return [row["actor"] for row in rows]


def _state(written: str | None) -> dict[str, Any] | None:
    return json.loads(written) if written else None


def _narrow_query(query: str, window: Window) -> str:
    if window.row_id:
        query = query.replace(_WHERE, _WHERE + _ABOUT)
    return scope_query(query, window.scope.project_id)


def _parameters(connection: Connection, window: Window) -> dict[str, str | int | None]:
    # Time and seq increase together.
    first = last_seq(connection, window.start, inclusive=False) + 1
    last = last_seq(connection, window.end)
    return {
        **bound_of(window.scope),
        "row_id": window.row_id,
        "node_type": window.node_type,
        "kind": window.kind,
        "actor": window.actor,
        "first": first,
        "last": last,
    }
