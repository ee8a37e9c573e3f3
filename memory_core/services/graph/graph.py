"""Entities of the knowledge graph: create, update, merge and list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from pydantic import JsonValue

from ...clock import format_timestamp
from ...context import as_one_batch, current_batch
from ...errors import ConflictError, ValidationError
from ...ids import IdSource, new_id
from ...model.graph.entities import (
    DeleteResult,
    Entity,
    EntityPage,
    MergeResult,
    NewObservation,
    Observation,
    WrittenEntity,
)
from ...model.graph.ontology import Ontology
from ...rules import limits
from ...rules.graph import identity
from ...rules.graph.ontology import canonical_entity_type
from ...rules.paging import decode_cursor, encode_cursor
from ...storage.database import Connection, Database
from ...storage.graph import entities, observations, relations
from ...storage.history import audit_log
from ...storage.search import search_documents
from . import large_entities
from .observations import Observations, notice_of


class Graph:
    """Entities with names and properties, validated against the ontology."""

    def __init__(
        self, db: Database, ids: IdSource, ontology: Ontology, facts: Observations
    ) -> None:
        self._db = db
        self._ids = ids
        self._facts = facts
        self.ontology = ontology

    def create_entity(
        self,
        name: str,
        node_type: str,
        *,
        project_id: str = "default",
        id: str = "",
        properties: Mapping[str, JsonValue] | None = None,
        observations: Sequence[str] = (),
        aliases: Sequence[str] = (),
        certainty: str = "confirmed",
        occurred_at: datetime | None = None,
    ) -> WrittenEntity:
        """Create an entity, or add new details to an existing one."""
        facts, now = _observation_texts(observations), self._db.clock()
        wanted = Entity(
            row_id=self._ids(),
            id=self._validate_name("id", id) if id else "",
            project_id=limits.validate_project(project_id),
            name=self._validate_name("name", name),
            node_type=canonical_entity_type(self.ontology, node_type),
            properties=limits.validate_properties(properties or {}),
            aliases=[self._validate_name("an alias", alias) for alias in aliases],
            certainty=limits.validate_name("certainty", certainty),
            occurred_at=occurred_at,
            created_at=now,
            updated_at=now,
        )
        first, *rest = list(limits.parts_of(facts, len)) or [[]]
        with as_one_batch(current_batch() or new_id()):
            with self._db.write("create_entity") as connection:
                known, entity, added, kept = _create_or_update(connection, wanted)
                new = self._attach(connection, entity, first)
            for part in rest:
                self._db.prepare_texts("content", part)
                with self._db.write("create_entity") as connection:
                    new += self._attach(connection, entity, part)
        added += [f"observation {fact.id}" for fact in new]
        done = self._build_written(entity, already_exists=known, added=added, kept=kept)
        return _with_blanks(done, len(observations) - len(facts))

    def _attach(
        self, connection: Connection, entity: Entity, facts: Sequence[str]
    ) -> list[Observation]:
        if not entities.by_row_ids(connection, [entity.row_id]):
            raise ConflictError(f"{entity.id!r} was deleted while its facts were written.")
        new = [NewObservation(entity_id=entity.id, content=fact) for fact in facts]
        return list(self._facts.attach_observations(connection, entity, new))

    def update_entity(
        self,
        id: str,
        *,
        project_id: str = "default",
        name: str = "",
        node_type: str = "",
        properties: Mapping[str, JsonValue] | None = None,
        remove_properties: Sequence[str] = (),
        aliases: Sequence[str] = (),
        remove_aliases: Sequence[str] = (),
        certainty: str = "",
        expected_version: int = 0,
    ) -> WrittenEntity:
        """Change the given values and keep the rest; properties and aliases are added to."""
        project_id = limits.validate_project(project_id)
        given = limits.validate_properties(properties or {})
        fresh = [self._validate_name("an alias", alias) for alias in aliases]
        name = self._validate_name("name", name) if name else ""
        with self._db.write("update_entity") as connection:
            old = entities.get(connection, project_id, id)
            audit_log.check_version(connection, "entities", old.row_id, expected_version, id=old.id)
            _refuse_unknown_properties(old, remove_properties)
            kept_names = identity.new_names("", remove_aliases, old.aliases)
            new = old.model_copy(
                update={
                    "name": name or old.name,
                    "node_type": canonical_entity_type(self.ontology, node_type or old.node_type),
                    "properties": _without({**old.properties, **given}, remove_properties),
                    "aliases": kept_names + identity.new_names(name or old.name, kept_names, fresh),
                    "certainty": certainty or old.certainty,
                    "updated_at": self._db.clock(),
                }
            )
            _refuse_growth(old, new)
            _refuse_taken_name(connection, new)
            entities.rewrite(connection, new)
        return self._build_written(new)

    def get_entity(self, id: str, *, project_id: str = "default") -> WrittenEntity:
        """Return an entity with its version; raise NotFoundError if there is none."""
        with self._db.read() as connection:
            entity = entities.get(connection, limits.validate_project(project_id), id)
        return self._build_written(entity, already_exists=True)

    def delete_entity(self, id: str, *, project_id: str = "default") -> DeleteResult:
        """Delete an entity with its observations and relations. The history keeps them."""
        project_id = limits.validate_project(project_id)
        with as_one_batch(current_batch() or self._ids()):
            with self._db.read() as connection:
                row_id = entities.get(connection, project_id, id).row_id
                observed = observations.total(connection, row_id)
                related = relations.degrees(connection, [row_id])[row_id]
            large_entities.empty(self._db, row_id)
            with self._db.write("delete_entity") as connection:
                entity = entities.get(connection, project_id, id)
                entities.delete(connection, entity)
                batch_id = audit_log.batch(connection)
        gone = {"entities": 1, "observations": observed, "relations": related}
        return DeleteResult(id=entity.id, deleted=gone, batch_id=batch_id)

    def list_entities(
        self,
        *,
        project_id: str = "default",
        node_type: str = "",
        status: str = "active",
        query: str = "",
        limit: int = 50,
        cursor: str = "",
    ) -> EntityPage:
        """Return entities in order of name; status "all" includes archived ones."""
        if status not in ("active", "archived", "all"):
            raise ValidationError(f"status must be active, archived or all, not {status!r}.")
        limit = limits.validate_page_size(limit)
        project_id = limits.validate_project(project_id, all_allowed=True)
        node_type = canonical_entity_type(self.ontology, node_type) if node_type else ""
        of = ("entities", project_id, node_type, status, query)
        name, row_id = decode_cursor(cursor, "", "", of=of)
        with self._db.read() as connection:
            found, total = entities.page(
                connection,
                project_id,
                node_type=node_type,
                status="" if status == "all" else status,
                query=query,
                after=(str(name), str(row_id)),
                limit=limit + 1,
            )
        return entity_page(found, total, limit, of=of)

    def merge_entities(
        self, keep_id: str, merge_ids: Sequence[str], *, project_id: str = "default"
    ) -> MergeResult:
        """Merge entities into one, moving names, properties, observations and relations."""
        if not merge_ids:
            raise ValidationError("merge_ids is empty. Give the ids of the entities to merge.")
        project_id = limits.validate_project(project_id)
        with as_one_batch(current_batch() or self._ids()):
            with self._db.read() as connection:
                keep, others = _to_merge(connection, project_id, keep_id, merge_ids)
            moved = {"observations": 0, "relations": 0}
            for other in others:
                large_entities.move(self._db, other.row_id, keep.row_id, moved)
            with self._db.write("merge_entities") as connection:
                keep, others = _to_merge(connection, project_id, keep_id, merge_ids)
                for other in others:
                    keep = self._absorb(connection, keep, other, moved)
                entities.rewrite(connection, keep)
                batch_id = audit_log.batch(connection)
        return MergeResult(
            entity=keep, merged=[other.id for other in others], moved=moved, batch_id=batch_id
        )

    def _validate_name(self, what: str, name: str) -> str:
        # Redact before ids and name keys are derived: a secret in them would not be recognised.
        return self._db.without_secrets(what, limits.validate_name(what, name))

    def _build_written(
        self,
        entity: Entity,
        *,
        already_exists: bool = False,
        added: list[str] | None = None,
        kept: list[str] | None = None,
    ) -> WrittenEntity:
        with self._db.read() as connection:
            pending = search_documents.is_pending(connection, "entities", [entity.row_id])
            version = audit_log.version(connection, "entities", entity.row_id).seq
        return WrittenEntity(
            entity=entity,
            version=version,
            already_exists=already_exists,
            added=added or [],
            kept=kept or [],
            notice=notice_of(entity),
            embedding="pending" if pending else "ready",
        )

    def _absorb(
        self, connection: Connection, keep: Entity, other: Entity, moved: dict[str, int]
    ) -> Entity:
        """Move everything of *other* to *keep*, delete it, and return the new *keep*."""
        now = format_timestamp(self._db.clock())
        moved["observations"] += observations.move(connection, other.row_id, keep.row_id, now)
        moved["relations"] += relations.move(connection, other.row_id, keep.row_id, now)
        entities.delete(connection, other)
        names = identity.new_names(keep.name, keep.aliases, [other.name, *other.aliases])
        fresh, _ = identity.new_properties(keep.properties, other.properties)
        return keep.model_copy(
            update={
                "aliases": [*keep.aliases, *names],
                "properties": {**keep.properties, **fresh},
                "updated_at": self._db.clock(),
            }
        )


def _observation_texts(observations: Sequence[str]) -> list[str]:
    """Return the texts that are not blank; raise ValidationError for an invalid one."""
    given = [fact for fact in observations if not isinstance(fact, str) or fact.strip()]
    return [limits.validate_text("an observation", fact) for fact in given]


def _with_blanks(written: WrittenEntity, blank: int) -> WrittenEntity:
    if not blank:
        return written
    said = f"Skipped {blank} blank observations."
    return written.model_copy(update={"notice": " ".join(filter(None, (written.notice, said)))})


def _to_merge(
    connection: Connection, project_id: str, keep_id: str, merge_ids: Sequence[str]
) -> tuple[Entity, list[Entity]]:
    keep = entities.get(connection, project_id, keep_id)
    others = [entities.get(connection, project_id, id) for id in dict.fromkeys(merge_ids)]
    if any(other.row_id == keep.row_id for other in others):
        raise ValidationError(
            f"{keep_id!r} cannot be merged into itself. Leave it out of merge_ids."
        )
    return keep, others


def entity_page(found: list[Entity], total: int, limit: int, *, of: Sequence[object]) -> EntityPage:
    """Return a page of the list named *of*, from one row more than it may show."""
    shown = found[:limit]
    more = len(found) > limit
    cursor = encode_cursor(shown[-1].name, shown[-1].row_id, of=of) if more else ""
    return EntityPage(entities=shown, total=total, cursor=cursor)


def _same(connection: Connection, wanted: Entity) -> Entity | None:
    """Return the existing entity for *wanted*; raise ConflictError if it is ambiguous."""
    known = entities.find(connection, wanted.project_id, wanted.id) if wanted.id else None
    if known is not None:
        if known.node_type == wanted.node_type and identity.has_name(known, wanted.name):
            return known
        raise ConflictError(
            f"The id {known.id!r} belongs to {known.name!r} ({known.node_type}). Give another id, "
            "or change that entity with the tool update_entity."
        )
    named = entities.find_by_name(connection, wanted.project_id, wanted.name)
    same = [entity for entity in named if entity.node_type == wanted.node_type]
    if same and wanted.id:
        raise ConflictError(
            f"{wanted.name!r} is a name of the {same[0].node_type} {same[0].id!r}. Use that entity "
            f"without the id {wanted.id!r}, or give another name."
        )
    if same:
        return same[0]
    if named and not wanted.id:
        raise ConflictError(
            f"{wanted.name!r} exists as a {named[0].node_type} (id {named[0].id!r}). Use that "
            f"entity, or give an id of its own to the {wanted.node_type}."
        )
    return None


def _create_or_update(
    connection: Connection, wanted: Entity
) -> tuple[bool, Entity, list[str], list[str]]:
    """Return whether the entity existed, its new state, what was added, and what was kept."""
    known = _same(connection, wanted)
    if known is None:
        return False, _insert(connection, wanted), [], []
    return True, *_enrich(connection, known, wanted)


def _insert(connection: Connection, wanted: Entity) -> Entity:
    def is_taken(id: str) -> bool:
        return entities.find(connection, wanted.project_id, id) is not None

    entity = wanted.model_copy(
        update={
            "id": wanted.id or identity.make_id(wanted.name, is_taken),
            "aliases": identity.new_names(wanted.name, (), wanted.aliases),
        }
    )
    limits.validate_aliases(len(entity.aliases))
    entities.insert(connection, entity)
    return entity


def _enrich(
    connection: Connection, known: Entity, wanted: Entity
) -> tuple[Entity, list[str], list[str]]:
    """
    Add to *known* what only *wanted* has; return its new state, what was added, and what was kept.
    """
    names = identity.new_names(known.name, known.aliases, wanted.aliases)
    fresh, kept = identity.new_properties(known.properties, wanted.properties)
    if not names and not fresh:
        return known, [], kept
    entity = known.model_copy(
        update={
            "aliases": [*known.aliases, *names],
            "properties": {**known.properties, **fresh},
            "updated_at": wanted.updated_at,
        }
    )
    _refuse_growth(known, entity)
    entities.rewrite(connection, entity)
    added = [f"alias {name}" for name in names] + [f"property {name}" for name in fresh]
    return entity, added, kept


def _refuse_growth(old: Entity, new: Entity) -> None:
    """Raise ValidationError if properties or aliases exceed their limits and were added to."""
    if len(new.aliases) > len(old.aliases):
        limits.validate_aliases(len(new.aliases))
    if len(new.properties) > len(old.properties):
        limits.validate_properties(new.properties)


def _refuse_taken_name(connection: Connection, entity: Entity) -> None:
    for other in entities.find_by_name(connection, entity.project_id, entity.name):
        if other.row_id != entity.row_id and other.node_type == entity.node_type:
            raise ConflictError(
                f"{entity.name!r} is the name of the {other.node_type} {other.id!r}. Merge the two "
                "with the tool merge_entities, or choose another name."
            )


def _refuse_unknown_properties(entity: Entity, names: Sequence[str]) -> None:
    for name in names:
        if name not in entity.properties:
            known = ", ".join(entity.properties) or "none"
            raise ValidationError(f"{entity.id!r} has no property {name!r}. It has: {known}.")


def _without(values: Mapping[str, JsonValue], names: Sequence[str]) -> dict[str, JsonValue]:
    return {name: value for name, value in values.items() if name not in names}
