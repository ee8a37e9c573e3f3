"""
Erasing for good: the only code that deletes from the journal.

What is erased is deleted first, so everything that follows the journal follows
this too; then what the journal, the full text, the vectors, the counters and
the traces hold of it goes. That a row was deleted, when and by whom stays: it
says nothing of the content, and keeps the numbers of changes from running back.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from apsw import Connection

from ...rules.text.normalization import fold
from ..search import embeddings, full_text
from . import audit_log
from .tracked import TRACKED

Row = tuple[str, str]

# By the store-wide id, in any table; or every entity that ever had that key.
_CALLED = """
select distinct row_id from changes
where kind = :kind and row_id = :id and project_id = :project_id
"""

_KEYED = """
select distinct row_id from changes
where kind = 'entities' and op = 'created' and project_id = :project_id
    and state ->> 'folded_key' = :folded
"""

# What hangs on a row, or did when it was deleted.
_HANGING = """
select c.kind, c.row_id
from (
    select kind, row_id, seq from changes where subject_id = :id
    union
    select kind, row_id, seq from changes where object_id = :id
) c
where c.seq = (select max(seq) from changes where kind = c.kind and row_id = c.row_id)
"""

_ROWS_OF_PROJECT = """
select distinct kind, row_id from changes
where :project_id = '*' or project_id = :project_id
"""

_FORGET_SEARCHED = """
delete from searchables where kind = :kind and row_id = :row_id
"""

_FORGET_USE = """
delete from usage where kind = :kind and row_id = :row_id
"""

# A transcript says what is to be erased in other words.
_FORGET_TRANSCRIPTS = """
delete from extraction_jobs
where exists (
    select 1 from json_each(extraction_jobs.written) w
    where :kind = 'entries' and w.value ->> 'id' = :row_id
)
"""

_FORGET_PAST = """
delete from changes where kind = :kind and row_id = :row_id and op <> 'deleted'
"""

# Of a whole project only the last line stays.
_FORGET_PROJECT = """
delete from changes
where (:project_id = '*' or project_id = :project_id) and seq < (select max(seq) from changes)
"""

_FORGET_QUERIES = """
update traces set query = ''
where query <> '' and (:project_id = '*' or project_id in (:project_id, '*', ''))
"""

_SCOPED_TABLES = """
select m.name
from sqlite_schema m
where m.type = 'table' and exists (
    select 1 from pragma_table_info(m.name) where name = 'project_id'
)
order by m.name
"""

# Scoped, and erased above by rules of their own.
_OWN_RULES = {"changes", "searchables", "traces", "entity_names"}


def find(connection: Connection, project_id: str, id: str) -> list[Row]:
    """Return the rows of that id, living or long deleted."""
    bound = {"project_id": project_id, "id": id, "folded": fold(id)}
    found = [
        (tracked.table, row["row_id"])
        for tracked in TRACKED
        for row in connection.execute(_CALLED, {**bound, "kind": tracked.table})
    ]
    found += [("entities", row["row_id"]) for row in connection.execute(_KEYED, bound)]
    return list(dict.fromkeys(found))


def with_what_hangs_on(connection: Connection, rows: Iterable[Row]) -> list[Row]:
    """Return the rows and all that cannot be without them."""
    waiting = list(rows)
    found: dict[Row, None] = {}
    while waiting:
        row = waiting.pop()
        if row not in found:
            found[row] = None
            hanging = connection.execute(_HANGING, {"id": row[1]})
            waiting += [(each["kind"], each["row_id"]) for each in hanging]
    return list(found)


def erase(connection: Connection, rows: list[Row]) -> dict[str, int]:
    """Erase rows with their past; return how many of each kind there were, now or once."""
    before = audit_log.newest(connection)
    bound = [{"kind": kind, "row_id": row_id} for kind, row_id in rows]
    for tracked in reversed(TRACKED):
        ids = json.dumps([row_id for kind, row_id in rows if kind == tracked.table])
        query = f"delete from {tracked.table} where id in (select value from json_each(:ids))"
        connection.execute(query, {"ids": ids})
    # The full text lets go of what it still knows by the ids of the searchables.
    full_text.follow(connection, before)
    for query in (_FORGET_SEARCHED, _FORGET_USE, _FORGET_TRANSCRIPTS, _FORGET_PAST):
        connection.executemany(query, bound)
    embeddings.prune_vectors(connection)
    counts: dict[str, int] = {}
    for kind, _ in rows:
        counts[kind] = counts.get(kind, 0) + 1
    return counts


def erase_project(connection: Connection, project_id: str) -> dict[str, int]:
    """Erase all that a project ("*": every one) has and had."""
    found: list[Any] = connection.execute(_ROWS_OF_PROJECT, {"project_id": project_id}).fetchall()
    counts = erase(connection, [(row["kind"], row["row_id"]) for row in found])
    tables: list[Any] = connection.execute(_SCOPED_TABLES).fetchall()
    for row in tables:
        if row["name"] not in _OWN_RULES:
            query = f"delete from {row['name']} where :project_id in ('*', project_id)"
            connection.execute(query, {"project_id": project_id})
    connection.execute(_FORGET_PROJECT, {"project_id": project_id})
    forget_queries(connection, project_id)
    return counts


def living(connection: Connection, project_id: str) -> dict[str, int]:
    """Return how many rows of each kind a project ("*": every one) has now."""
    return {
        tracked.table: int(
            connection.execute(
                f"select count(*) from {tracked.table} where :project_id in ('*', project_id)",
                {"project_id": project_id},
            ).get
        )
        for tracked in TRACKED
    }


def forget_queries(connection: Connection, project_id: str) -> None:
    """Blank the text of queries that were asked in a project, or in all at once."""
    connection.execute(_FORGET_QUERIES, {"project_id": project_id})
