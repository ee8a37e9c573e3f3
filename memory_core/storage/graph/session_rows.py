"""
Rows of a session in order, and the neighbours whose words are indexed with them.

1. A session is the rows with the same full scope: project, user, agent, session. 2. Rows are
   ordered by when they occurred, then by when they were written. 3. A short row is also indexed
   under the words of the two short rows before it and the one after: a reply ("Yes, last Tuesday!")
   is found by its question. Long rows need no context. 4. A session of more than 40 rows is a log
   and not a conversation: no words are shared.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from apsw import Connection

BEFORE = 2
AFTER = 1
SHORT = 500
MOST_ROWS = 40

_SESSIONS_OF = """
select distinct session from session_rows where id in (select value from json_each(:ids))
"""

_ROWS = """
select id, short from session_rows where session = :session order by occurred_at, id limit :limit
"""

# Neighbours are shown by the text of their rows, truncated if long.
_BEFORE = """
select r.id, s.row_id, substr(s.text, 1, :length) as text, s.occurred_at
from session_rows r join searchables s on s.id = r.id
where r.session = :session and (r.occurred_at, r.id) < (:occurred_at, :id)
    and s.subject_id not in (select id from entries where expires_at <= :now)
order by r.occurred_at desc, r.id desc limit :limit
"""

_AFTER = """
select r.id, s.row_id, substr(s.text, 1, :length) as text, s.occurred_at
from session_rows r join searchables s on s.id = r.id
where r.session = :session and (r.occurred_at, r.id) > (:occurred_at, :id)
    and s.subject_id not in (select id from entries where expires_at <= :now)
order by r.occurred_at, r.id limit :limit
"""

_PLACE_OF = """
select session, occurred_at from session_rows where id = :id
"""

_REMOVE = """
delete from session_rows where id in (select value from json_each(:ids))
"""

_PLACE = """
insert into session_rows (id, session, occurred_at, short)
values (:id, :session, :occurred_at, :short)
"""

_FORGET_ALL = """
delete from session_rows
"""

_Neighbours = dict[int, tuple[int, ...]]


@dataclass(frozen=True)
class Place:
    """Position of a row; a row that is inactive or without a session has session ""."""

    id: int
    session: str
    occurred_at: str
    short: int


def move(connection: Connection, places: Iterable[Place]) -> tuple[set[int], _Neighbours]:
    """
    Move rows to their current positions; return the other rows whose context changed, and every
    context.

    A moved row is included only if its own context changed.
    """
    places = list(places)
    ids = [place.id for place in places]
    old = connection.execute(_SESSIONS_OF, {"ids": json.dumps(ids)})
    touched = {row["session"] for row in old} | {place.session for place in places} - {""}
    if not touched:
        return set(), {}
    before = _contexts(connection, touched)
    connection.execute(_REMOVE, {"ids": json.dumps(ids)})
    connection.executemany(_PLACE, (vars(place) for place in places if place.session))
    after = _contexts(connection, touched)
    changed = set(ids)
    stale = {
        id
        for id in before.keys() | after.keys()
        if before.get(id, ()) != after.get(id, ()) or changed.intersection(after.get(id, ()))
    }
    return stale, after


def forget_all(connection: Connection) -> None:
    connection.execute(_FORGET_ALL)


def around(
    connection: Connection, id: int, *, count: int, now: str
) -> list[tuple[int, dict[str, Any]]]:
    """Return up to *count* rows before and after a row of a session, with their distance."""
    place: Any = connection.execute(_PLACE_OF, {"id": id}).fetchone()
    if place is None:
        return []
    bound = {**place, "id": id, "limit": count, "length": SHORT, "now": now}
    before: list[Any] = connection.execute(_BEFORE, bound).fetchall()
    after: list[Any] = connection.execute(_AFTER, bound).fetchall()
    return [
        *((-distance, row) for distance, row in reversed(list(enumerate(before, start=1)))),
        *enumerate(after, start=1),
    ]


def _contexts(connection: Connection, sessions: Iterable[str]) -> _Neighbours:
    near: _Neighbours = {}
    for session in sessions:
        bound = {"session": session, "limit": MOST_ROWS + 1}
        rows: list[Any] = connection.execute(_ROWS, bound).fetchall()
        if len(rows) <= MOST_ROWS:
            line = [row["id"] for row in rows if row["short"]]
            for place, id in enumerate(line):
                first = max(place - BEFORE, 0)
                near[id] = (*line[first:place], *line[place + 1 : place + 1 + AFTER])
    return near
