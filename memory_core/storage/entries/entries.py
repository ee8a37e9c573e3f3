"""Rows of entries, and of the context chunks that belong to them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from apsw import Connection

from ...clock import format_timestamp
from ...model.facts.entries import ContextChunk, Entry, EntryCounts
from ...model.scope import Scope
from ...rules.text.normalization import fold_name
from ..scoping import ALIVE, SEEN, bound_of, page_of, require_found, scope_query

_COLUMNS = """id, project_id, user_id, agent_id, session_id, form, summary, tags, category,
    metadata, is_time_sensitive, expires_at, status, duplicate_of, superseded_by, digest,
    created_at, updated_at,
    (select count(*) from context_chunks c where c.entry_id = entries.id) as total_chunks"""

_BY_ID = f"""
select {_COLUMNS} from entries where id = :id and form = 'entry' and {SEEN} and {ALIVE}
"""

# By the ids of their search documents, which vectors use.
_BY_SEARCHABLES = """
select s.id as searchable_id, e.id, e.project_id, e.user_id, e.agent_id, e.session_id, e.form,
    e.summary, e.tags, e.category, e.metadata, e.is_time_sensitive, e.expires_at, e.status,
    e.duplicate_of, e.superseded_by, e.digest, e.created_at, e.updated_at,
    (select count(*) from context_chunks c where c.entry_id = e.id) as total_chunks
from searchables s join entries e on e.id = s.row_id
where s.id in (select value from json_each(:ids))
"""

_BY_IDS = f"""
select {_COLUMNS}
from entries
where id in (select value from json_each(:ids))
order by created_at, id
"""

_MATCHING = f"""
    {SEEN} and form = 'entry' and {ALIVE}
    and (:status = 'all' or status = :status)
    and (:category = '' or category = :category)
    and (:query = '' or instr(summary, :query) > 0)
    and (:tag = '' or id in (
        select entry_id from entry_tags
        where entry_tags.project_id = entries.project_id and folded = :tag
    ))"""

_PAGE = f"""
select {_COLUMNS}
from entries
where {_MATCHING}
    and (:created_at = '' or (created_at, id) < (:created_at, :id))
order by created_at desc, id desc
limit :limit
"""

_COUNT = f"""
select count(*) from entries where {_MATCHING}
"""

_INSERT = """
insert into entries (id, project_id, user_id, agent_id, session_id, form, summary, tags,
    folded_tags, category, metadata, is_time_sensitive, expires_at, status, duplicate_of,
    superseded_by, digest, created_at, updated_at)
values (:id, :project_id, :user_id, :agent_id, :session_id, :form, :summary, :tags,
    :folded_tags, :category, :metadata, :is_time_sensitive, :expires_at, :status, :duplicate_of,
    :superseded_by, :digest, :created_at, :updated_at)
"""

_REWRITE = """
update entries
set summary = :summary, tags = :tags, folded_tags = :folded_tags, category = :category,
    metadata = :metadata, is_time_sensitive = :is_time_sensitive, expires_at = :expires_at,
    status = :status, duplicate_of = :duplicate_of, superseded_by = :superseded_by,
    digest = :digest, updated_at = :updated_at
where id = :id
"""

_DELETE = """
delete from entries where id = :id
"""

_EXPIRED = """
select id from entries
where expires_at is not null and expires_at <= :now
order by expires_at, id
limit :limit
"""

_NEWEST_EXPIRY = """
select max(expires_at) from entries where expires_at is not null and expires_at <= :now
"""

_CHUNKS = """
select id, position, text, created_at
from context_chunks
where entry_id = :entry_id
order by position
limit :limit offset :offset
"""

_CHUNKS_FROM_THE_END = """
select id, position, text, created_at
from context_chunks
where entry_id = :entry_id
order by position desc
limit :limit offset :offset
"""

_CHUNK_COUNT = """
select count(*) from context_chunks where entry_id = :entry_id
"""

_NEXT_POSITION = """
select coalesce(max(position), -1) + 1 as next from context_chunks where entry_id = :entry_id
"""

_INSERT_CHUNK = """
insert into context_chunks (id, project_id, user_id, agent_id, session_id, entry_id, position,
    text, created_at)
values (:id, :project_id, :user_id, :agent_id, :session_id, :entry_id, :position,
    :text, :created_at)
"""

# In one statement, after the existing chunks: positions of both stay in order.
_MOVE_CHUNKS = """
update context_chunks
set entry_id = :to_id, position = position + :shift
where entry_id = :from_id
"""

_COUNTS = """
select
    coalesce(sum(status = 'active' and (expires_at is null or expires_at > :now)), 0) as entries,
    coalesce(sum(expires_at is not null and expires_at <= :now), 0) as expired,
    coalesce(sum(status = 'duplicate'), 0) as duplicates,
    (select count(*) from context_chunks c
        where c.project_id = :project_id and c.user_id = :user_id) as context_chunks,
    (select count(distinct t.folded) from entry_tags t join entries e on e.id = t.entry_id
        where t.project_id = :project_id and e.user_id = :user_id) as tags,
    (select count(*) from groups g
        where g.project_id = :project_id and g.user_id = :user_id) as groups
from entries
where project_id = :project_id and user_id = :user_id and form = 'entry'
"""

_FORGET_TAGS = """
delete from entry_tags
"""

_TAG_ALL = """
insert into entry_tags (project_id, folded, entry_id)
select distinct e.project_id, j.value, e.id from entries e, json_each(e.folded_tags) j
"""

_SCOPES = """
select distinct project_id, user_id, agent_id, session_id
from entries
where form = 'entry' and status = 'active'
order by project_id, user_id, agent_id, session_id
"""


def newest_expiry(connection: Connection, *, now: datetime) -> str:
    """Return the latest expiry that has passed, or ""."""
    return str(connection.execute(_NEWEST_EXPIRY, {"now": format_timestamp(now)}).get or "")


def find(connection: Connection, scope: Scope, id: str, *, now: datetime) -> Entry | None:
    """Return the entry if it exists in that scope and has not expired."""
    bound = {**bound_of(scope), "id": id, "now": format_timestamp(now)}
    query = scope_query(_BY_ID, scope.project_id, bound["user_id"])
    row = connection.execute(query, bound).fetchone()
    return entry_of(row) if row else None


def get(connection: Connection, scope: Scope, id: str, *, now: datetime) -> Entry:
    entry = find(connection, scope, id, now=now)
    return require_found(entry, "entry", id, scope=scope, tool="memory_query")


def by_searchables(connection: Connection, ids: Sequence[int]) -> dict[int, Entry]:
    """Return the entries of these search documents, by document id."""
    rows: Any = connection.execute(_BY_SEARCHABLES, {"ids": json.dumps(list(ids))})
    return {row.pop("searchable_id"): entry_of(row) for row in rows}


def by_ids(connection: Connection, ids: Sequence[str]) -> list[Entry]:
    """Return entries of any scope, oldest first."""
    rows = connection.execute(_BY_IDS, {"ids": json.dumps(list(ids))})
    return [entry_of(row) for row in rows]


def page(
    connection: Connection,
    scope: Scope,
    *,
    now: datetime,
    category: str = "",
    tag: str = "",
    query: str = "",
    status: str = "active",
    after: tuple[str, str] = ("", ""),
    limit: int = 50,
) -> tuple[list[Entry], int]:
    """Return entries, newest first, and the total count."""
    bound = {
        **bound_of(scope),
        "now": format_timestamp(now),
        "category": category,
        "tag": fold_name(tag),
        "query": query,
        "status": status,
    }
    place = {"created_at": after[0], "id": after[1], "limit": limit}
    rows, total = page_of(connection, _PAGE, count=_COUNT, bound=bound, place=place)
    return [entry_of(row) for row in rows], total


def insert(connection: Connection, entry: Entry) -> None:
    connection.execute(_INSERT, _parameters(entry))


def rewrite(connection: Connection, entry: Entry) -> None:
    """Update the stored row, except its id, scope and creation time."""
    connection.execute(_REWRITE, _parameters(entry))


def delete(connection: Connection, id: str) -> None:
    """Delete an entry and its context chunks."""
    connection.execute(_DELETE, {"id": id})


def expired_ids(connection: Connection, *, now: datetime, limit: int) -> list[str]:
    """Return the ids of rows that have expired, in all projects."""
    rows = connection.execute(_EXPIRED, {"now": format_timestamp(now), "limit": limit})
    return [row["id"] for row in rows]


def chunks(
    connection: Connection,
    entry_id: str,
    *,
    offset: int = 0,
    limit: int = -1,
    newest_first: bool = False,
) -> list[ContextChunk]:
    """Return an entry's chunks in order, from the first forwards or the last backwards."""
    query = _CHUNKS_FROM_THE_END if newest_first else _CHUNKS
    rows = connection.execute(query, {"entry_id": entry_id, "offset": offset, "limit": limit})
    return [ContextChunk(**row) for row in rows]


def chunk_count(connection: Connection, entry_id: str) -> int:
    return int(connection.execute(_CHUNK_COUNT, {"entry_id": entry_id}).get)


def next_position(connection: Connection, entry_id: str) -> int:
    return int(connection.execute(_NEXT_POSITION, {"entry_id": entry_id}).get)


def insert_chunks(connection: Connection, entry: Entry, chunks: Sequence[ContextChunk]) -> None:
    whose = entry.model_dump(include={"project_id", "user_id", "agent_id", "session_id"})
    connection.executemany(
        _INSERT_CHUNK,
        [
            {
                **chunk.model_dump(),
                **whose,
                "entry_id": entry.id,
                "created_at": format_timestamp(chunk.created_at),
            }
            for chunk in chunks
        ],
    )


def move_chunks(connection: Connection, from_id: str, to_id: str) -> None:
    """Append the chunks of one entry to those of another."""
    shift = next_position(connection, to_id)
    connection.execute(_MOVE_CHUNKS, {"from_id": from_id, "to_id": to_id, "shift": shift})


def counts(connection: Connection, scope: Scope, *, now: datetime) -> EntryCounts:
    """Return the number of records of one project and user."""
    bound = {**bound_of(scope), "now": format_timestamp(now)}
    query = scope_query(_COUNTS, scope.project_id, bound["user_id"])
    row: Any = connection.execute(query, bound).fetchone()
    return EntryCounts(**row)


def scopes(connection: Connection) -> list[Scope]:
    """Return every exact scope that has entries."""
    return [Scope(**row) for row in connection.execute(_SCOPES)]


def retag(connection: Connection) -> None:
    """Rebuild the tag table from the entries."""
    connection.execute(_FORGET_TAGS)
    connection.execute(_TAG_ALL)


def entry_of(row: Mapping[str, Any]) -> Entry:
    """Return the value of a row that has all columns of _BY_ID."""
    return Entry(
        **{
            **row,
            "tags": json.loads(row["tags"]),
            "metadata": json.loads(row["metadata"]),
            "is_time_sensitive": bool(row["is_time_sensitive"]),
            "has_context": row["total_chunks"] > 0,
        }
    )


def _parameters(entry: Entry) -> dict[str, Any]:
    assert entry.created_at is not None
    assert entry.updated_at is not None
    return {
        **entry.model_dump(include=_PLAIN),
        # Excluded from what callers see, so not in a dump.
        "digest": entry.digest,
        "form": entry.form,
        "tags": json.dumps(entry.tags, ensure_ascii=False),
        "folded_tags": json.dumps([fold_name(tag) for tag in entry.tags], ensure_ascii=False),
        "metadata": json.dumps(entry.metadata, ensure_ascii=False, sort_keys=True),
        "is_time_sensitive": int(entry.is_time_sensitive),
        "expires_at": format_timestamp(entry.expires_at) if entry.expires_at else None,
        "created_at": format_timestamp(entry.created_at),
        "updated_at": format_timestamp(entry.updated_at),
    }


_PLAIN = {
    "id",
    "project_id",
    "user_id",
    "agent_id",
    "session_id",
    "summary",
    "category",
    "status",
    "duplicate_of",
    "superseded_by",
}
