"""Current salience of entities."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta

from ...rules.graph.salience import salience
from ...storage.database import Connection
from ...storage.search import hits


def saliences(
    connection: Connection, row_ids: Collection[str], *, now: datetime
) -> dict[str, float]:
    """Return the salience, 0 to 1, of each of *row_ids* that is an entity."""
    return {
        entity.id: salience(
            retrievals=entity.retrievals,
            degree=entity.degree,
            idle_days=(now - datetime.fromisoformat(entity.touched)) / timedelta(days=1),
        )
        for entity in hits.entity_uses(connection, row_ids)
    }
