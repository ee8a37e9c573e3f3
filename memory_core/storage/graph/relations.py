"""Rows of relations."""

from __future__ import annotations

import json
from typing import Any

from apsw import Connection

from ...clock import format_timestamp
from ...model.graph.entities import Entity, Relation

_COLUMNS = """r.id, a.key as from_node_id, b.key as to_node_id, r.relationship_type, r.weight,
    r.confidence, r.properties, r.source, r.valid_from, r.valid_to, r.created_at, r.updated_at"""

_TRIPLE = f"""
select {_COLUMNS}
from relations r join entities a on a.id = r.from_id join entities b on b.id = r.to_id
where r.from_id = :from_id and r.to_id = :to_id and r.relationship_type = :relationship_type
"""

_AMONG = f"""
select {_COLUMNS}
from relations r join entities a on a.id = r.from_id join entities b on b.id = r.to_id
where r.from_id in (select value from json_each(:row_ids))
    and r.to_id in (select value from json_each(:row_ids))
order by r.created_at, r.id
limit :limit
"""

_OF = f"""
select {_COLUMNS}
from relations r join entities a on a.id = r.from_id join entities b on b.id = r.to_id
where r.from_id = :row_id or r.to_id = :row_id
order by r.created_at desc, r.id desc
limit :limit
"""

# Both ends of each edge that leaves or enters the frontier.
_EDGES = """
select from_id as here, to_id as there, relationship_type, 'outgoing' as direction
from relations
where from_id in (select value from json_each(:frontier))
    and (:relationship_type = '' or relationship_type = :relationship_type)
    and :direction in ('both', 'outgoing')
union all
select to_id as here, from_id as there, relationship_type, 'incoming' as direction
from relations
where to_id in (select value from json_each(:frontier))
    and (:relationship_type = '' or relationship_type = :relationship_type)
    and :direction in ('both', 'incoming')
order by here, there, relationship_type
"""

_INSERT = """
insert into relations (id, project_id, from_id, to_id, relationship_type, weight, confidence,
    properties, source, valid_from, valid_to, created_at, updated_at)
values (:id, :project_id, :from_id, :to_id, :relationship_type, :weight, :confidence,
    :properties, :source, :valid_from, :valid_to, :created_at, :updated_at)
"""

_REWRITE = """
update relations
set weight = :weight, confidence = :confidence, properties = :properties, source = :source,
    valid_from = :valid_from, valid_to = :valid_to, updated_at = :updated_at
where id = :id
"""

_DELETE = """
delete from relations where id = :id
"""

_DELETE_OF = """
delete from relations where id in (
    select id from relations where from_id = :row_id or to_id = :row_id limit :limit
)
"""

# Relations that would become a self-loop or a duplicate triple are not moved.
_MOVE_STARTS = """
update or ignore relations
set from_id = :to_id, updated_at = :updated_at
where id in (
    select id from relations where from_id = :from_id and to_id <> :to_id limit :limit
)
"""

_MOVE_ENDS = """
update or ignore relations
set to_id = :to_id, updated_at = :updated_at
where id in (
    select id from relations where to_id = :from_id and from_id <> :to_id limit :limit
)
"""

_DEGREES = """
select e.value as row_id,
    (select count(*) from relations where from_id = e.value)
    + (select count(*) from relations where to_id = e.value) as n
from json_each(:row_ids) e
"""


def triple(
    connection: Connection, start: Entity, end: Entity, relationship_type: str
) -> Relation | None:
    bound = {
        "from_id": start.row_id,
        "to_id": end.row_id,
        "relationship_type": relationship_type,
    }
    row = connection.execute(_TRIPLE, bound).fetchone()
    return _relation(row) if row else None


def among(connection: Connection, row_ids: list[str], *, limit: int) -> list[Relation]:
    """Return the relations with both ends among *row_ids*, oldest first."""
    rows = connection.execute(_AMONG, {"row_ids": json.dumps(row_ids), "limit": limit})
    return [_relation(row) for row in rows]


def of(connection: Connection, row_id: str, *, limit: int) -> list[Relation]:
    """Return the relations of an entity, newest first."""
    rows = connection.execute(_OF, {"row_id": row_id, "limit": limit})
    return [_relation(row) for row in rows]


def edges(
    connection: Connection, frontier: list[str], *, relationship_type: str, direction: str
) -> list[tuple[str, str, str]]:
    """Return (row id in *frontier*, row id at the other end, type), in a fixed order."""
    rows = connection.execute(
        _EDGES,
        {
            "frontier": json.dumps(frontier),
            "relationship_type": relationship_type,
            "direction": direction,
        },
    )
    return [(row["here"], row["there"], row["relationship_type"]) for row in rows]


def degrees(connection: Connection, row_ids: list[str]) -> dict[str, int]:
    """Return the number of relations of each entity."""
    rows = connection.execute(_DEGREES, {"row_ids": json.dumps(row_ids)})
    return {row["row_id"]: int(row["n"]) for row in rows}


def insert(connection: Connection, start: Entity, end: Entity, relation: Relation) -> None:
    connection.execute(
        _INSERT,
        {
            **_parameters(relation),
            "project_id": start.project_id,
            "from_id": start.row_id,
            "to_id": end.row_id,
            "relationship_type": relation.relationship_type,
        },
    )


def rewrite(connection: Connection, relation: Relation) -> None:
    """Update the stored row, except its id, ends and type."""
    connection.execute(_REWRITE, _parameters(relation))


def delete(connection: Connection, id: str) -> None:
    connection.execute(_DELETE, {"id": id})


def delete_of(connection: Connection, row_id: str, limit: int) -> int:
    """Delete up to *limit* relations at an entity; return how many."""
    connection.execute(_DELETE_OF, {"row_id": row_id, "limit": limit})
    return connection.changes()


def move(
    connection: Connection, from_row_id: str, to_row_id: str, now: str, *, limit: int = -1
) -> int:
    """Move relations, or up to *limit* of each end, to another entity; return how many."""
    bound = {"from_id": from_row_id, "to_id": to_row_id, "updated_at": now, "limit": limit}
    connection.execute(_MOVE_STARTS, bound)
    moved = connection.changes()
    connection.execute(_MOVE_ENDS, bound)
    return moved + connection.changes()


def _relation(row: dict[str, Any]) -> Relation:
    return Relation(**{**row, "properties": json.loads(row["properties"])})


def _parameters(relation: Relation) -> dict[str, str | float | None]:
    moments = ("valid_from", "valid_to", "created_at", "updated_at")
    return {
        "id": relation.id,
        "weight": relation.weight,
        "confidence": relation.confidence,
        "properties": json.dumps(relation.properties, ensure_ascii=False, sort_keys=True),
        "source": relation.source,
        **{
            name: format_timestamp(moment) if (moment := getattr(relation, name)) else None
            for name in moments
        },
    }
