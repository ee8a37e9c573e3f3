"""Rows for maps of the graph: light enough to rank every entity of a project."""

from __future__ import annotations

import json
from typing import Any

from apsw import Connection

from ...clock import format_timestamp
from ...model.graph.graph_view import MapFilter
from ...rules.graph.salience import DEGREE, HALF_LIFE_DAYS, MUCH_CONNECTED, MUCH_USED, NEWNESS, USE
from ..history import audit_log
from ..scoping import scope_query

# Later than any stored moment.
LATEST = "9999"

# Changes of an entity in a time window are the audit log entries with it as subject: its own row,
# its observations, and its outgoing relations.
_WANTED = """(:status = '' or e.status = :status)
    and (:node_types = '[]' or e.node_type in (select value from json_each(:node_types)))
    and (:since = '' and :until = ''
        or :dated = 'created' and e.created_at >= :since and e.created_at < :until
        or :dated = 'changed' and exists (
            select 1 from terms w cross join change_log l on l.row = w.id or l.subject = w.id
            where w.text = e.id and l.seq > :after and l.seq <= :upto
        ))"""

_VALID = """(:valid_at = '' or (r.valid_from is null or r.valid_from <= :valid_at)
        and (r.valid_to is null or r.valid_to > :valid_at))"""

# The formula of rules/salience.py in SQL, so that SQLite returns only the rows that are shown.
_SALIENCE = f"""
    {USE} * min(1.0, ln(1 + coalesce(u.retrievals, 0)) / ln(1 + {MUCH_USED}))
    + {DEGREE} * min(1.0, ln(1 + (select count(*) from relations where from_id = e.id)
        + (select count(*) from relations where to_id = e.id)) / ln(1 + {MUCH_CONNECTED}))
    + {NEWNESS} * pow(2, -max(0.0, julianday(:now)
        - julianday(max(e.updated_at, coalesce(u.last_retrieved_at, '')))) / {HALF_LIFE_DAYS})"""

# Counts use indexes only; of each entity, only its own row is read.
_RANKED = f"""
select e.id, count(*) over () as total
from entities e left join usage u on u.kind = 'entities' and u.row_id = e.id
where project_id = :project_id and {_WANTED}
order by {_SALIENCE} desc, e.id
limit :limit
"""

_MATCHING = f"""
select e.id from entities e
where e.id in (select value from json_each(:row_ids)) and {_WANTED}
"""

# Both ends of each relation that leaves or enters the frontier.
_STEPS = f"""
select from_id as here, to_id as there, relationship_type, 1 as forward
from relations r
where from_id in (select value from json_each(:frontier))
    and (:relation_types = '[]'
        or relationship_type in (select value from json_each(:relation_types)))
    and {_VALID}
union all
select to_id as here, from_id as there, relationship_type, 0 as forward
from relations r
where to_id in (select value from json_each(:frontier))
    and (:relation_types = '[]'
        or relationship_type in (select value from json_each(:relation_types)))
    and {_VALID}
order by here, there, forward desc, relationship_type
"""

_NODES = """
select e.id as row_id, e.key as id, e.project_id, e.name, e.node_type, e.status, e.created_at,
    e.updated_at, coalesce(u.retrievals, 0) as retrievals, u.last_retrieved_at,
    (select count(*) from relations where from_id = e.id)
    + (select count(*) from relations where to_id = e.id) as degree,
    (select count(*) from observations where entity_id = e.id and status = 'active')
        as observations
from entities e left join usage u on u.kind = 'entities' and u.row_id = e.id
where e.id in (select value from json_each(:row_ids))
"""

_EDGES = f"""
select from_id as from_row_id, to_id as to_row_id, relationship_type, weight
from relations r
where from_id in (select value from json_each(:row_ids))
    and to_id in (select value from json_each(:row_ids))
    and (:relation_types = '[]'
        or relationship_type in (select value from json_each(:relation_types)))
    and {_VALID}
order by from_id, to_id, relationship_type
limit :limit
"""

_ENDS = """
select id, from_id, to_id from relations where id in (select value from json_each(:ids))
"""

_TYPES = """
select node_type as name, count(*) as n
from entities
where project_id = :project_id and (:status = '' or status = :status)
group by node_type
order by n desc, name
"""

_RELATION_TYPES = """
select relationship_type as name, count(*) as n
from relations
where project_id = :project_id
group by relationship_type
order by n desc, name
"""

_CHANGES = """
with found as (select id from terms where text = :row_id)
select count(*) from (
    select seq, kind from change_log where row in found
    union select seq, kind from change_log where subject in found
    union select seq, kind from change_log where object in found
)
where kind is not (select id from terms where text = 'chunks')
"""

_COUNTS = """
select
    (select count(*) from entities where project_id = :project_id and status = 'active')
        as entities,
    (select count(*) from entities where project_id = :project_id and status = 'archived')
        as archived,
    (select count(*) from observations where project_id = :project_id and status = 'active')
        as observations,
    (select count(*) from relations where project_id = :project_id) as relations,
    (select count(*) from documents where project_id = :project_id) as documents
"""

# Records that were deleted, archived or superseded since do not count as new.
_NEW = """
select kind, count(distinct row_id) as n
from changes c
where seq > :after and project_id = :project_id and op = 'created' and case kind
    when 'entities' then exists (
        select 1 from entities where id = c.row_id and status = 'active')
    when 'observations' then exists (
        select 1 from observations where id = c.row_id and status = 'active')
    when 'relations' then exists (select 1 from relations where id = c.row_id)
    when 'documents' then exists (select 1 from documents where id = c.row_id)
    end
group by kind
"""

# Records of an entity have it as their subject, so its id is enough.
_TOUCHED = """
select count(distinct e.id)
from changes c join entities e on e.id = c.subject_id
where c.seq > :after and c.project_id = :project_id and e.status = 'active'
"""


def rank_entities(
    connection: Connection, project_id: str, wanted: MapFilter, *, now: str, limit: int
) -> tuple[list[str], int]:
    """Return the most salient entities that match the filter, and the total count."""
    bound = {
        "project_id": project_id,
        "now": now,
        "limit": limit,
        **_parameters(connection, wanted),
    }
    found: list[Any] = connection.execute(scope_query(_RANKED, project_id), bound).fetchall()
    return [row["id"] for row in found], found[0]["total"] if found else 0


def matching(connection: Connection, row_ids: list[str], wanted: MapFilter) -> set[str]:
    """Return the entities that match the filter."""
    bound = {"row_ids": json.dumps(row_ids), **_parameters(connection, wanted)}
    return {row["id"] for row in connection.execute(_MATCHING, bound)}


def steps(
    connection: Connection, frontier: list[str], wanted: MapFilter
) -> list[tuple[str, str, str, bool]]:
    """Return (row id in *frontier*, row id at the other end, type, whether it points there)."""
    rows = connection.execute(
        _STEPS, {"frontier": json.dumps(frontier), **_parameters(connection, wanted)}
    )
    return [
        (row["here"], row["there"], row["relationship_type"], bool(row["forward"])) for row in rows
    ]


def nodes(connection: Connection, row_ids: list[str]) -> list[dict[str, Any]]:
    """Return entities with their counts, in the given order."""
    rows = connection.execute(_NODES, {"row_ids": json.dumps(row_ids)})
    found = {row["row_id"]: row for row in rows}
    return [found[row_id] for row_id in row_ids if row_id in found]


def edges(
    connection: Connection, row_ids: list[str], wanted: MapFilter, *, limit: int
) -> list[dict[str, Any]]:
    """Return the relations that match the filter and have both ends among *row_ids*."""
    bound = {"row_ids": json.dumps(row_ids), "limit": limit, **_parameters(connection, wanted)}
    return list(connection.execute(_EDGES, bound))


def ends(connection: Connection, relation_ids: list[str]) -> dict[str, tuple[str, str]]:
    """Return the row ids of both ends of each relation."""
    found = connection.execute(_ENDS, {"ids": json.dumps(relation_ids)})
    return {row["id"]: (row["from_id"], row["to_id"]) for row in found}


def type_counts(connection: Connection, project_id: str, *, status: str) -> dict[str, int]:
    """Return the number of entities of each type, most frequent first."""
    bound = {"project_id": project_id, "status": status}
    rows = connection.execute(scope_query(_TYPES, project_id), bound)
    return {row["name"]: int(row["n"]) for row in rows}


def relation_counts(connection: Connection, project_id: str) -> dict[str, int]:
    """Return the number of relations of each type, most frequent first."""
    rows = connection.execute(scope_query(_RELATION_TYPES, project_id), {"project_id": project_id})
    return {row["name"]: int(row["n"]) for row in rows}


def counts(connection: Connection, project_id: str) -> dict[str, int]:
    """Return the number of rows of each kind in a project."""
    row = connection.execute(
        scope_query(_COUNTS, project_id), {"project_id": project_id}
    ).fetchone()
    return dict(row or {})


def new_since(connection: Connection, project_id: str, since: str) -> dict[str, int]:
    """Return the number of active rows of each kind created since a moment."""
    bound = {"project_id": project_id, "after": _last_before(connection, since)}
    return {
        row["kind"]: int(row["n"])
        for row in connection.execute(scope_query(_NEW, project_id), bound)
    }


def touched_since(connection: Connection, project_id: str, since: str) -> int:
    """Return the number of active entities with changes since a moment."""
    bound = {"project_id": project_id, "after": _last_before(connection, since)}
    query = _TOUCHED.replace("c.project_id = :project_id", ":project_id = '*'")
    return int(connection.execute(query if project_id == "*" else _TOUCHED, bound).get)


def changes_of(connection: Connection, row_id: str) -> int:
    """Return the number of changes of an entity and its records, including creation."""
    return int(connection.execute(_CHANGES, {"row_id": row_id}).get)


def _last_before(connection: Connection, at: str) -> int:
    return audit_log.last_seq(connection, at, inclusive=False)


def _parameters(connection: Connection, wanted: MapFilter) -> dict[str, str | int]:
    bounded = wanted.since or wanted.until
    since = format_timestamp(wanted.since) if wanted.since else ""
    until = format_timestamp(wanted.until) if wanted.until else LATEST * bool(bounded)
    return {
        "status": "" if wanted.status == "all" else wanted.status,
        "node_types": json.dumps(wanted.node_types),
        "relation_types": json.dumps(wanted.relation_types),
        "dated": wanted.dated,
        "since": since,
        "until": until,
        "after": _last_before(connection, since) if bounded else 0,
        "upto": _last_before(connection, until) if bounded else 0,
        "valid_at": format_timestamp(wanted.valid_at) if wanted.valid_at else "",
    }
