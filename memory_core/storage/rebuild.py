"""
Checking and rebuilding the data derived from the tracked tables.

The tables and the audit log are the source, and checked first (inspection.py). The derived
data, in order: entity names, search documents, the full-text index with its passages, and
the queue of passages without a vector.
"""

from __future__ import annotations

import apsw
from apsw import Connection

from .entries import entries, merged_vectors
from .history.tracked import TRACKED, Searched, Tracked
from .search import embeddings, full_text

_MISSING_NAMES = """
select count(*)
from (
    select e.project_id, n.value, e.id from entities e, json_each(e.folded_names) n
    except
    select project_id, folded, entity_id from entity_names
)
"""

_GHOST_NAMES = """
select count(*)
from (
    select project_id, folded, entity_id from entity_names where folded not like char(1) || '%'
    except
    select e.project_id, n.value, e.id from entities e, json_each(e.folded_names) n
)
"""

_FORGET_NAMES = """
delete from entity_names
"""

_NAME_ALL = """
insert into entity_names (project_id, folded, entity_id)
select distinct e.project_id, n.value, e.id from entities e, json_each(e.folded_names) n
"""

_FORGET_PIECES = """
delete from pieces
"""

_TERMS_TABLE = """
select sql from sqlite_schema where name = 'piece_terms'
"""

_FORGET_DAMAGED = """
delete from embeddings
where model = (select embedding_model from store)
    and length(vector) <> 2 * (select embedding_dimension from store)
"""

_NEWEST = "(select coalesce(max(seq), 0) from change_log)"


def wrong_names(connection: Connection) -> int:
    """Return the number of missing and surplus entity names."""
    missing = int(connection.execute(_MISSING_NAMES).get)
    return missing + int(connection.execute(_GHOST_NAMES).get)


def wrong_texts(connection: Connection) -> int:
    """Return the number of search documents that differ from their rows."""
    return sum(
        int(connection.execute(query).get)
        for tracked, searched in _searched_tables()
        for query in (_different(tracked, searched), _ghosts(tracked, "count(*)"))
    )


def rebuild(connection: Connection) -> None:
    """Rebuild all derived data. Vectors are stored by text digest and are kept."""
    connection.execute(_FORGET_NAMES)
    connection.execute(_NAME_ALL)
    for tracked, searched in _searched_tables():
        connection.execute(_write_texts(tracked, searched))
        connection.execute(_forget_ghosts(tracked))
    connection.execute(_FORGET_PIECES)
    _rebuild_full_text(connection)
    connection.execute(_FORGET_DAMAGED)
    embeddings.requeue(connection)
    entries.retag(connection)
    merged_vectors.requeue(connection)


def _rebuild_full_text(connection: Connection) -> None:
    try:
        full_text.rebuild(connection)
    except apsw.Error:
        # Too damaged to be emptied.
        table = str(connection.execute(_TERMS_TABLE).get)
        connection.execute("drop table piece_terms")
        connection.execute(table)
        connection.execute(_FORGET_PIECES)
        full_text.rebuild(connection)


def _searched_tables() -> list[tuple[Tracked, Searched]]:
    return [(tracked, tracked.searched) for tracked in TRACKED if tracked.searched]


def _different(tracked: Tracked, searched: Searched) -> str:
    return f"""
        select count(*)
        from {tracked.table} r
            left join searchables s on s.kind = '{tracked.table}' and s.row_id = r.id
        where s.id is null or s.text is not ({searched.text.format(row="r")})
            or s.active is not ({searched.active.format(row="r")})
            or s.subject_id is not r.{tracked.subject} or s.project_id is not r.project_id
        """


def _ghosts(tracked: Tracked, what: str) -> str:
    return f"""
        select {what} from searchables s
        where s.kind = '{tracked.table}' and s.text is not null
            and not exists (select 1 from {tracked.table} where id = s.row_id)
        """


def _forget_ghosts(tracked: Tracked) -> str:
    return f"""
        update searchables set text = null, active = 0, seq = {_NEWEST}
        where id in ({_ghosts(tracked, "s.id")})
        """


def _write_texts(tracked: Tracked, searched: Searched) -> str:
    scope = "".join(f", {name}" for name in searched.scope)
    values = "".join(f", r.{name}" for name in searched.scope)
    again = "".join(f", {name} = excluded.{name}" for name in searched.scope)
    return f"""
        insert into searchables (kind, row_id, subject_id, project_id, occurred_at,
            active, text, seq{scope})
        select '{tracked.table}', r.id, r.{tracked.subject}, r.project_id,
            {searched.occurred_at.format(row="r")}, {searched.active.format(row="r")},
            {searched.text.format(row="r")}, {_NEWEST}{values}
        from {tracked.table} r
        where true
        on conflict (kind, row_id) do update set
            subject_id = excluded.subject_id, project_id = excluded.project_id,
            occurred_at = excluded.occurred_at, active = excluded.active,
            text = excluded.text{again},
            seq = case when text is excluded.text and active is excluded.active
                then seq else excluded.seq end
        """
