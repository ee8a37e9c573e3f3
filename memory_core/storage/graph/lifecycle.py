"""Stale entities, and deleted entities with the rows deleted with them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from apsw import Connection

from ...rules.text.normalization import fold_name
from ..history import audit_log
from ..history.undo import Touched

_ARCHIVED_BEFORE = """
select id, archived_at as since, 'archived' as reason
from entities
where project_id = :project_id and status = 'archived' and archived_at <= :before
order by archived_at, id
"""

# Not written since, except by the batch that created it, and not returned by a search.
_UNUSED_SINCE = """
select e.id, e.updated_at as since, 'unused' as reason
from entities e
where e.project_id = :project_id and e.status = 'active'
    and e.updated_at <= :before and e.updated_at = e.created_at
    and not exists (select 1 from usage where kind = 'entities' and row_id = e.id)
    and not exists (
        select 1
        from observations o join usage u on u.kind = 'observations' and u.row_id = o.id
        where o.entity_id = e.id
    )
    and not exists (
        select 1
        from terms w cross join change_log l on l.row = w.id or l.subject = w.id or l.object = w.id
        where w.text = e.id and l.seq > :last
    )
order by e.updated_at, e.id
"""

_USE = """
select e.value as id,
    coalesce((select retrievals from usage where kind = 'entities' and row_id = e.value), 0)
    + coalesce((
        select sum(retrievals)
        from observations o join usage u on u.kind = 'observations' and u.row_id = o.id
        where o.entity_id = e.value
    ), 0) as retrievals,
    coalesce((
        select last_retrieved_at from usage where kind = 'entities' and row_id = e.value
    ), '') as last_retrieved_at
from json_each(:row_ids) e
"""

_TOTALS = """
select
    (select count(*) from observations
        where entity_id in (select value from json_each(:row_ids))) as observations,
    (select count(*) from relations
        where from_id in (select value from json_each(:row_ids))
            or to_id in (select value from json_each(:row_ids))) as relations
"""

_DELETE_ALL = """
delete from entities where id in (select value from json_each(:row_ids))
"""

# The last deletion of an entity with that name that has not been restored.
_DELETED = """
select row_id, batch_id, state
from (
    select d.seq, d.row_id, d.batch_id, (
        select state from recorded_states
        where row = d.row_term and kind = d.kind_term and seq < d.seq and op < 2
        order by seq desc limit 1
    ) as state
    from changes d
    where d.project_id = :project_id and d.kind = 'entities' and d.op = 'deleted'
        and not exists (select 1 from entities e where e.id = d.row_id)
)
where state is not null and (
    state ->> 'folded_key' = :folded
    or exists (select 1 from json_each(state ->> 'folded_names') where value = :folded)
)
order by state ->> 'folded_key' = :folded desc, seq desc
limit 1
"""

_WENT_WITH = """
select c.kind, c.row_id, min(c.seq) as first, max(c.seq) as last
from change_ranges r cross join changes c on c.seq between r.first and r.last
where r.batch_id = :batch_id and (c.subject_id = :row_id or c.object_id = :row_id)
group by c.kind, c.row_id
having max(case when c.op = 'deleted' then c.seq end) = max(c.seq)
order by first
"""


@dataclass(frozen=True)
class Candidate:
    """A prunable entity, by row id; *since* is when it was archived or last changed."""

    id: str
    since: str
    reason: str


@dataclass(frozen=True)
class Use:
    """How often searches returned an entity or its observations."""

    retrievals: int
    last_retrieved_at: str


def archived_before(connection: Connection, project_id: str, before: str) -> list[Candidate]:
    rows = connection.execute(_ARCHIVED_BEFORE, {"project_id": project_id, "before": before})
    return [Candidate(**row) for row in rows]


def unused_since(connection: Connection, project_id: str, before: str) -> list[Candidate]:
    bound = {
        "project_id": project_id,
        "before": before,
        "last": audit_log.last_seq(connection, before),
    }
    rows = connection.execute(_UNUSED_SINCE, bound)
    return [Candidate(**row) for row in rows]


def use(connection: Connection, row_ids: list[str]) -> dict[str, Use]:
    """Return the use of each entity."""
    rows = connection.execute(_USE, {"row_ids": json.dumps(row_ids)})
    return {row["id"]: Use(row["retrievals"], row["last_retrieved_at"]) for row in rows}


def totals(connection: Connection, row_ids: list[str]) -> dict[str, int]:
    """Return how many rows of each kind would be deleted with these entities."""
    row: Any = connection.execute(_TOTALS, {"row_ids": json.dumps(row_ids)}).fetchone()
    return {"entities": len(row_ids), **row}


def delete_all(connection: Connection, row_ids: list[str]) -> None:
    """Delete entities with their observations and relations."""
    connection.execute(_DELETE_ALL, {"row_ids": json.dumps(row_ids)})


def deleted_entity(connection: Connection, project_id: str, id: str) -> list[Touched]:
    """Return the rows of the last deletion of the entity with that id or name, itself included."""
    bound = {"project_id": project_id, "folded": fold_name(id)}
    row: Any = connection.execute(_DELETED, bound).fetchone()
    if row is None:
        return []
    bound = {"batch_id": row["batch_id"], "row_id": row["row_id"]}
    return [Touched(**each) for each in connection.execute(_WENT_WITH, bound)]
