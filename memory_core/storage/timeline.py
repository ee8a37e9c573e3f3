"""The journal as a list of events, filtered and paged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from apsw import Connection

from .entities import scoped
from .journal import Change, change_of

# The type of the entity that a change is about, also when that is deleted by now.
_TYPE = """coalesce(
        (select node_type from entities where id = c.subject_id),
        (select state ->> 'node_type' from changes
            where kind = 'entities' and row_id = c.subject_id and state is not null
            order by seq desc limit 1),
        ''
    )"""

_WHERE = f"""
where project_id = :project_id
    and at >= :start and at <= :end
    and kind <> 'chunks'
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


_ACTORS = """
select distinct actor from changes c where project_id = :project_id order by actor
"""


@dataclass(frozen=True)
class Window:
    """Which events: of one entity, type, kind or actor, or of all; between two moments."""

    project_id: str
    row_id: str = ""
    node_type: str = ""
    kind: str = ""
    actor: str = ""
    start: str = ""
    end: str = "9999"


def events(
    connection: Connection, window: Window, *, newest_first: bool, limit: int, offset: int
) -> list[tuple[Change, str]]:
    """Return changes with the type of the entity they are about."""
    query = _NEWEST_FIRST if newest_first else _OLDEST_FIRST
    bound = {**_bound(window), "limit": limit, "offset": offset}
    rows: list[Any] = connection.execute(_narrowed(query, window), bound).fetchall()
    types = [row.pop("node_type") for row in rows]
    return list(zip(map(change_of, rows), types, strict=True))


def count(connection: Connection, window: Window) -> int:
    return int(connection.execute(_narrowed(_COUNT, window), _bound(window)).get)


def actors(connection: Connection, project_id: str) -> list[str]:
    """Return who ever changed anything in a project ("*": anywhere)."""
    rows = connection.execute(scoped(_ACTORS, project_id), {"project_id": project_id})
    return [row["actor"] for row in rows]


def _narrowed(query: str, window: Window) -> str:
    if window.row_id:
        query = query.replace(_WHERE, _WHERE + _ABOUT)
    return scoped(query, window.project_id)


def _bound(window: Window) -> dict[str, str]:
    return {
        "project_id": window.project_id,
        "row_id": window.row_id,
        "node_type": window.node_type,
        "kind": window.kind,
        "actor": window.actor,
        "start": window.start,
        "end": window.end,
    }
