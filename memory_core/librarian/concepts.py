"""
Concepts: one entity per cluster, kept up to date with its cluster.

1. A cluster that grows, shrinks or splits keeps the most similar concept; other parts get a new
   one. No concept is created twice. 2. A concept without a cluster is archived with that reason,
   and restored if the cluster returns. A concept that a user archived stays archived, and its
   cluster gets no other. 3. A name that a user changed is kept. 4. An entity without a vector for
   the moment keeps its membership.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from ..model.graph.entities import Entity
from ..model.graph.librarian import ConceptChange
from ..rules.graph import identity
from ..rules.graph.concepts import Member, concept_name, distinctive_terms, match_concepts
from ..rules.text.normalization import fold_name
from ..services.discovery.suggestions import CHUNK
from ..storage.database import Connection
from ..storage.graph import concepts as rows
from ..storage.graph import entities, entity_vectors
from ..storage.graph.concepts import SOURCE, Concept
from .context import CycleState

RETIRED = "The librarian found its group no more"

# Facts and characters read per member to name a cluster.
_FACTS = 4
_CHARACTERS = 300
_READ = 500


@dataclass(frozen=True)
class Change:
    """A planned change of a concept; None: it is to be created."""

    concept: Concept | None
    joined: frozenset[str]
    left: frozenset[str]
    terms: Sequence[str] = ()
    cohesion: float = 0.0
    retires: bool = False


def follow_clusters(work: CycleState) -> None:
    """Update the concepts to match the clusters."""
    changes = plan_changes(work)
    done = 0
    for batch in _batches(changes):
        applied = (
            [_concept_change(each) for each in batch] if work.dry_run else _carried_out(work, batch)
        )
        work.concepts += applied
        work.job_run.counts.update(f"concepts_{each.change}" for each in applied)
        done += len(batch)
        work.job_run.tick(done, len(changes))


def plan_changes(work: CycleState) -> list[Change]:
    """Return the required changes; none if the clusters are unchanged."""
    with work.desk.db.read() as connection:
        known = {each.entity.row_id: each for each in rows.concepts(connection, work.project_id)}
    homes = match_concepts(work.clusters, {id: each.members for id, each in known.items()})
    changes = []
    for number, cluster in enumerate(work.clusters):
        concept = known.get(homes.get(number, ""))
        if concept is not None and _put_away_by_hand(concept):
            continue
        members = concept.members if concept else frozenset()
        left = members - cluster - work.likeness.without
        returns = concept is not None and concept.entity.status == "archived"
        if concept is None or returns or cluster - members or left:
            changes.append((number, Change(concept, cluster - members, left)))
    named = _name_changes(work, changes)
    kept = set(homes.values())
    return named + [
        Change(concept, frozenset(), frozenset(), retires=True)
        for id, concept in known.items()
        if id not in kept and concept.entity.status == "active" and not _waits(work, concept)
    ]


def _waits(work: CycleState, concept: Concept) -> bool:
    """Return whether the cluster may only seem gone because members have no vector now."""
    return bool(concept.members & work.likeness.without)


def _put_away_by_hand(concept: Concept) -> bool:
    return concept.entity.status == "archived" and concept.entity.archive_reason != RETIRED


def _name_changes(work: CycleState, changes: list[tuple[int, Change]]) -> list[Change]:
    groups = (_members(work, sorted(work.clusters[number])) for number, _ in changes)
    return [
        Change(
            change.concept,
            change.joined,
            change.left,
            terms=terms,
            cohesion=work.cohesion[number],
        )
        for (number, change), terms in zip(changes, distinctive_terms(groups), strict=True)
    ]


def _members(work: CycleState, row_ids: list[str]) -> list[Member]:
    """Return the name and the first facts of each member."""
    work.job_run.tick(0, 1)
    facts: dict[str, list[str]] = {}
    for start in range(0, len(row_ids), _READ):
        with work.desk.db.read() as connection:
            part = row_ids[start : start + _READ]
            facts |= entity_vectors.texts(connection, part, each=_FACTS, longest=_CHARACTERS)
    names = [work.likeness.cards[work.likeness.place[id]].name for id in row_ids]
    return [(name, " ".join(facts.get(id, ()))) for id, name in zip(row_ids, names, strict=True)]


def _concept_change(change: Change) -> ConceptChange:
    entity = change.concept.entity if change.concept else None
    before = len(change.concept.members) if change.concept else 0
    return ConceptChange(
        id=entity.id if entity else "",
        name=entity.name if entity else concept_name(change.terms, lambda name: False),
        change=_kind(change),
        members=before + len(change.joined) - len(change.left),
        joined=len(change.joined),
        left=len(change.left),
    )


def _kind(change: Change) -> str:
    if change.concept is None:
        return "made"
    if change.retires:
        return "retired"
    if change.concept.entity.status == "archived":
        return "restored"
    if change.joined and change.left:
        return "changed"
    return "grown" if change.joined else "shrunk"


def _batches(changes: list[Change]) -> Iterator[list[Change]]:
    """Yield changes that are written together: whole concepts, about a chunk of rows."""
    batch: list[Change] = []
    rows_in_it = 0
    for change in changes:
        batch.append(change)
        rows_in_it += 1 + len(change.joined) + len(change.left)
        if rows_in_it >= CHUNK:
            yield batch
            batch, rows_in_it = [], 0
    if batch:
        yield batch


def _carried_out(work: CycleState, batch: list[Change]) -> list[ConceptChange]:
    """Write concepts; memberships beyond a chunk are written in further transactions."""
    with work.desk.db.write(work.cause) as connection:
        written = [_write_concept(work, connection, change) for change in batch]
        for change, entity in zip(batch, written, strict=True):
            if not change.retires:
                rows.leave(connection, entity.row_id, sorted(change.left))
                _join(work, connection, entity, sorted(change.joined)[:CHUNK], change.cohesion)
    for change, entity in zip(batch, written, strict=True):
        joined = sorted(change.joined)
        for start in range(CHUNK, len(joined), CHUNK):
            work.job_run.tick(0, 1)
            with work.desk.db.write(work.cause) as connection:
                _join(work, connection, entity, joined[start : start + CHUNK], change.cohesion)
    return [
        _concept_change(change).model_copy(update={"id": entity.id, "name": entity.name})
        for change, entity in zip(batch, written, strict=True)
    ]


def _join(
    work: CycleState, connection: Connection, entity: Entity, row_ids: list[str], cohesion: float
) -> None:
    rows.join(
        connection,
        entity,
        row_ids,
        ids=work.desk.ids,
        confidence=min(max(cohesion, 0.0), 1.0),
        now=work.desk.db.clock(),
    )


def _write_concept(work: CycleState, connection: Connection, change: Change) -> Entity:
    now = work.desk.db.clock()
    if change.concept is None:
        entity = _fresh(work, connection, change, now)
        entities.insert(connection, entity)
        return entity
    old = change.concept.entity
    update: dict[str, object] = {"status": "active", "archived_at": None, "archive_reason": ""}
    if change.retires:
        update = {"status": "archived", "archived_at": now, "archive_reason": RETIRED}
    else:
        update |= _rename_concept(work, connection, old, change)
    new = old.model_copy(update=update)
    if new != old:
        new = new.model_copy(update={"updated_at": now})
        entities.rewrite(connection, new)
    return new


def _fresh(work: CycleState, connection: Connection, change: Change, now: datetime) -> Entity:
    name = _free_name(work, connection, change, but="")

    def is_taken(id: str) -> bool:
        return entities.find(connection, work.project_id, id) is not None

    return Entity(
        row_id=work.desk.ids(),
        id=identity.make_id(name, is_taken),
        project_id=work.project_id,
        name=name,
        node_type="concept",
        properties={"source": SOURCE, "cycle": work.job_run.cycle.id},
        certainty="inferred",
        created_at=now,
        updated_at=now,
    )


def _rename_concept(
    work: CycleState, connection: Connection, old: Entity, change: Change
) -> dict[str, object]:
    if not change.terms or rows.is_edited(connection, old.row_id):
        return {}
    return {"name": _free_name(work, connection, change, but=old.row_id)}


def _free_name(work: CycleState, connection: Connection, change: Change, *, but: str) -> str:
    return concept_name(
        change.terms,
        lambda name: rows.is_named(connection, work.project_id, fold_name(name), but=but),
    )
