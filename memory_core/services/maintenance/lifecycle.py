"""Archive, restore and prune entities."""

from __future__ import annotations

from datetime import datetime, timedelta

from ...clock import format_timestamp
from ...errors import ConflictError, NotFoundError, ValidationError
from ...model.graph.entities import Entity, EntityPage
from ...model.graph.lifecycle import ArchiveResult, PruneCandidate, PruneResult, RestoreResult
from ...rules import limits
from ...rules.graph.salience import LOW, salience
from ...rules.paging import decode_cursor
from ...storage.database import Connection, Database
from ...storage.graph import entities, observations, relations
from ...storage.graph import lifecycle as rows
from ...storage.history import audit_log, undo
from ..graph.graph import entity_page
from ..history.undo import count_steps, left_alone
from .upkeep import Upkeep

# Short enough to read before confirming, and a short transaction.
MOST_PRUNED = 500
# A hundred years; more is a mistake.
MOST_DAYS = 36_500


class Lifecycle:
    """Archive, restore and prune entities. The audit log keeps deleted ones."""

    def __init__(self, db: Database, upkeep: Upkeep) -> None:
        self._db = db
        self._upkeep = upkeep

    def archive_entities(
        self, id: str, reason: str = "Unused/superseded", *, project_id: str = "default"
    ) -> ArchiveResult:
        """Archive an entity: it is kept, but searches no longer return it."""
        now = self._db.clock()
        why = limits.validate_name("reason", reason)
        with self._db.write("archive_entity") as connection:
            entity = entities.get(connection, limits.validate_project(project_id), id)
            changed = entity.status == "active"
            if changed:
                update = {"status": "archived", "archived_at": now, "archive_reason": why}
                entity = entity.model_copy(update={**update, "updated_at": now})
                entities.rewrite(connection, entity)
            return ArchiveResult(
                entity=entity,
                version=audit_log.version(connection, "entities", entity.row_id).seq,
                changed=changed,
                batch_id=audit_log.batch(connection) if changed else "",
            )

    def restore_entity(self, id: str, *, project_id: str = "default") -> RestoreResult:
        """Restore an archived or deleted entity; raise NotFoundError if it never existed."""
        project_id = limits.validate_project(project_id)
        with self._db.write("restore_entity") as connection:
            known = _find_entity(connection, project_id, id)
            if known is not None and known.status == "archived":
                return self._unarchive(connection, known)
            went = rows.deleted_entity(connection, project_id, id)
            if known is not None:
                raise ConflictError(
                    f"The entity {known.id!r} is active. There is nothing to restore"
                    + (
                        f": to bring back what was deleted as {id!r}, give the active one another "
                        "id or name first, or merge the two after an undo."
                        if went
                        else "."
                    )
                )
            if not went:
                raise NotFoundError(
                    "entity", id, f"None was archived or deleted in {project_id!r}."
                )
            return _from_journal(connection, went)

    def list_orphans(
        self, *, project_id: str = "default", limit: int = 50, cursor: str = ""
    ) -> EntityPage:
        """Return active entities without any relation, in order of name."""
        limit = limits.validate_page_size(limit)
        project_id = limits.validate_project(project_id, all_allowed=True)
        of = ("orphans", project_id)
        name, row_id = decode_cursor(cursor, "", "", of=of)
        with self._db.read() as connection:
            found, total = entities.orphans(
                connection,
                project_id,
                after=(str(name), str(row_id)),
                limit=limit + 1,
            )
        return entity_page(found, total, limit, of=of)

    def prune_entities(
        self,
        max_age_days: float,
        *,
        dry_run: bool = True,
        include_unused: bool = False,
        project_id: str = "default",
        limit: int = MOST_PRUNED,
    ) -> PruneResult:
        """Delete entities archived or unused for that long; a dry run lists the same ones."""
        if not 0 <= max_age_days <= MOST_DAYS:
            raise ValidationError(
                f"max_age_days must lie between 0 and {MOST_DAYS}, not {max_age_days}."
            )
        project_id = limits.validate_project(project_id)
        limit = limits.validate_page_size(limit, most=MOST_PRUNED)
        before = self._db.clock() - timedelta(days=max_age_days)
        with self._db.read() as connection:
            planned, row_ids = self._stale(connection, project_id, before, include_unused, limit)
        if dry_run:
            return planned
        kept = self._upkeep.backup_before("prune").path if row_ids else ""
        with self._db.write("prune_stale") as connection:
            pruned, row_ids = self._stale(connection, project_id, before, include_unused, limit)
            rows.delete_all(connection, row_ids)
            batch = audit_log.batch(connection) if row_ids else ""
            return pruned.model_copy(update={"dry_run": False, "batch_id": batch, "backup": kept})

    def _unarchive(self, connection: Connection, entity: Entity) -> RestoreResult:
        update = {"status": "active", "archived_at": None, "archive_reason": ""}
        entity = entity.model_copy(update={**update, "updated_at": self._db.clock()})
        entities.rewrite(connection, entity)
        return RestoreResult(
            entity=entity,
            version=audit_log.version(connection, "entities", entity.row_id).seq,
            restored_from="archive",
            restored={"entities": 1},
            batch_id=audit_log.batch(connection),
        )

    def _stale(
        self,
        connection: Connection,
        project_id: str,
        before: datetime,
        include_unused: bool,
        limit: int,
    ) -> tuple[PruneResult, list[str]]:
        found = rows.archived_before(connection, project_id, format_timestamp(before))
        if include_unused:
            found += rows.unused_since(connection, project_id, format_timestamp(before))
        stale = _describe_candidates(connection, found, self._db.clock())
        going = dict(list(stale.items())[:limit])
        pruned = PruneResult(
            dry_run=True,
            entities=list(going.values()),
            deleted=rows.totals(connection, list(going)),
            remaining=len(stale) - len(going),
        )
        return pruned, list(going)


def _find_entity(connection: Connection, project_id: str, id: str) -> Entity | None:
    try:
        return entities.get(connection, project_id, id)
    except NotFoundError:
        return None


def _from_journal(connection: Connection, went: list[undo.Touched]) -> RestoreResult:
    steps, blocked = undo.revert(connection, went)
    back = [step.row_id for step in steps if step.kind == "entities"]
    if not back:
        why = next((row.why for row in blocked if row.kind == "entities"), "it is blocked")
        raise ConflictError(f"The deleted entity cannot come back: {why}.")
    entity = entities.by_row_ids(connection, back)[back[0]]
    return RestoreResult(
        entity=entity,
        version=audit_log.version(connection, "entities", entity.row_id).seq,
        restored_from="journal",
        restored=count_steps(steps),
        not_restored=left_alone(connection, blocked),
        not_restored_count=len(blocked),
        batch_id=audit_log.batch(connection),
    )


def _describe_candidates(
    connection: Connection, found: list[rows.Candidate], now: datetime
) -> dict[str, PruneCandidate]:
    """Return the reasons for and against each candidate, without those that are salient."""
    row_ids = [candidate.id for candidate in found]
    known = entities.by_row_ids(connection, row_ids)
    uses = rows.use(connection, row_ids)
    degrees = relations.degrees(connection, row_ids)
    facts = observations.counts(connection, row_ids)
    stale: dict[str, PruneCandidate] = {}
    for candidate in found:
        entity, use = known[candidate.id], uses[candidate.id]
        last = max(candidate.since, use.last_retrieved_at)
        weight = salience(
            retrievals=use.retrievals,
            degree=degrees[candidate.id],
            idle_days=(now - datetime.fromisoformat(last)).total_seconds() / 86_400,
        )
        if candidate.reason == "archived" or weight < LOW:
            stale[candidate.id] = PruneCandidate(
                id=entity.id,
                name=entity.name,
                node_type=entity.node_type,
                reason="archived" if candidate.reason == "archived" else "unused",
                since=datetime.fromisoformat(candidate.since),
                salience=round(weight, 4),
                observations=facts[candidate.id],
                relations=degrees[candidate.id],
            )
    return stale
