"""Queries for session entities."""

from __future__ import annotations

from apsw import Connection

from ...model.graph.entities import Entity
from .entities import entity_of

_LATEST = """
select id, project_id, key, name, node_type, status, properties, aliases, certainty,
    occurred_at, archived_at, archive_reason, created_at, updated_at
from entities
where project_id = :project_id and node_type = 'session'
order by coalesce(occurred_at, created_at) desc, id desc
limit 1
"""

_RELATED = """
select e.id, e.project_id, key, name, node_type, e.status, e.properties, aliases, certainty,
    occurred_at, archived_at, archive_reason, e.created_at, e.updated_at
from relations r join entities e
    on e.id = case :forward when 1 then r.to_id else r.from_id end
where r.relationship_type = :relationship_type
    and case :forward when 1 then r.from_id else r.to_id end = :row_id
    and (r.from_id = :row_id or r.to_id = :row_id)
order by r.created_at, r.id
"""


def latest(connection: Connection, project_id: str) -> Entity | None:
    """Return the session of a project that started last."""
    row = connection.execute(_LATEST, {"project_id": project_id}).fetchone()
    return entity_of(row) if row else None


def related_entities(
    connection: Connection, row_id: str, relationship_type: str, *, forward: bool
) -> list[Entity]:
    """
    Return the entities that a relation leads to from a session, or from which it leads there,
    oldest first.
    """
    bound = {
        "row_id": row_id,
        "relationship_type": relationship_type,
        "forward": int(forward),
    }
    return [entity_of(row) for row in connection.execute(_RELATED, bound)]
