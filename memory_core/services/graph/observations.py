"""Observations of entities: add, change and supersede."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from ...context import as_one_batch, current_batch
from ...errors import ConflictError, ValidationError
from ...ids import IdSource
from ...model.graph.entities import (
    DeleteResult,
    Entity,
    NewObservation,
    Observation,
    WrittenObservation,
    WrittenObservations,
)
from ...rules import limits
from ...storage.database import Connection, Database
from ...storage.graph import entities
from ...storage.graph import observations as rows
from ...storage.history import audit_log
from ...storage.search import search_documents

BATCH = 1000


class Observations:
    """Observations of entities; identical facts about one entity are one record."""

    def __init__(self, db: Database, ids: IdSource) -> None:
        self._db = db
        self._ids = ids

    def add_observation(
        self,
        entity_id: str,
        content: str,
        *,
        project_id: str = "default",
        certainty: str = "confirmed",
        occurred_at: datetime | None = None,
        source: str = "",
        session_id: str = "",
    ) -> WrittenObservation:
        """Attach a fact to an entity; raise NotFoundError if there is no such entity."""
        new = NewObservation(
            entity_id=entity_id,
            content=content,
            certainty=certainty,
            occurred_at=occurred_at,
            source=source,
            session_id=session_id,
        )
        return self._add("add_observation", [new], project_id).observations[0]

    def add_observations(
        self, observations: Sequence[NewObservation], *, project_id: str = "default"
    ) -> WrittenObservations:
        """Attach many facts as one batch: all of them, or none if one is refused."""
        if not 1 <= len(observations) <= BATCH:
            raise ValidationError(
                f"observations holds {len(observations)} and may hold 1 to {BATCH}. "
                "Send the rest in another call."
            )
        return self._add("add_observations", observations, project_id)

    def update_observation(
        self,
        id: str,
        content: str = "",
        *,
        project_id: str = "default",
        certainty: str = "",
        source: str = "",
        occurred_at: datetime | None = None,
        valid_from: datetime | None = None,
        valid_to: datetime | None = None,
        expected_version: int = 0,
    ) -> WrittenObservation:
        """Correct an observation in place; the history keeps the old text."""
        text = self._content(content) if content else ""
        with self._db.write("update_observation") as connection:
            old, entity_row_id = rows.get(connection, limits.validate_project(project_id), id)
            audit_log.check_version(connection, "observations", id, expected_version)
            new = old.model_copy(
                update={
                    "content": text or old.content,
                    "certainty": certainty or old.certainty,
                    "source": source or old.source,
                    "occurred_at": occurred_at or old.occurred_at,
                    "valid_from": valid_from or old.valid_from,
                    "valid_to": valid_to or old.valid_to,
                    "updated_at": self._db.clock(),
                }
            )
            _refuse_backwards(new)
            twin = rows.identical(connection, entity_row_id, new.content)
            if twin is not None and twin.id != id:
                raise ConflictError(
                    f"{old.entity_id!r} has the same fact as {twin.id!r}. Delete one of the two."
                )
            rows.rewrite(connection, new)
        return self._build_written([(new, False)])[0]

    def delete_observation(self, id: str, *, project_id: str = "default") -> DeleteResult:
        """Delete an observation. The history keeps it."""
        with self._db.write("delete_observation") as connection:
            rows.get(connection, limits.validate_project(project_id), id)
            rows.delete(connection, id)
            return DeleteResult(
                id=id, deleted={"observations": 1}, batch_id=audit_log.batch(connection)
            )

    def supersede_observation(
        self,
        id: str,
        content: str,
        *,
        project_id: str = "default",
        valid_from: datetime | None = None,
        occurred_at: datetime | None = None,
        session_id: str = "",
    ) -> WrittenObservation:
        """
        Replace an observation that is no longer true: its validity ends, both are kept and linked.
        """
        text = self._content(content)
        project_id = limits.validate_project(project_id)
        since = valid_from or self._db.clock()
        with self._db.write("supersede_observation") as connection:
            old, _ = rows.get(connection, project_id, id)
            if heir := rows.heir(connection, old.id):
                raise ConflictError(
                    f"{id!r} was superseded already, by {heir!r}. Supersede that one."
                )
            entity = entities.get(connection, project_id, old.entity_id)
            if rows.identical(connection, entity.row_id, text) is not None:
                raise ConflictError(
                    f"{old.entity_id!r} already has this fact; there is nothing to replace."
                )
            new = self._successor(old, text, since).model_copy(
                update={"occurred_at": occurred_at, "session_id": session_id}
            )
            closed = _close_observation(old, new, since)
            _refuse_backwards(closed)
            rows.rewrite(connection, closed)
            rows.insert(connection, entity, new)
        (written,) = self._build_written([(new, False)])
        return written.model_copy(update={"superseded": id})

    def attach_observations(
        self, connection: Connection, entity: Entity, news: Sequence[NewObservation]
    ) -> list[Observation]:
        """Add facts to an entity within the caller's transaction; return the new ones."""
        attached = [self._attach(connection, entity, new) for new in news]
        return [observation for observation, known in attached if not known]

    def _add(
        self, cause: str, news: Sequence[NewObservation], project_id: str
    ) -> WrittenObservations:
        project_id = limits.validate_project(project_id)
        cleaned = [
            new.model_copy(
                update={
                    "content": self._content(new.content),
                    "certainty": limits.validate_name("certainty", new.certainty),
                }
            )
            for new in news
        ]
        with self._db.read() as connection:
            for id in dict.fromkeys(new.entity_id for new in cleaned):
                entities.get(connection, project_id, id)
        known: dict[str, Entity] = {}
        attached: list[tuple[Observation, bool]] = []
        with as_one_batch(current_batch() or self._ids()):
            for part in limits.parts_of(cleaned, lambda new: len(new.content)):
                self._db.prepare_texts("content", [new.content for new in part])
                with self._db.write(cause) as connection:
                    for id in dict.fromkeys(new.entity_id for new in part):
                        known[id] = entities.get(connection, project_id, id)
                    attached += [
                        self._attach(connection, known[new.entity_id], new) for new in part
                    ]
        written = self._build_written(attached)
        aside = {entity.id: notice_of(entity) for entity in known.values()}
        written = [
            each.model_copy(update={"notice": aside[each.observation.entity_id]})
            for each in written
        ]
        existed = sum(each.already_exists for each in written)
        return WrittenObservations(
            observations=written, added=len(written) - existed, already_existed=existed
        )

    def _content(self, content: str) -> str:
        """Return *content* as it will be stored: identical facts are found by its digest."""
        return self._db.without_secrets("content", limits.validate_text("content", content))

    def _attach(
        self, connection: Connection, entity: Entity, new: NewObservation
    ) -> tuple[Observation, bool]:
        """Return the observation, and whether it existed before."""
        known = rows.identical(connection, entity.row_id, new.content)
        if known is not None:
            return known, True
        now = self._db.clock()
        observation = Observation(
            id=self._ids(),
            created_at=now,
            updated_at=now,
            **{**dict(new), "entity_id": entity.id},
        )
        rows.insert(connection, entity, observation)
        return observation, False

    def _successor(self, old: Observation, content: str, since: datetime) -> Observation:
        now = self._db.clock()
        return Observation(
            id=self._ids(),
            entity_id=old.entity_id,
            content=content,
            certainty=old.certainty,
            source=old.source,
            session_id=old.session_id,
            valid_from=since,
            created_at=now,
            updated_at=now,
        )

    def _build_written(
        self, attached: Sequence[tuple[Observation, bool]]
    ) -> list[WrittenObservation]:
        with self._db.read() as connection:
            return [
                WrittenObservation(
                    observation=observation,
                    version=audit_log.version(connection, "observations", observation.id).seq,
                    already_exists=known,
                    embedding="pending"
                    if search_documents.is_pending(connection, "observations", [observation.id])
                    else "ready",
                )
                for observation, known in attached
            ]


def _close_observation(old: Observation, new: Observation, since: datetime) -> Observation:
    """Return *old* as superseded by *new*."""
    return old.model_copy(
        update={
            "status": "superseded",
            "superseded_by": new.id,
            "valid_to": old.valid_to or since,
            "updated_at": new.updated_at,
        }
    )


def _refuse_backwards(observation: Observation) -> None:
    start, end = observation.valid_from, observation.valid_to
    if start and end and end < start:
        raise ValidationError(f"{observation.id!r} would end ({end}) before it starts ({start}).")


def notice_of(entity: Entity) -> str:
    """Return the notice for additions to an archived entity: searches skip it."""
    if entity.status == "active":
        return ""
    fix = "Restore it with the tool restore_entity."
    return f"{entity.id!r} is archived, so searches do not show it. {fix}"
