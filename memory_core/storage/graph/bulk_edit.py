"""Pages of rows by last change, and the changes of one batch so far."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from apsw import Connection

from ...model.graph.entities import Entity, Observation
from ...rules.text.normalization import loosen_name
from ..history.audit_log import Version
from ..scoping import scope_query
from .entities import entity_of

_ENTITIES = """
select id, project_id, key, name, node_type, status, properties, aliases, certainty,
    occurred_at, archived_at, archive_reason, created_at, updated_at
from entities e
where project_id = :project_id
    and (:status = '' or status = :status)
    and (:types = '[]' or node_type in (select value from json_each(:types)))
    and (:query = '' or exists (
        select 1 from entity_names n where n.entity_id = e.id and instr(n.folded, :query)
    ))
order by updated_at desc, id desc
limit :limit offset :offset
"""

_OBSERVATIONS = """
select o.id, e.key as entity_id, o.content, o.status,
    coalesce(o.superseded_by, '') as superseded_by, o.certainty, o.source, o.session_id,
    o.occurred_at, o.valid_from, o.valid_to, o.created_at, o.updated_at,
    e.project_id as its_project, e.name as its_name
from observations o join entities e on e.id = o.entity_id
where o.project_id = :project_id
    and (:status = '' or o.status = :status)
    and (:entity_id = '' or o.entity_id = :entity_id)
    and (:types = '[]' or e.node_type in (select value from json_each(:types)))
    and (:query = '' or o.content like :pattern escape '\\')
order by
    case :entity_id when '' then o.updated_at else coalesce(o.occurred_at, o.created_at) end desc,
    o.id desc
limit :limit offset :offset
"""

_COUNT = "select count(*) from "

_TOUCHED = """
select c.kind, c.op, count(distinct c.row_id) as n
from change_ranges r cross join changes c on c.seq between r.first and r.last
where r.batch_id = :batch_id and c.kind <> 'chunks'
group by kind, op
order by kind, op
"""

_NEWEST_ABOUT = """
select seq, at, actor from changes
where seq = (
    select max(l.seq)
    from terms w join change_log l on l.row = w.id or l.subject = w.id
    where w.text = :row_id
)
"""


def entities(
    connection: Connection,
    project_id: str,
    *,
    query: str,
    types: Sequence[str],
    status: str,
    limit: int,
    offset: int,
) -> tuple[list[Entity], int]:
    """Return a page of entities, last changed first, and how many match."""
    bound = {
        "project_id": project_id,
        "query": loosen_name(query),
        "types": json.dumps(list(types)),
        "status": status,
    }
    rows, total = _page(connection, _ENTITIES, bound, limit, offset)
    return [entity_of(row) for row in rows], total


def observations(
    connection: Connection,
    project_id: str,
    *,
    entity_row_id: str,
    query: str,
    types: Sequence[str],
    status: str,
    limit: int,
    offset: int,
) -> tuple[list[tuple[Observation, str, str]], int]:
    """Return a page of observations, each with project and name of its entity, and the total."""
    bound = {
        "project_id": project_id,
        "entity_id": entity_row_id,
        "query": query,
        "pattern": _containing(query),
        "types": json.dumps(list(types)),
        "status": status,
    }
    rows, total = _page(connection, _OBSERVATIONS, bound, limit, offset)
    found = []
    for row in rows:
        project, name = row.pop("its_project"), row.pop("its_name")
        found.append((Observation(**row), project, name))
    return found, total


def touched_rows(connection: Connection, batch_id: str) -> dict[str, dict[str, int]]:
    """Return how many rows of each table a batch created, changed and deleted."""
    found: dict[str, dict[str, int]] = {}
    for row in connection.execute(_TOUCHED, {"batch_id": batch_id}):
        found.setdefault(row["kind"], {})[row["op"]] = int(row["n"])
    return found


def newest_about(connection: Connection, row_id: str) -> Version:
    """Return the newest change of an entity or of a row that belongs to it."""
    row = connection.execute(_NEWEST_ABOUT, {"row_id": row_id}).fetchone()
    return Version(**row) if row else Version(0, "", "")


def _page(
    connection: Connection, query: str, bound: dict[str, Any], limit: int, offset: int
) -> tuple[list[dict[str, Any]], int]:
    query = scope_query(query, bound["project_id"])
    matching = query.partition("\nfrom ")[2].partition("\norder by")[0]
    total = int(connection.execute(_COUNT + matching, bound).get)
    page = {**bound, "limit": limit, "offset": offset}
    rows: list[Any] = connection.execute(query, page).fetchall()
    return rows, total


def _containing(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"%{escaped}%"
