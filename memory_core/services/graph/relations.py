"""Relations of the knowledge graph, validated against the ontology."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime

from pydantic import JsonValue

from ...errors import NotFoundError, ValidationError
from ...ids import IdSource
from ...model.graph.entities import DeleteResult, Entity, Relation, WrittenRelation
from ...model.graph.ontology import Ontology
from ...rules import limits
from ...rules.graph.ontology import (
    check_ends,
    crosses_projects,
    is_symmetric,
    stored_triple,
    verbatim_type,
)
from ...storage.database import Connection, Database
from ...storage.graph import entities, relations
from ...storage.history import audit_log

# The property that keeps the words of types that the ontology lacks.
WORDS = "original_types"

# Separates the project from the id in a relation between two projects.
BRIDGE = "::"


class Relations:
    """Typed edges between entities; each triple exists once."""

    def __init__(self, db: Database, ids: IdSource, ontology: Ontology) -> None:
        self._db = db
        self._ids = ids
        self._ontology = ontology

    def create_relation(
        self,
        from_node_id: str,
        to_node_id: str,
        relationship_type: str,
        *,
        project_id: str = "default",
        weight: float | None = None,
        confidence: float | None = None,
        properties: Mapping[str, JsonValue] | None = None,
        source: str = "",
        valid_from: datetime | None = None,
        valid_to: datetime | None = None,
    ) -> WrittenRelation:
        """Relate two entities; for an existing triple, update the given values."""
        given = _given_fields(
            weight=None if weight is None else limits.validate_finite("weight", weight),
            confidence=None
            if confidence is None
            else limits.validate_share("confidence", confidence),
            properties=limits.validate_properties(properties) if properties else None,
            source=source or None,
            valid_from=valid_from,
            valid_to=valid_to,
        )
        project_id = limits.validate_project(project_id)
        with self._db.write("create_relationship") as connection:
            start, end, kind = self._ends(
                connection, project_id, (from_node_id, to_node_id), relationship_type
            )
            check_ends(self._ontology, kind, start.node_type, end.node_type)
            return self._write(connection, start, end, kind, given)

    def import_relation(
        self,
        from_node_id: str,
        to_node_id: str,
        word: str,
        *,
        project_id: str,
        weight: float,
        confidence: float,
        properties: Mapping[str, JsonValue],
    ) -> tuple[WrittenRelation, bool]:
        """
        Relate two entities by a type of another program; return it, and whether it was known.

        A type that the ontology lacks, or does not allow here, is kept with its direction. Of a
        triple that exists only missing properties are added.
        """
        ids = from_node_id, to_node_id
        with self._db.write("create_relationship") as connection:
            try:
                start, end, kind = self._ends(connection, project_id, ids, word)
                check_ends(self._ontology, kind, start.node_type, end.node_type)
                words: list[str] = []
            except ValidationError:
                start, end = (_end(connection, project_id, id, bridge=False) for id in ids)
                if start.row_id == end.row_id:
                    raise
                kind, words = verbatim_type(word), [word]
            known = self._find_triple(connection, start, end, kind)
            given: dict[str, object] = {
                "properties": _merge_properties(
                    known.properties if known else {}, properties, words
                )
            }
            if known is None:
                given |= {"weight": weight, "confidence": confidence}
            return self._write(connection, start, end, kind, given), not words

    def _find_triple(
        self, connection: Connection, start: Entity, end: Entity, kind: str
    ) -> Relation | None:
        """Return the relation; an imported one may have the ends of a symmetric type swapped."""
        found = relations.triple(connection, start, end, kind)
        if found is None and is_symmetric(self._ontology, kind):
            found = relations.triple(connection, end, start, kind)
        return found

    def _write(
        self,
        connection: Connection,
        start: Entity,
        end: Entity,
        kind: str,
        given: Mapping[str, object],
    ) -> WrittenRelation:
        known = self._find_triple(connection, start, end, kind)
        relation = self._relation(start, end, kind, known, given)
        changed = known is not None and relation != known
        if known is None:
            relations.insert(connection, start, end, relation)
        elif changed:
            relations.rewrite(connection, relation)
        return WrittenRelation(relation=relation, already_exists=known is not None, changed=changed)

    def delete_relation(
        self,
        from_node_id: str,
        to_node_id: str,
        relationship_type: str,
        *,
        project_id: str = "default",
    ) -> DeleteResult:
        """Delete one relation. The history keeps it."""
        project_id = limits.validate_project(project_id)
        with self._db.write("delete_relationship") as connection:
            ids = from_node_id, to_node_id
            relation = _verbatim_triple(connection, project_id, ids, relationship_type)
            if relation is None:
                start, end, kind = self._ends(connection, project_id, ids, relationship_type)
                relation = self._find_triple(connection, start, end, kind)
            if relation is None:
                back = relations.triple(connection, end, start, kind)
                raise NotFoundError("relation", f"{start.id} {kind} {end.id}", _hint(start, back))
            relations.delete(connection, relation.id)
            return DeleteResult(
                id=relation.id, deleted={"relations": 1}, batch_id=audit_log.batch(connection)
            )

    def _ends(
        self, connection: Connection, project_id: str, ids: tuple[str, str], relationship_type: str
    ) -> tuple[Entity, Entity, str]:
        """Return both ends and the type as the triple is stored."""
        bridge = crosses_projects(self._ontology, relationship_type)
        by_row = {
            end.row_id: end for end in (_end(connection, project_id, id, bridge) for id in ids)
        }
        if len(by_row) < 2:
            raise ValidationError(
                f"A relation needs two different entities, and both ends are {ids[0]!r}."
            )
        kind, start, end = stored_triple(self._ontology, relationship_type, *by_row)
        return by_row[start], by_row[end], kind

    def _relation(
        self,
        start: Entity,
        end: Entity,
        kind: str,
        known: Relation | None,
        given: Mapping[str, object],
    ) -> Relation:
        now = self._db.clock()
        relation = known or Relation(
            id=self._ids(),
            from_node_id=start.id,
            to_node_id=end.id,
            relationship_type=kind,
            created_at=now,
            updated_at=now,
        )
        changed = {name: new for name, new in given.items() if getattr(relation, name) != new}
        if changed:
            relation = relation.model_copy(update={**changed, "updated_at": now})
        limits.validate_order(valid_from=relation.valid_from, valid_to=relation.valid_to)
        return relation


def _end(connection: Connection, project_id: str, id: str, bridge: bool) -> Entity:
    there, divider, key = id.partition(BRIDGE)
    if bridge and divider and entities.find(connection, project_id, id) is None:
        return entities.get(connection, limits.validate_project(there), key)
    return entities.get(connection, project_id, id)


def _verbatim_triple(
    connection: Connection, project_id: str, ids: tuple[str, str], relationship_type: str
) -> Relation | None:
    """Return the relation of a type that was imported and may not be in the ontology."""
    start, end = (entities.find(connection, project_id, id) for id in ids)
    with suppress(ValidationError):
        if start and end:
            return relations.triple(connection, start, end, verbatim_type(relationship_type))
    return None


def _merge_properties(
    stored: Mapping[str, JsonValue], given: Mapping[str, JsonValue], words: Sequence[str]
) -> dict[str, JsonValue]:
    """Return stored properties with those they lack, and with the words of their types."""
    merged = {**given, **stored}
    if words:
        kept = merged.get(WORDS)
        old = [word for word in kept if isinstance(word, str)] if isinstance(kept, list) else []
        merged[WORDS] = list[JsonValue](sorted({*old, *words}))
    return merged


def _given_fields(**values: object) -> dict[str, object]:
    return {name: value for name, value in values.items() if value is not None}


def _hint(start: Entity, back: Relation | None) -> str:
    """Return a hint where a missing relation may be found."""
    if back is not None:
        return f"It leads the other way, from {back.from_node_id!r} to {back.to_node_id!r}."
    return f"List those of {start.id!r} with the tool get_hologram."
