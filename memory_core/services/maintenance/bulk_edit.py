"""
Bulk editing: tables of rows, and many edits saved as one batch.

1. All edits of one call are saved, or none.
2. An edit contains the version that its author saw. If the row has changed since, the edit is
   reported as a problem that names who changed it and when.
3. A preview runs the edits and rolls them back, so its counts are exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ...errors import MemoryCoreError, ValidationError
from ...model.graph.bulk_edit import (
    BulkEditResult,
    Edit,
    EditProblem,
    EntityRow,
    EntityRows,
    ObservationRow,
    ObservationRows,
)
from ...model.graph.entities import Entity, Observation
from ...rules import limits
from ...rules.table_names import kind_for_table
from ...storage.database import Connection, Database, DryRun
from ...storage.graph import bulk_edit as rows
from ...storage.graph import entities, observations, relations
from ...storage.history import audit_log
from ...storage.history.audit_log import Version
from ..graph.graph import Graph
from ..graph.observations import Observations
from .lifecycle import Lifecycle

MOST = 2_000
FIELDS = {
    "entity": ("name", "node_type", "certainty", "status"),
    "observation": ("content", "certainty", "source", "status"),
}
STATUSES = {"active": "active", "archived": "archived", "superseded": "superseded", "all": ""}


class Curation:
    """Tables of records to review, and bulk edits that can be undone as one batch."""

    def __init__(
        self, db: Database, graph: Graph, facts: Observations, lifecycle: Lifecycle
    ) -> None:
        self._db = db
        self._graph = graph
        self._facts = facts
        self._lifecycle = lifecycle

    def apply_edits(self, edits: Sequence[Edit], *, dry_run: bool = False) -> BulkEditResult:
        """Save all edits as one batch; with any problem, or in a dry run, save nothing."""
        if not 1 <= len(edits) <= MOST:
            raise ValidationError(
                f"{len(edits)} edits were given, and may be 1 to {MOST}. Save in parts."
            )
        done = BulkEditResult(dry_run=dry_run, rows={}, problems=[])
        with self._db.act("curate") as connection:
            problems = list(_stale(connection, edits)) or list(self._try_edits(edits))
            batch = audit_log.batch(connection)
            counts = _count_touched(rows.touched_rows(connection, batch))
            done = done.model_copy(update={"rows": counts, "problems": problems})
            if problems or dry_run:
                raise DryRun
            done = done.model_copy(update={"batch_id": batch})
        return done

    def count_differing(self, edits: Sequence[Edit]) -> list[Edit]:
        """Return the edits that would change something or are invalid."""
        with self._db.read() as connection:
            return [edit for edit in edits if not _standing(connection, edit)]

    def list_entities(
        self,
        *,
        project_id: str = "default",
        query: str = "",
        node_types: Sequence[str] = (),
        status: str = "active",
        limit: int = 50,
        offset: int = 0,
    ) -> EntityRows:
        """Return a page of entities, last changed first."""
        limit, status = limits.validate_page_size(limit, most=MOST), _status(status)
        project_id = limits.validate_project(project_id, all_allowed=True)
        with self._db.read() as connection:
            found, total = rows.entities(
                connection,
                project_id,
                query=query.strip(),
                types=node_types,
                status=status,
                limit=limit,
                offset=offset,
            )
            ids = [entity.row_id for entity in found]
            facts = observations.counts(connection, ids)
            edges = relations.degrees(connection, ids)
            seq = audit_log.newest(connection)
        return EntityRows(
            rows=[
                EntityRow(entity=e, observations=facts[e.row_id], relations=edges[e.row_id])
                for e in found
            ],
            total=total,
            seq=seq,
        )

    def list_observations(
        self,
        *,
        project_id: str = "default",
        entity_id: str = "",
        query: str = "",
        node_types: Sequence[str] = (),
        status: str = "active",
        limit: int = 50,
        offset: int = 0,
    ) -> ObservationRows:
        """Return a page of observations, last changed first; of one entity, newest first."""
        limit, status = limits.validate_page_size(limit, most=MOST), _status(status)
        project_id = limits.validate_project(project_id, all_allowed=not entity_id)
        with self._db.read() as connection:
            its = entities.get(connection, project_id, entity_id).row_id if entity_id else ""
            found, total = rows.observations(
                connection,
                project_id,
                entity_row_id=its,
                query=query.strip(),
                types=node_types,
                status=status,
                limit=limit,
                offset=offset,
            )
            seq = audit_log.newest(connection)
        shown = [ObservationRow(observation=o, project_id=p, name=n) for o, p, n in found]
        return ObservationRows(rows=shown, total=total, seq=seq)

    def _try_edits(self, edits: Sequence[Edit]) -> Iterator[EditProblem]:
        """Apply every edit within the open batch; yield those that fail."""
        for place, edit in enumerate(edits):
            try:
                self._make(edit)
            except MemoryCoreError as error:
                yield EditProblem(place=place, id=edit.id, why=str(error))

    def _make(self, edit: Edit) -> None:
        acts: dict[tuple[str, str], Callable[[Edit], object]] = {
            ("entity", "add"): self._add_entity,
            ("entity", "change"): self._change_entity,
            ("entity", "archive"): lambda e: self._lifecycle.archive_entities(
                e.id, project_id=e.project_id
            ),
            ("entity", "restore"): lambda e: self._lifecycle.restore_entity(
                e.id, project_id=e.project_id
            ),
            ("entity", "delete"): lambda e: self._graph.delete_entity(
                e.id, project_id=e.project_id
            ),
            ("entity", "merge"): lambda e: self._graph.merge_entities(
                e.into, [e.id], project_id=e.project_id
            ),
            ("observation", "add"): self._add_fact,
            ("observation", "change"): self._change_fact,
            ("observation", "delete"): lambda e: self._facts.delete_observation(
                e.id, project_id=e.project_id
            ),
            ("observation", "supersede"): lambda e: self._facts.supersede_observation(
                e.id, e.content, project_id=e.project_id
            ),
        }
        make = acts.get((edit.kind, edit.act))
        if make is None:
            raise ValidationError(f"An {edit.kind} cannot be made to {edit.act}.")
        make(edit)

    def _add_entity(self, edit: Edit) -> None:
        with self._db.read() as connection:
            known = entities.find_by_name(connection, edit.project_id, edit.name)
        if known:
            raise ValidationError(
                f"{edit.name!r} exists already, as {known[0].id!r}. Change that one."
            )
        self._graph.create_entity(
            edit.name,
            edit.node_type,
            project_id=edit.project_id,
            id=edit.id,
            properties=edit.properties,
            aliases=edit.aliases or (),
            certainty=edit.certainty or "confirmed",
        )

    def _change_entity(self, edit: Edit) -> None:
        old = self._graph.get_entity(edit.id, project_id=edit.project_id).entity
        wanted = edit.properties
        self._graph.update_entity(
            old.id,
            project_id=edit.project_id,
            name=edit.name,
            node_type=edit.node_type,
            certainty=edit.certainty,
            properties=wanted,
            remove_properties=_missing(list(old.properties), wanted),
            aliases=edit.aliases or (),
            remove_aliases=_missing(old.aliases, edit.aliases),
        )

    def _add_fact(self, edit: Edit) -> None:
        added = self._facts.add_observation(
            edit.id,
            edit.content,
            project_id=edit.project_id,
            certainty=edit.certainty or "confirmed",
            source=edit.source,
        )
        if added.already_exists:
            raise ValidationError(
                f"{edit.id!r} has this fact already, as {added.observation.id!r}."
            )

    def _change_fact(self, edit: Edit) -> None:
        self._facts.update_observation(
            edit.id,
            edit.content,
            project_id=edit.project_id,
            certainty=edit.certainty,
            source=edit.source,
        )


def _standing(connection: Connection, edit: Edit) -> bool:
    """Return whether every value of an edit is already stored."""
    if edit.kind == "observation":
        fact = observations.by_ids(connection, [edit.id]).get(edit.id)
        fields = ("content", "certainty", "source")
        return edit.act == "change" and fact is not None and _equal(edit, fact, fields)
    entity = entities.find(connection, edit.project_id, edit.id) if edit.id else None
    if entity is None:
        return False
    if edit.act in ("archive", "restore"):
        return entity.status == {"archive": "archived", "restore": "active"}[edit.act]
    same = _equal(edit, entity, ("name", "node_type", "certainty", "properties", "aliases"))
    return edit.act == "change" and same


def _equal(edit: Edit, row: Entity | Observation, fields: Sequence[str]) -> bool:
    asked = {name: getattr(edit, name) for name in fields if getattr(edit, name) not in (None, "")}
    return all(getattr(row, name) == value for name, value in asked.items())


def _status(status: str) -> str:
    if status not in STATUSES:
        raise ValidationError(f"status must be one of {', '.join(STATUSES)}, not {status!r}.")
    return STATUSES[status]


def _missing(old: Sequence[str], wanted: object) -> list[str]:
    """Return the old items that an edit removes; none if the edit leaves the field alone."""
    return [name for name in old if name not in wanted] if isinstance(wanted, list | dict) else []


def _stale(connection: Connection, edits: Sequence[Edit]) -> Iterator[EditProblem]:
    """Yield a problem for each edit whose row has changed since its author saw it."""
    for place, edit in enumerate(edits):
        if not edit.seen or edit.act == "add":
            continue
        for id in dict.fromkeys((edit.id, edit.into or edit.id)):
            newest, name = _newest(connection, edit, id)
            if newest.seq > edit.seen:
                yield EditProblem(
                    place=place,
                    id=id,
                    why=f"{name!r} was changed by {newest.actor} at {_second(newest.at)}, after it "
                    "was shown here.",
                    stale=True,
                    newest=newest.seq,
                    stored=_stored_fields(connection, edit) if id == edit.id else {},
                )


def _second(at: str) -> str:
    return f"{at[:19].replace('T', ' ')} UTC"


def _stored_fields(connection: Connection, edit: Edit) -> dict[str, str]:
    """Return the stored values of the editable fields."""
    row: Entity | Observation | None
    if edit.kind == "observation":
        row = observations.by_ids(connection, [edit.id]).get(edit.id)
    else:
        row = entities.find(connection, edit.project_id, edit.id)
    return {name: str(getattr(row, name)) for name in FIELDS[edit.kind]} if row else {}


def _newest(connection: Connection, edit: Edit, id: str) -> tuple[Version, str]:
    """Return the newest change that the author of an edit should have seen, and the row's name."""
    if edit.kind == "observation":
        return audit_log.version(connection, "observations", id), id
    entity: Entity | None = entities.find(connection, edit.project_id, id)
    if entity is None:
        # Applying the edit reports a better error.
        return Version(0, "", ""), id
    if edit.act == "delete":
        return rows.newest_about(connection, entity.row_id), entity.name
    return audit_log.version(connection, "entities", entity.row_id), entity.name


def _count_touched(touched: dict[str, dict[str, int]]) -> dict[str, int]:
    return {
        f"{kind_for_table(table)} {op}": n
        for table, ops in touched.items()
        for op, n in ops.items()
    }
