"""Writer for automatically created relations, with their provenance."""

from __future__ import annotations

from datetime import datetime

from ...model.graph.entities import Entity, Relation
from ...storage.database import Connection
from ...storage.graph import relations


def link(
    connection: Connection,
    start: Entity,
    end: Entity,
    kind: str,
    *,
    id: str,
    now: datetime,
    confidence: float,
    source: str,
) -> Relation | None:
    """Relate two entities; return None, and change nothing, if the triple exists."""
    if relations.triple(connection, start, end, kind) is not None:
        return None
    relation = Relation(
        id=id,
        from_node_id=start.id,
        to_node_id=end.id,
        relationship_type=kind,
        confidence=confidence,
        source=source,
        created_at=now,
        updated_at=now,
    )
    relations.insert(connection, start, end, relation)
    return relation
