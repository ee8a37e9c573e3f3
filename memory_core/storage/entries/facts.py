"""Rows of facts (entries of the form "fact"), and the queue of uncompared ones."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import apsw
import numpy as np
from apsw import Connection
from numpy.typing import NDArray

from ...clock import format_timestamp
from ...model.facts.fact_review import FactScopeFilter
from ...model.facts.facts import Fact
from ...model.scope import Scope
from ..scoping import ALIVE, SEEN, bound_of, page_of, require_found, scope_query
from ..search.vector_log import plain

_COLUMNS = """id, project_id, user_id, agent_id, session_id, summary, category, metadata, status,
    duplicate_of, superseded_by, digest, occurred_at, created_at, updated_at"""

_SEEN = f"{SEEN} and form = 'fact'"

# The exact scope within which facts are compared: an empty agent_id means no agent.
_EXACT = """
    project_id = :project_id and user_id = :user_id and form = 'fact'
    and agent_id = :agent_id and session_id = :session_id"""

_BY_ID = f"""
select {_COLUMNS} from entries where id = :id and {_SEEN} and {ALIVE}
"""

_BY_IDS = f"""
select {_COLUMNS} from entries
where form = 'fact' and id in (select value from json_each(:ids))
order by created_at, id
"""

_PAGE = f"""
select {_COLUMNS}
from entries
where {_SEEN} and {ALIVE} and (:status = 'all' or status = :status)
    and (:created_at = '' or (created_at, id) < (:created_at, :id))
order by created_at desc, id desc
limit :limit
"""

_COUNT = f"""
select count(*) from entries where {_SEEN} and {ALIVE} and (:status = 'all' or status = :status)
"""

_LISTED = f"""
select {_COLUMNS}
from entries
where {_SEEN} and {ALIVE} and (:status = 'all' or status = :status)
    and (:words = '' or instr(lower(summary), lower(:words)) > 0)
    and (:created_at = '' or (created_at, id) < (:created_at, :id))
order by created_at desc, id desc
limit :limit
"""

_LISTED_COUNT = f"""
select count(*) from entries
where {_SEEN} and {ALIVE} and (:status = 'all' or status = :status)
    and (:words = '' or instr(lower(summary), lower(:words)) > 0)
"""

_TWIN = f"""
select {_COLUMNS}
from entries
where {_EXACT} and digest = :digest and status = 'active' and {ALIVE}
    and id not in (select value from json_each(:but))
order by created_at, id
limit 1
"""

# Passages that a new fact is compared with; the upper bits are the search document's id.
_COMPARABLE = f"""
select p.id
from searchables s join pieces p on p.id >= s.id << 24 and p.id < (s.id + 1) << 24
where s.kind = 'entries' and s.text is not null and s.row_id in (
    select id from entries where {_EXACT} and status = 'active' and {ALIVE}
        and id not in (select value from json_each(:but))
)
order by p.id
"""

_UNEMBEDDED = """
select count(*)
from carray(:ids) as asked
cross join unembedded on unembedded.piece_id = asked.value
"""

_BY_SEARCHABLES = """
select s.id as searchable_id, e.id from searchables s join entries e on e.id = s.row_id
where s.id in (select value from json_each(:ids))
"""

_INSERT = """
insert into entries (id, project_id, user_id, agent_id, session_id, form, summary, category,
    metadata, status, duplicate_of, superseded_by, digest, occurred_at, created_at, updated_at)
values (:id, :project_id, :user_id, :agent_id, :session_id, 'fact', :content, :category,
    :metadata, :status, :duplicate_of, :superseded_by, :digest, :occurred_at, :created_at,
    :updated_at)
"""

_REWRITE = """
update entries
set summary = :content, category = :category, metadata = :metadata, status = :status,
    duplicate_of = :duplicate_of, superseded_by = :superseded_by, digest = :digest,
    occurred_at = :occurred_at, updated_at = :updated_at
where id = :id
"""

_DELETE = """
delete from entries where id = :id
"""

_SCOPES = """
select distinct project_id, user_id, agent_id, session_id
from entries
where form = 'fact'
order by project_id, user_id, agent_id, session_id
"""

# Enough rows for a hint: a count over all facts of a large file would take longer than the search.
_COUNTED = 10_000

# Facts outside the scope of this user: of users, or of no user.
_UNSEEN = f"""
select count(*) as facts, count(distinct user_id) as users,
    count(distinct nullif(agent_id, '')) as agents,
    count(distinct nullif(session_id, '')) as sessions
from (
    select user_id, agent_id, session_id from entries
    where project_id = :project_id and form = 'fact'
        and iif(:user_id = '', user_id > '', user_id = '')
    limit {_COUNTED}
)
"""

_OWN_NAMES = f"""
select name from (
    select iif(:kind = 'agents', agent_id, session_id) as name from entries
    where project_id = :project_id and user_id = :user_id and form = 'fact' and {ALIVE}
    order by created_at desc limit {_COUNTED}
)
where name > '' group by name order by count(*) desc, name limit :limit
"""

_MARK = """
insert into uncompared (entry_id, project_id) values (:id, :project_id)
on conflict (entry_id) do nothing
"""

_UNMARK = """
delete from uncompared where entry_id = :id
"""

_MARKED = f"""
select {_COLUMNS} from entries
where id in (select entry_id from uncompared where entry_id > :after)
order by id
limit :limit
"""


def find(connection: Connection, scope: Scope, id: str, *, now: datetime) -> Fact | None:
    """Return the fact if it exists, is visible from that scope and has not expired."""
    bound = {**bound_of(scope), "id": id, "now": format_timestamp(now)}
    query = scope_query(_BY_ID, scope.project_id, bound["user_id"])
    row = connection.execute(query, bound).fetchone()
    return _fact(row) if row else None


def get(connection: Connection, scope: Scope, id: str, *, now: datetime) -> Fact:
    fact = find(connection, scope, id, now=now)
    return require_found(fact, "fact", id, scope=scope, tool="list_memories")


def by_ids(connection: Connection, ids: Sequence[str]) -> dict[str, Fact]:
    """Return facts of any scope, by id."""
    rows = connection.execute(_BY_IDS, {"ids": json.dumps(list(ids))})
    return {row["id"]: _fact(row) for row in rows}


def page(
    connection: Connection,
    scope: Scope,
    *,
    now: datetime,
    status: str = "active",
    after: tuple[str, str] = ("", ""),
    limit: int = 50,
) -> tuple[list[Fact], int]:
    """Return facts, newest first, and the total count."""
    bound = {**bound_of(scope), "now": format_timestamp(now), "status": status}
    place = {"created_at": after[0], "id": after[1], "limit": limit}
    rows, total = page_of(connection, _PAGE, count=_COUNT, bound=bound, place=place)
    return [_fact(row) for row in rows], total


def list_facts(
    connection: Connection,
    whose: FactScopeFilter,
    *,
    now: datetime,
    status: str,
    words: str,
    after: tuple[str, str],
    limit: int,
) -> tuple[list[Fact], int]:
    """Like page(), also for all users, and with a text filter."""
    bound = {
        **bound_of(whose),
        "now": format_timestamp(now),
        "status": status,
        "words": words,
    }
    place = {"created_at": after[0], "id": after[1], "limit": limit}
    rows, total = page_of(connection, _LISTED, count=_LISTED_COUNT, bound=bound, place=place)
    return [_fact(row) for row in rows], total


def twin(
    connection: Connection, scope: Scope, digest: str, *, now: datetime, but: Sequence[str] = ()
) -> Fact | None:
    """Return the active fact of exactly that scope with the same text."""
    bound = {
        **bound_of(scope),
        "digest": digest,
        "now": format_timestamp(now),
        "but": json.dumps(list(but)),
    }
    row = connection.execute(_TWIN, bound).fetchone()
    return _fact(row) if row else None


def comparable(
    connection: Connection, scope: Scope, *, now: datetime, but: Sequence[str] = ()
) -> NDArray[np.uint64]:
    """Return the passages of all active facts of exactly that scope, in order."""
    bound = {**bound_of(scope), "now": format_timestamp(now), "but": json.dumps(list(but))}
    rows = plain(connection, _COMPARABLE, bound)
    return np.array([row[0] for row in rows], dtype=np.uint64)


def count_unembedded(connection: Connection, pieces: NDArray[np.uint64]) -> int:
    """Return how many of these passages have no vector yet."""
    if not len(pieces):
        return 0
    ids = apsw.carray(pieces.astype(np.int64))
    return int(connection.execute(_UNEMBEDDED, {"ids": ids}).get)


def by_searchables(connection: Connection, ids: Sequence[int]) -> dict[int, Fact]:
    """Return the facts of these search documents, by document id."""
    rows: Any = connection.execute(_BY_SEARCHABLES, {"ids": json.dumps(list(ids))}).fetchall()
    known = by_ids(connection, [row["id"] for row in rows])
    return {row["searchable_id"]: known[row["id"]] for row in rows if row["id"] in known}


def insert(connection: Connection, fact: Fact) -> None:
    connection.execute(_INSERT, _parameters(fact))


def rewrite(connection: Connection, fact: Fact) -> None:
    """Update the stored row, except its id, scope and creation time."""
    connection.execute(_REWRITE, _parameters(fact))


def delete(connection: Connection, id: str) -> None:
    connection.execute(_DELETE, {"id": id})


def scopes(connection: Connection) -> list[Scope]:
    """Return every exact scope that has facts."""
    return [Scope(**row) for row in connection.execute(_SCOPES)]


def count_unseen(connection: Connection, scope: Scope) -> dict[str, int]:
    """
    Count the facts of users by kind of scope, or the facts of no user if a user is named.

    Counts above 10,000 facts are lower bounds.
    """
    return dict(next(connection.execute(scope_query(_UNSEEN, scope.project_id), bound_of(scope))))


def own_names(
    connection: Connection, scope: Scope, *, now: datetime, limit: int
) -> dict[str, list[str]]:
    """Return the agents and sessions that hold facts of the user of a scope, most facts first."""
    bound = {**bound_of(scope), "now": format_timestamp(now), "limit": limit}
    query = scope_query(_OWN_NAMES, scope.project_id)
    return {
        kind: [str(row["name"]) for row in connection.execute(query, {**bound, "kind": kind})]
        for kind in ("agents", "sessions")
    }


def mark_uncompared(connection: Connection, fact: Fact) -> None:
    connection.execute(_MARK, {"id": fact.id, "project_id": fact.project_id})


def unmark(connection: Connection, id: str) -> None:
    connection.execute(_UNMARK, {"id": id})


def uncompared_facts(connection: Connection, *, after: str = "", limit: int = 100) -> list[Fact]:
    """Return facts that are not compared yet, by id, starting after *after*."""
    rows = connection.execute(_MARKED, {"after": after, "limit": limit})
    return [_fact(row) for row in rows]


def _fact(row: Mapping[str, Any]) -> Fact:
    values = dict(row)
    content, metadata = values.pop("summary"), json.loads(values.pop("metadata"))
    return Fact(content=content, metadata=metadata, **values)


def _parameters(fact: Fact) -> dict[str, Any]:
    return {
        **fact.model_dump(),
        # Excluded from what callers see, so not in a dump.
        "digest": fact.digest,
        "metadata": json.dumps(fact.metadata, ensure_ascii=False, sort_keys=True),
        "occurred_at": format_timestamp(fact.occurred_at) if fact.occurred_at else None,
        "created_at": format_timestamp(fact.created_at),
        "updated_at": format_timestamp(fact.updated_at),
    }
