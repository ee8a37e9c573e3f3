"""Counts and states of search documents."""

from __future__ import annotations

import json

from apsw import Connection

_IS_PENDING = """
select exists (
    select 1
    from searchables s join unembedded u
        on u.piece_id >= s.id << 24 and u.piece_id < (s.id + 1) << 24
    where s.kind = :kind and s.row_id in (select value from json_each(:row_ids))
)
"""

# Loose index scan: SQLite seeks the next project without reading the rows.
_PROJECTS = """
with recursive found (project_id) as (
    select min(project_id) from searchables where text is not null
    union all
    select (
        select min(project_id) from searchables
        where text is not null and project_id > found.project_id
    )
    from found where found.project_id is not null
)
select project_id from found where project_id is not null
"""

_COUNTS = """
select kind, count(*) as n
from searchables
where project_id = :project_id and text is not null
group by kind
"""


def is_pending(connection: Connection, kind: str, row_ids: list[str]) -> bool:
    """Return whether any of these rows has a passage without a vector."""
    bound = {"kind": kind, "row_ids": json.dumps(row_ids)}
    return bool(connection.execute(_IS_PENDING, bound).get)


def projects(connection: Connection) -> list[str]:
    """Return all projects with search documents, by name."""
    return [row["project_id"] for row in connection.execute(_PROJECTS)]


def counts(connection: Connection, project_id: str) -> dict[str, int]:
    """Return the number of search documents of each kind in a project."""
    rows = connection.execute(_COUNTS, {"project_id": project_id})
    return {row["kind"]: int(row["n"]) for row in rows}
