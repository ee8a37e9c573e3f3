"""
Permanent erasure: the only code that deletes from the audit log.

Rows are deleted first, so that everything that follows the log removes them too; then their states
in the log, the full-text index, the vectors, the counters and the traces are erased. The record
that a row was deleted, with time and actor, stays: it has no content, and keeps the seq from going
backwards.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from apsw import Connection

from ...model.scope import ALL_USERS, Scope
from ...rules import limits
from ...rules.text.normalization import fold_name
from ..scoping import OWNED_LIST, SEEN, USER_SEEN, bound_of, row_owned, row_seen, scope_query
from ..search import full_text
from . import audit_log
from .tracked import TRACKED

Row = tuple[str, str]

# By row id, in any table; or every entity that ever had that key.
_CALLED = f"""
select distinct row_id from changes c
where kind = :kind and row_id = :id and project_id = :project_id
    and {row_seen("c")}
"""

_KEYED = """
select distinct c.row_id
from change_states s cross join changes c on c.seq = s.seq
where s.state ->> 'folded_key' = :folded and c.kind = 'entities'
    and c.project_id = :project_id
"""

# Rows that depend on a row, or did when it was deleted.
_HANGING = """
select c.kind, c.row_id
from (
    select l.seq from terms w join change_log l on l.subject = w.id where w.text = :id
    union
    select l.seq from terms w join change_log l on l.object = w.id where w.text = :id
) l cross join changes c on c.seq = l.seq
where c.seq = (
    select max(seq) from change_log where row = c.row_term and kind = c.kind_term
)
"""

_ROWS_OF_PROJECT = f"""
select distinct kind, row_id from changes c
where (:project_id = '*' or project_id = :project_id) and {row_seen("c")}
"""

_ROWS_OF_OWNER = f"""
select distinct kind, row_id from changes c
where kind in ({OWNED_LIST}) and (:project_id = '*' or project_id = :project_id)
    and {row_owned("c")}
"""

_FORMS = f"""
select form, count(*) as count from entries where {SEEN} group by form
"""

_JOBS = f"""
select count(*) from extraction_jobs where {SEEN}
"""

_FORGET_JOBS = f"""
delete from extraction_jobs where {SEEN}
"""

# Labels of groups consist of tags, and groups span all agents and sessions of a user.
_FORGET_GROUPS = """
delete from groups where project_id = :project_id and user_id = :user_id
"""

_FORGET_BUILDS = """
delete from group_builds where project_id = :project_id and user_id = :user_id
"""

_FORGET_SEARCHED = """
delete from searchables where kind = :kind and row_id = :row_id
"""

_FORGET_USE = """
delete from usage where kind = :kind and row_id = :row_id
"""

# A transcript contains the erased facts in other words.
_FORGET_TRANSCRIPTS = """
delete from extraction_jobs
where exists (
    select 1 from json_each(extraction_jobs.written) w
    where :kind = 'entries' and w.value ->> 'id' = :row_id
)
"""

# The changes of a row. States of a row refer only to its own states.
_OF_ROW = """
    seq in (
        select seq from change_log
        where row = (select id from terms where text = :row_id)
            and kind = (select id from terms where text = :kind)
    )"""

_FORGET_STATES = f"""
delete from change_states where {_OF_ROW}
"""

_FORGET_PAST = f"""
delete from change_log where {_OF_ROW} and op < 2
"""

# Of a whole project only the last entry stays.
_FORGET_PROJECT_STATES = """
delete from change_states
where seq in (
    select seq from change_log
    where :project_id = '*' or project = (select id from terms where text = :project_id)
)
"""

_FORGET_PROJECT = """
delete from change_log
where (:project_id = '*' or project = (select id from terms where text = :project_id))
    and seq < (select max(seq) from change_log)
"""

# Transactions whose changes were all erased, and texts that no change contains any more.
_FORGET_TRANSACTIONS = """
delete from change_transactions
where id is not (
    select txn from change_log where seq >= change_transactions.id order by seq limit 1
)
"""

_FORGET_TERMS = """
delete from terms
where (:project_id = '*' or text = :project_id)
    and not exists (select 1 from change_log where row = terms.id)
    and not exists (select 1 from change_log where subject = terms.id)
    and not exists (select 1 from change_log where object = terms.id)
    and not exists (select 1 from change_log where project = terms.id)
    and id not in (select kind from change_log)
    and id not in (select actor from change_transactions)
    and id not in (select cause from change_transactions)
    and id not in (select origin from change_transactions where origin is not null)
"""

_FORGET_PROJECT_ALL = (_FORGET_PROJECT_STATES, _FORGET_PROJECT, _FORGET_TRANSACTIONS, _FORGET_TERMS)

# For single rows that are erased with their history, while the rest of the project stays.
_FORGET_DELETIONS = f"""
delete from change_log where {_OF_ROW} and seq < (select max(seq) from change_log)
"""

_FORGET_QUERIES = """
update traces set query = ''
where query <> '' and (:project_id = '*' or project_id in (:project_id, '*', ''))
"""

_SCOPED_TABLES = """
select m.name,
    exists (select 1 from pragma_table_info(m.name) where name = 'user_id') as has_user
from sqlite_schema m
where m.type = 'table' and exists (
    select 1 from pragma_table_info(m.name) where name = 'project_id'
)
order by m.name
"""

# Tables with a scope that are erased separately; the last ones depend on the rows they refer to.
_OWN_RULES = {"searchables", "traces", "entity_names", "entry_tags", "uncompared"}


def find(connection: Connection, scope: Scope, id: str) -> list[Row]:
    """Return the rows of that id in a scope, including deleted ones."""
    bound = {**bound_of(scope), "id": id, "folded": fold_name(id)}
    found = [
        (tracked.table, row["row_id"])
        for tracked in TRACKED
        for row in connection.execute(_CALLED, {**bound, "kind": tracked.table})
    ]
    found += [("entities", row["row_id"]) for row in connection.execute(_KEYED, bound)]
    return list(dict.fromkeys(found))


def with_what_hangs_on(connection: Connection, rows: Iterable[Row]) -> list[Row]:
    """Return the rows and all rows that depend on them."""
    waiting = list(rows)
    found: dict[Row, None] = {}
    while waiting:
        row = waiting.pop()
        if row not in found:
            found[row] = None
            hanging = connection.execute(_HANGING, {"id": row[1]})
            waiting += [(each["kind"], each["row_id"]) for each in hanging]
    return list(found)


def in_parts(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Yield rows, children before parents, as many as one transaction can erase."""
    order = {tracked.table: -place for place, tracked in enumerate(TRACKED)}
    return limits.parts_of(sorted(rows, key=lambda row: order[row[0]]), lambda row: 0)


def erase(connection: Connection, rows: list[Row], *, deletions: bool = False) -> Counter[str]:
    """
    Erase rows with their history; return how many of each kind there were, now or before.

    That they were deleted stays in the audit log unless *deletions* are erased as well.
    """
    before = audit_log.newest(connection)
    bound = [{"kind": kind, "row_id": row_id} for kind, row_id in rows]
    for tracked in reversed(TRACKED):
        ids = json.dumps([row_id for kind, row_id in rows if kind == tracked.table])
        query = f"delete from {tracked.table} where id in (select value from json_each(:ids))"
        connection.execute(query, {"ids": ids})
    # The full-text index removes entries by the ids of their search documents.
    full_text.follow(connection, before)
    for query in (_FORGET_SEARCHED, _FORGET_USE, _FORGET_TRANSCRIPTS):
        connection.executemany(query, bound)
    connection.executemany(_FORGET_STATES, bound)
    connection.executemany(_FORGET_PAST, bound)
    if deletions:
        connection.executemany(_FORGET_DELETIONS, bound)
    return Counter(kind for kind, _ in rows)


def rows_of_project(connection: Connection, scope: Scope) -> list[Row]:
    """Return all rows that a project has or had, except those of users that are not named."""
    return _rows(connection, _ROWS_OF_PROJECT, scope)


def forget_unused_terms(connection: Connection) -> None:
    """Delete texts that no change contains any more."""
    connection.execute(_FORGET_TERMS, {"project_id": "*"})


def finish_project(connection: Connection, scope: Scope) -> None:
    """Erase what rows_of_project() does not list, and what was written since."""
    bound = bound_of(scope)
    left = rows_of_project(connection, scope)
    erase(connection, left, deletions=scope.user_id is not ALL_USERS)
    tables: list[Any] = connection.execute(_SCOPED_TABLES).fetchall()
    for table in tables:
        if table["name"] not in _OWN_RULES:
            query = f"delete from {table['name']} where {_within(table['has_user'])}"
            connection.execute(query, bound)
    if scope.user_id is ALL_USERS:
        for query in _FORGET_PROJECT_ALL:
            connection.execute(query, bound)
    forget_queries(connection, scope.project_id)


def counts_of_owner(connection: Connection, scope: Scope) -> Counter[str]:
    """Return how many facts, entries and jobs exactly one user, agent or session has."""
    of, bound = (scope.project_id, scope.user), bound_of(scope)
    counts: Counter[str] = Counter()
    for row in connection.execute(scope_query(_FORMS, *of), bound):
        counts[row["form"]] = int(row["count"])
    counts["job"] = int(connection.execute(scope_query(_JOBS, *of), bound).get)
    return counts


def finish_owner(connection: Connection, scope: Scope) -> None:
    """Erase what is made of the records of an owner, and what was written since."""
    of, bound = (scope.project_id, scope.user), bound_of(scope)
    erase(connection, rows_of_owner(connection, scope), deletions=True)
    for query in (_FORGET_JOBS, _FORGET_GROUPS, _FORGET_BUILDS):
        connection.execute(scope_query(query, *of), bound)
    forget_queries(connection, scope.project_id)


def rows_of_owner(connection: Connection, scope: Scope) -> list[Row]:
    """Return the rows of exactly one user, agent or session, including deleted ones."""
    return _rows(connection, _ROWS_OF_OWNER, scope)


def count_of_owner(connection: Connection, scope: Scope) -> int:
    """Return the number of rows and jobs of that owner, including deleted rows."""
    query = scope_query(_JOBS, scope.project_id, scope.user)
    jobs = int(connection.execute(query, bound_of(scope)).get)
    return len(rows_of_owner(connection, scope)) + jobs


def living(connection: Connection, project_id: str) -> dict[str, int]:
    """Return the number of current rows of each kind in a project ("*": all), for all users."""
    return {
        tracked.table: int(
            connection.execute(
                f"select count(*) from {tracked.table} where :project_id in ('*', project_id)",
                {"project_id": project_id},
            ).get
        )
        for tracked in TRACKED
    }


def _rows(connection: Connection, query: str, scope: Scope) -> list[Row]:
    found: list[Any] = connection.execute(query, bound_of(scope)).fetchall()
    return [(row["kind"], row["row_id"]) for row in found]


def _within(has_user: bool) -> str:
    return f":project_id in ('*', project_id) and {USER_SEEN if has_user else '1'}"


def forget_queries(connection: Connection, project_id: str) -> None:
    """Erase the text of recorded queries of a project, or of calls to all projects."""
    connection.execute(_FORGET_QUERIES, {"project_id": project_id})
