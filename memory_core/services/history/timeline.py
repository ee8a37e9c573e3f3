"""Timeline of changes, and temporal neighbours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from ...clock import format_timestamp
from ...errors import NotFoundError, ValidationError
from ...model.graph.entities import Entity
from ...model.graph.ontology import Ontology
from ...model.history import (
    Event,
    EventChange,
    TemporalNeighbour,
    TemporalNeighbourhood,
    Timeline,
)
from ...model.scope import Scope, User
from ...rules import limits, row_states
from ...rules.graph.ontology import canonical_entity_type
from ...rules.table_names import kind_for_table, table_for_kind
from ...rules.text.normalization import fold_name
from ...storage.database import Connection, Database
from ...storage.graph import entities
from ...storage.history import as_of as rows
from ...storage.history import audit_log, timeline
from ...storage.history.audit_log import Change
from ..graph.exploration import Exploration
from ..scopes import checked_names

DIRECTIONS = ("before", "after", "both")


class Timelines:
    """Events of every kind, from the audit log."""

    def __init__(self, db: Database, ontology: Ontology, exploration: Exploration) -> None:
        self._db = db
        self._ontology = ontology
        self._exploration = exploration

    def list_events(
        self,
        *,
        project_id: str = "default",
        user_id: User = "",
        agent_id: str = "",
        session_id: str = "",
        entity: str = "",
        entity_type: str = "",
        kind: str = "",
        actor: str = "",
        start: datetime | None = None,
        end: datetime | None = None,
        order: str = "ASC",
        limit: int = 50,
        offset: int = 0,
    ) -> Timeline:
        """
        Return events in order of time, oldest first unless *order* is DESC.

        Of records that belong to a user, only those of the named user are returned.
        """
        found, total = self._find_changes(
            checked_names(project_id, user_id, agent_id, session_id),
            entity=entity,
            entity_type=entity_type,
            kind=kind,
            actor=actor,
            start=start,
            end=end,
            order=order,
            limit=limit,
            offset=offset,
        )
        return Timeline(events=[each.event for each in found], total=total, offset=offset)

    def list_changes(
        self,
        entity: str,
        *,
        project_id: str = "default",
        limit: int = 50,
        offset: int = 0,
    ) -> tuple[list[EventChange], int]:
        """Return the changes of an entity and its facts, newest first, and their total."""
        scope = checked_names(project_id, "")
        return self._find_changes(scope, entity=entity, order="DESC", limit=limit, offset=offset)

    def list_actors(self, *, project_id: str = "default") -> list[str]:
        """Return everyone who ever changed a project, by name."""
        with self._db.read() as connection:
            return timeline.actors(
                connection, limits.validate_project(project_id, all_allowed=True)
            )

    def temporal_neighbors(
        self,
        node_id: str,
        *,
        project_id: str = "default",
        direction: str = "both",
        depth: int = 1,
        limit: int = 100,
    ) -> TemporalNeighbourhood:
        """Return the related entities before or after one, nearest in time first."""
        if direction not in DIRECTIONS:
            raise ValidationError(
                f"direction must be one of {', '.join(DIRECTIONS)}, not {direction!r}."
            )
        around = self._exploration.neighbors(
            node_id, project_id=project_id, depth=depth, limit=limit
        )
        with self._db.read() as connection:
            anchor = entities.get(connection, project_id, around.node_id)
        here = _moment(anchor)
        near = [
            TemporalNeighbour(
                entity=each.entity,
                moment=_moment(each.entity),
                seconds=(_moment(each.entity) - here).total_seconds(),
                distance=each.distance,
                path=each.path,
            )
            for each in around.neighbors
        ]
        wanted = [each for each in near if _lies(each.seconds, direction)]
        wanted.sort(key=lambda each: (abs(each.seconds), each.distance, each.entity.id))
        return TemporalNeighbourhood(
            node_id=anchor.id, moment=here, neighbors=wanted, truncated=around.truncated
        )

    def _find_changes(
        self,
        scope: Scope,
        *,
        entity: str = "",
        entity_type: str = "",
        kind: str = "",
        actor: str = "",
        start: datetime | None = None,
        end: datetime | None = None,
        order: str,
        limit: int,
        offset: int,
    ) -> tuple[list[EventChange], int]:
        """Return a page of changes with their effects, and the total."""
        if order.upper() not in ("ASC", "DESC"):
            raise ValidationError(f"order must be ASC or DESC, not {order!r}.")
        if offset < 0:
            raise ValidationError(f"offset must be 0 or more, not {offset}.")
        limits.validate_order(start=start, end=end)
        limit = limits.validate_page_size(limit)
        project_id = limits.validate_project(scope.project_id, all_allowed=not entity)
        with self._db.read() as connection:
            window = timeline.Window(
                scope=scope,
                row_id=_row_id(connection, project_id, entity) if entity else "",
                node_type=canonical_entity_type(self._ontology, entity_type) if entity_type else "",
                kind=table_for_kind(kind) if kind else "",
                actor=actor,
                start=format_timestamp(start) if start else "",
                end=format_timestamp(end) if end else "9999",
            )
            newest_first = order.upper() == "DESC"
            found = timeline.events(
                connection, window, newest_first=newest_first, limit=limit, offset=offset
            )
            return _build_changes(connection, found), timeline.count(connection, window)


def _lies(seconds: float, direction: str) -> bool:
    return direction == "both" or (seconds < 0 if direction == "before" else seconds > 0)


def _moment(entity: Entity) -> datetime:
    return entity.occurred_at or entity.created_at


def _row_id(connection: Connection, project_id: str, key: str) -> str:
    """Return the row id of an entity by id or name; for a deleted one, by its last name."""
    try:
        return entities.get(connection, project_id, key).row_id
    except NotFoundError:
        last = audit_log.newest(connection)
        gone = rows.last_with_key(connection, project_id, fold_name(key), last)
        former = [gone] if gone else rows.ever_called(connection, project_id, key)
        if not former:
            raise
        return former[0]


def _build_changes(
    connection: Connection, found: Sequence[tuple[Change, str]]
) -> list[EventChange]:
    """Return changes as events, in a constant number of queries."""
    earlier = timeline.earlier(connection, [change.seq for change, _ in found])
    ends = {
        end
        for change, _ in found
        for end in _ends(change, change.state or earlier[change.seq].known or {})
    }
    called = rows.names_as_of(connection, sorted(ends))
    return [
        _event_change(change, node_type, earlier[change.seq], called) for change, node_type in found
    ]


def _event_change(
    change: Change, node_type: str, earlier: timeline.Earlier, called: rows.Called
) -> EventChange:
    state = change.state or earlier.known or {}
    is_entity = change.kind == "entities"
    event = Event(
        seq=change.seq,
        at=datetime.fromisoformat(change.at),
        event=row_states.event_name(
            change.kind, change.op, change.cause, (earlier.known, change.state)
        ),
        kind=kind_for_table(change.kind),
        id=state.get("key", change.row_id) if is_entity else change.row_id,
        name=row_states.row_name(change.kind, state, called.keys),
        title=row_states.row_title(change.kind, state, called.names),
        entity_id=state.get("key", "") if is_entity else called.keys.get(change.subject_id, ""),
        node_type=node_type,
        project_id=change.project_id,
        actor=change.actor,
        cause=change.cause,
        batch_id=change.batch_id,
    )
    before, after = row_states.diff_states(earlier.before, change.state)
    return EventChange(event=event, before=before, after=after)


def _ends(change: Change, state: Mapping[str, Any]) -> list[str]:
    """Return the row ids of the entities that a change is about."""
    return row_states.relation_end_ids([state]) or [change.subject_id]
