"""
Suggestions that wait for a decision.

1. A pair has one suggestion of a kind, permanently. A rejected one stays rejected, an accepted one
   is not created again, and a withdrawn one reopens when it applies again. 2. Finding the same pair
   again writes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Literal

from ...clock import format_timestamp
from ...context import as_one_batch, current_batch
from ...errors import ConflictError, ValidationError
from ...ids import IdSource
from ...model.graph.entities import Entity, Observation
from ...model.graph.librarian import (
    AcceptedSuggestion,
    Suggestion,
    SuggestionKind,
    SuggestionPage,
    SuggestionSide,
)
from ...model.graph.ontology import Ontology
from ...rules import limits
from ...rules.graph.ontology import check_ends, stored_triple
from ...storage.database import Connection, Database
from ...storage.graph import entities, observations
from ...storage.graph import suggestions as rows
from ...storage.graph.suggestions import Noted, Pair, in_order
from ...storage.history import audit_log
from ..graph.graph import Graph
from .relation_writer import link

# Rows per transaction: well under a tenth of a second.
CHUNK = 200

# Users do not review more; the least similar wait until there is room.
MOST_OPEN = 200

# Smaller changes of the similarity are not recorded in the history.
_NOTABLE = 0.02

_CHARACTERS = 160

KINDS = ("relation", "duplicate", "contradiction")


@dataclass(frozen=True)
class Found:
    """A candidate: two entities, and their rows that were compared."""

    from_id: str
    to_id: str
    from_row_id: str
    to_row_id: str
    similarity: float
    reason: str
    relation_type: str = ""

    @property
    def pair(self) -> Pair:
        return in_order(self.from_row_id, self.to_row_id)


@dataclass(frozen=True)
class Plan:
    """Changes that storing a set of candidates requires."""

    new: list[Noted]
    changed: list[Noted]
    gone: list[Noted]


class Suggestions:
    """Record, list, accept and reject the suggestions of a project."""

    def __init__(self, db: Database, ids: IdSource, ontology: Ontology, graph: Graph) -> None:
        self._db = db
        self._ids = ids
        self._ontology = ontology
        self._graph = graph

    def list_suggestions(
        self,
        *,
        project_id: str = "default",
        kind: str = "",
        status: str = "open",
        limit: int = 50,
        offset: int = 0,
    ) -> SuggestionPage:
        """Return suggestions, most similar first; an empty kind or status matches any."""
        if kind not in ("", *KINDS):
            raise ValidationError(f"kind must be one of {', '.join(KINDS)}, not {kind!r}.")
        with self._db.read() as connection:
            found, total = rows.page(
                connection,
                limits.validate_project(project_id, all_allowed=True),
                kind=kind,
                status=status,
                limit=limits.validate_page_size(limit),
                offset=max(offset, 0),
            )
            return SuggestionPage(suggestions=describe_suggestions(connection, found), total=total)

    def reject_suggestion(self, id: str, *, project_id: str = "default") -> Suggestion:
        """Reject a suggestion; the pair is not suggested again."""
        with self._db.write("reject_suggestion") as connection:
            noted = rows.get(connection, limits.validate_project(project_id), id)
            _refuse_decided(noted, "rejected")
            rejected = replace(noted, status="rejected")
            if noted.status != "rejected":
                rows.rewrite(connection, rejected, format_timestamp(self._db.clock()))
            return describe_suggestions(connection, [rejected])[0]

    def accept_suggestion(
        self,
        id: str,
        *,
        project_id: str = "default",
        keep: Literal["", "first", "second"] = "",
        relation_type: str = "",
    ) -> AcceptedSuggestion:
        """
        Carry out a suggestion: relate, merge, delete the duplicate, or supersede the older fact.

        *keep* selects which one stays. The default is the first of two duplicates and, of two
        contradicting facts, the second, which is newer.
        """
        project_id = limits.validate_project(project_id)
        with self._db.read() as connection:
            noted = rows.get(connection, project_id, id)
            _refuse_decided(noted, "accepted")
            (shown,) = describe_suggestions(connection, [noted])
        with as_one_batch(current_batch() or self._ids()):
            did = self._carried_out(noted, shown, keep=keep, relation_type=relation_type)
            with self._db.write("accept_suggestion") as connection:
                rows.rewrite(
                    connection,
                    replace(noted, status="accepted"),
                    format_timestamp(self._db.clock()),
                )
                batch_id = audit_log.batch(connection)
        accepted = shown.model_copy(update={"status": "accepted"})
        return AcceptedSuggestion(suggestion=accepted, did=did, batch_id=batch_id)

    def plan_suggestions(
        self,
        project_id: str,
        kind: SuggestionKind,
        found: Iterable[Found],
        *,
        holds: Callable[[Noted], bool],
        room: int = MOST_OPEN,
    ) -> Plan:
        """
        Return the changes that recording *found*, most similar first, requires.

        Open suggestions that were not found again and no longer apply are withdrawn.
        """
        with self._db.read() as connection:
            before, _ = rows.page(connection, project_id, kind=kind)
        left = {noted.pair: noted for noted in before}
        gone = [noted for noted in before if not holds(noted)]
        plan = Plan([], [], gone)
        room -= len(before) - len(gone)
        for chunk in chunks(found):
            with self._db.read() as connection:
                known = rows.of_pairs(connection, kind, [each.pair for each in chunk])
            for each in chunk:
                noted = known.get(each.pair)
                if noted is not None and noted.pair in left:
                    if noted not in gone and _differs(noted, each):
                        plan.changed.append(_renew(noted, each))
                elif room > 0 and (noted is None or noted.status == "gone"):
                    room -= 1
                    if noted is None:
                        plan.new.append(self._new(project_id, kind, each))
                    else:
                        plan.changed.append(_renew(noted, each))
        return plan

    def write_plan(self, plan: Plan, *, cause: str, tick: Callable[[int, int], None]) -> None:
        """Apply a plan in short transactions."""
        changed = [*plan.changed, *(replace(noted, status="gone") for noted in plan.gone)]
        for chunk in chunks(plan.new):
            with self._db.write(cause) as connection:
                for noted in chunk:
                    rows.insert(connection, noted, format_timestamp(self._db.clock()))
            tick(0, 1)
        for chunk in chunks(changed):
            with self._db.write(cause) as connection:
                for noted in chunk:
                    rows.rewrite(connection, noted, format_timestamp(self._db.clock()))
            tick(0, 1)

    def describe_suggestions(self, noted: Sequence[Noted]) -> list[Suggestion]:
        with self._db.read() as connection:
            return describe_suggestions(connection, noted)

    def _new(self, project_id: str, kind: str, found: Found) -> Noted:
        return Noted(
            id=self._ids(), project_id=project_id, kind=kind, status="open", **_values(found)
        )

    def _carried_out(
        self, noted: Noted, shown: Suggestion, *, keep: str, relation_type: str
    ) -> str:
        if noted.kind == "relation":
            return self._create_relation(noted, relation_type or noted.relation_type)
        if noted.from_id != noted.from_row_id:
            return self._resolve(noted, keep=keep)
        ends = (shown.first, shown.second)
        kept, gone = ends[::-1] if keep == "second" else ends
        self._graph.merge_entities(kept.id, [gone.id], project_id=noted.project_id)
        return f"{gone.id} was merged into {kept.id}"

    def _create_relation(self, noted: Noted, relation_type: str) -> str:
        with self._db.write("accept_suggestion") as connection:
            known = entities.by_row_ids(connection, [noted.from_id, noted.to_id])
            start, end = _both(known, noted)
            check_ends(self._ontology, relation_type, start.node_type, end.node_type)
            kind, from_id, to_id = stored_triple(
                self._ontology, relation_type, start.row_id, end.row_id
            )
            relation = link(
                connection,
                known[from_id],
                known[to_id],
                kind,
                id=self._ids(),
                now=self._db.clock(),
                confidence=noted.similarity,
                source="radar",
            )
        if relation is None:
            return f"{start.id} {kind} {end.id} was there already"
        return f"{relation.from_node_id} {kind} {relation.to_node_id} was made"

    def _resolve(self, noted: Noted, *, keep: str) -> str:
        """Delete the duplicate of a fact, or supersede one of two contradicting facts."""
        now = self._db.clock()
        with self._db.write("accept_suggestion") as connection:
            known = observations.by_ids(connection, [noted.from_row_id, noted.to_row_id])
            one, other = _both_facts(known, noted)
            if noted.kind == "duplicate":
                gone = one if keep == "second" else other
                observations.delete(connection, gone.id)
                return f"observation {gone.id} was deleted"
            stands, gone = (one, other) if keep == "first" else (other, one)
            update = {"status": "superseded", "superseded_by": stands.id, "updated_at": now}
            closed = gone.valid_to or stands.valid_from or now
            observations.rewrite(connection, gone.model_copy(update={**update, "valid_to": closed}))
            return f"observation {gone.id} is superseded by {stands.id}"


def chunks(found: Iterable[Any]) -> Iterator[list[Any]]:
    rest = iter(found)
    while chunk := list(islice(rest, CHUNK)):
        yield chunk


def describe_suggestions(connection: Connection, noted: Sequence[Noted]) -> list[Suggestion]:
    """Return suggestions with the names of their ends; an end that is gone has none."""
    row_ids = {id for each in noted for id in (each.from_id, each.to_id)}
    known = entities.by_row_ids(connection, sorted(row_ids))
    fact_ids = {id for each in noted for id in (each.from_row_id, each.to_row_id)} - row_ids
    facts = observations.by_ids(connection, sorted(fact_ids))
    return [
        Suggestion(
            row_ids=(each.from_id, each.to_id),
            id=each.id,
            kind=each.kind,
            project_id=each.project_id,
            first=_side(known.get(each.from_id), facts.get(each.from_row_id)),
            second=_side(known.get(each.to_id), facts.get(each.to_row_id)),
            relation_type=each.relation_type,
            similarity=round(each.similarity, 4),
            status=each.status,
            reason=each.reason,
        )
        for each in noted
    ]


def _side(entity: Entity | None, fact: Observation | None) -> SuggestionSide:
    return SuggestionSide(
        id=entity.id if entity else "",
        name=entity.name if entity else "(gone)",
        node_type=entity.node_type if entity else "",
        observation_id=fact.id if fact else "",
        content=fact.content[:_CHARACTERS] if fact else "",
    )


def _values(found: Found) -> dict[str, Any]:
    return {**vars(found), "similarity": _share(found.similarity)}


def _share(similarity: float) -> float:
    return round(min(max(similarity, 0.0), 1.0), 4)


def _differs(noted: Noted, found: Found) -> bool:
    moved = abs(noted.similarity - _share(found.similarity)) > _NOTABLE
    return moved or (noted.relation_type, noted.reason) != (found.relation_type, found.reason)


def _renew(noted: Noted, found: Found) -> Noted:
    return replace(noted, status="open", **_values(found))


def _refuse_decided(noted: Noted, wanted: str) -> None:
    if noted.status in ("accepted", "gone") or (noted.status, wanted) == ("rejected", "accepted"):
        raise ConflictError(
            f"The suggestion {noted.id!r} is {noted.status} and cannot be {wanted}. List the open "
            "ones, or undo the batch that decided it."
        )


def _both(known: dict[str, Entity], noted: Noted) -> tuple[Entity, Entity]:
    if not known.keys() >= {noted.from_id, noted.to_id}:
        raise _end_gone(noted)
    return known[noted.from_id], known[noted.to_id]


def _both_facts(known: dict[str, Observation], noted: Noted) -> tuple[Observation, Observation]:
    if not known.keys() >= {noted.from_row_id, noted.to_row_id}:
        raise _end_gone(noted)
    return known[noted.from_row_id], known[noted.to_row_id]


def _end_gone(noted: Noted) -> ConflictError:
    return ConflictError(
        f"The records of suggestion {noted.id!r} no longer exist. The next librarian "
        "cycle withdraws it."
    )
