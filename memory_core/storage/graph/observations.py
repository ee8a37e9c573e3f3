"""Rows of observations."""

from __future__ import annotations

import json
from typing import Any

from apsw import Connection

from ...clock import format_timestamp
from ...errors import NotFoundError
from ...model.graph.entities import Entity, Observation
from ..search.full_text import digest

_COLUMNS = """o.id, e.key as entity_id, o.content, o.status,
    coalesce(o.superseded_by, '') as superseded_by, o.certainty, o.source, o.session_id,
    o.occurred_at, o.valid_from, o.valid_to, o.created_at, o.updated_at"""

_BY_ID = f"""
select {_COLUMNS}, e.id as entity_row_id
from observations o join entities e on e.id = o.entity_id
where o.id = :id and o.project_id = :project_id
"""

# Follows the chain of superseding observations to its end.
_HEIR = """
with recursive chain (id, next, step) as (
    select id, superseded_by, 0 from observations where id = :id
    union
    select o.id, o.superseded_by, step + 1
    from chain join observations o on o.id = chain.next
    where step < 1000
)
select id from chain where step > 0 order by step desc limit 1
"""

_IDENTICAL = f"""
select {_COLUMNS}
from observations o join entities e on e.id = o.entity_id
where o.entity_id = :entity_id and o.digest = :digest and o.status = 'active'
    and o.content = :content
"""

# Limited per entity, so that one with thousands leaves room for the others.
_OF_ENTITIES = f"""
select *
from (
    select {_COLUMNS}, o.entity_id as entity_row_id, row_number() over (
        partition by o.entity_id
        order by coalesce(o.occurred_at, o.created_at) desc, o.id desc
    ) as place
    from observations o join entities e on e.id = o.entity_id
    where o.entity_id in (select value from json_each(:entity_ids))
        and (:superseded or o.status = 'active')
)
where place <= :each
order by place
"""

_BY_IDS = f"""
select {_COLUMNS}, o.entity_id as entity_row_id
from observations o join entities e on e.id = o.entity_id
where o.id in (select value from json_each(:ids))
"""

_COUNTS = """
select entity_id, count(*) as n
from observations
where entity_id in (select value from json_each(:entity_ids)) and status = 'active'
group by entity_id
"""

_TOTAL = """
select count(*) from observations where entity_id = :entity_id
"""

_INSERT = """
insert into observations (id, project_id, entity_id, content, digest, status, superseded_by,
    certainty, source, session_id, occurred_at, valid_from, valid_to, created_at, updated_at)
values (:id, :project_id, :entity_id, :content, :digest, :status, :superseded_by,
    :certainty, :source, :session_id, :occurred_at, :valid_from, :valid_to, :created_at,
    :updated_at)
"""

_REWRITE = """
update observations
set content = :content, digest = :digest, status = :status, superseded_by = :superseded_by,
    certainty = :certainty, source = :source, session_id = :session_id,
    occurred_at = :occurred_at, valid_from = :valid_from, valid_to = :valid_to,
    updated_at = :updated_at
where id = :id
"""

_DELETE = """
delete from observations where id = :id
"""

_MOVE = """
update observations
set entity_id = :to_id, updated_at = :updated_at
where entity_id = :from_id
    and (:ids is null or id in (select value from json_each(:ids)))
    and (status <> 'active' or digest not in (
        select digest from observations where entity_id = :to_id and status = 'active'
    ))
"""

_AFTER = """
select id, content from observations
where entity_id = :entity_id and id > :id
order by id
limit :limit
"""


def get(connection: Connection, project_id: str, id: str) -> tuple[Observation, str]:
    """Return an observation and the row id of its entity, or raise NotFoundError."""
    row = connection.execute(_BY_ID, {"project_id": project_id, "id": id}).fetchone()
    if row is None:
        hint = f"Find the ids of project {project_id!r} with the tool get_hologram."
        raise NotFoundError("observation", id, hint)
    return _observation(row), row["entity_row_id"]


def heir(connection: Connection, id: str) -> str:
    """Return the final successor of a fact; "" if there is none or it was deleted."""
    return str(connection.execute(_HEIR, {"id": id}).get or "")


def identical(connection: Connection, entity_row_id: str, content: str) -> Observation | None:
    """Return the active observation of an entity with exactly that content."""
    bound = {"entity_id": entity_row_id, "digest": _digest(content), "content": content}
    row = connection.execute(_IDENTICAL, bound).fetchone()
    return _observation(row) if row else None


def of_entities(
    connection: Connection,
    entity_row_ids: list[str],
    *,
    each: int,
    superseded: bool = False,
) -> dict[str, list[Observation]]:
    """Return observations by entity row id, newest first, at most *each* of one entity."""
    rows = connection.execute(
        _OF_ENTITIES,
        {"entity_ids": json.dumps(entity_row_ids), "superseded": superseded, "each": each},
    )
    found: dict[str, list[Observation]] = {row_id: [] for row_id in entity_row_ids}
    for row in rows:
        found[row["entity_row_id"]].append(_observation(row))
    return found


def by_ids(connection: Connection, ids: list[str]) -> dict[str, Observation]:
    rows = connection.execute(_BY_IDS, {"ids": json.dumps(ids)})
    return {row["id"]: _observation(row) for row in rows}


def counts(connection: Connection, entity_row_ids: list[str]) -> dict[str, int]:
    """Return how many active observations each entity has."""
    rows = connection.execute(_COUNTS, {"entity_ids": json.dumps(entity_row_ids)})
    found = {row["entity_id"]: int(row["n"]) for row in rows}
    return {row_id: found.get(row_id, 0) for row_id in entity_row_ids}


def total(connection: Connection, entity_row_id: str) -> int:
    """Return the number of observations of an entity, including superseded ones."""
    return int(connection.execute(_TOTAL, {"entity_id": entity_row_id}).get)


def insert(connection: Connection, entity: Entity, observation: Observation) -> None:
    connection.execute(
        _INSERT,
        {**_parameters(observation), "entity_id": entity.row_id, "project_id": entity.project_id},
    )


def rewrite(connection: Connection, observation: Observation) -> None:
    """Update the stored row, except its id and entity."""
    connection.execute(_REWRITE, _parameters(observation))


def delete(connection: Connection, id: str) -> None:
    connection.execute(_DELETE, {"id": id})


def move(
    connection: Connection,
    from_row_id: str,
    to_row_id: str,
    now: str,
    *,
    ids: list[str] | None = None,
) -> int:
    """Move observations, or those of *ids*, that the other entity lacks; return how many."""
    among = None if ids is None else json.dumps(ids)
    bound = {"from_id": from_row_id, "to_id": to_row_id, "updated_at": now, "ids": among}
    connection.execute(_MOVE, bound)
    return connection.changes()


def after(connection: Connection, entity_row_id: str, id: str, limit: int) -> list[tuple[str, str]]:
    """Return ids and texts of an entity's observations after *id*, in order of id."""
    bound = {"entity_id": entity_row_id, "id": id, "limit": limit}
    return [(row["id"], row["content"]) for row in connection.execute(_AFTER, bound)]


def _digest(content: str) -> str:
    return digest(content).hex()


def _observation(row: dict[str, Any]) -> Observation:
    return Observation(**{name: row[name] for name in Observation.model_fields})


def _parameters(observation: Observation) -> dict[str, str | None]:
    moments = ("occurred_at", "valid_from", "valid_to", "created_at", "updated_at")
    return {
        "id": observation.id,
        "content": observation.content,
        "digest": _digest(observation.content),
        "status": observation.status,
        "superseded_by": observation.superseded_by or None,
        "certainty": observation.certainty,
        "source": observation.source,
        "session_id": observation.session_id,
        **{
            name: format_timestamp(moment) if (moment := getattr(observation, name)) else None
            for name in moments
        },
    }
