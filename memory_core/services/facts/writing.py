"""
Write facts next to stored ones, without duplicates and without losing any.

1. The decision for a fact is prepared outside any transaction, from vectors, words and a language
   model where there is one. 2. It is applied in one transaction, which checks again: if the data
   that the plan is based on has changed, planning is repeated. A failure leaves the state before or
   after. 3. Facts that cannot be compared in time are stored and marked; maintenance compares them
   later.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Literal

from ...errors import LanguageModelUnavailableError, ValidationError
from ...extract.protocols import LanguageModel
from ...ids import IdSource
from ...model.base import Properties
from ...model.facts.facts import Fact, FactOutcome, WrittenFact
from ...model.scope import Scope
from ...rules.facts.entries import entry_digest
from ...rules.facts.extraction import merge_prompt, parse_merged
from ...rules.facts.fact_decisions import Decision, KnownFact, decide_fact
from ...settings.facts import FactDefaults
from ...storage.database import Connection, Database
from ...storage.entries import extraction_jobs as jobs
from ...storage.entries import facts as rows
from ...storage.history import audit_log
from .nearest import Near, NearestFacts, Vector

# A concurrent writer of the same facts takes precedence.
_TRIES = 3

# No caller waits for maintenance, but a hanging model must not block it indefinitely.
_NOBODY_WAITS = 60.0


@dataclass(frozen=True)
class NewFact:
    """A fact to be written; with *row* it is stored already, and is only compared."""

    content: str
    said_at: datetime
    category: str = "conversation"
    metadata: Properties = field(default_factory=dict)
    occurred_at: datetime | None = None
    row: Fact | None = None


@dataclass(frozen=True)
class _Plan:
    kind: Literal["insert", "duplicate", "update", "merge", "outdated", "keep_both", "defer"]
    text: str
    target: Fact | None = None
    # Existing facts that the new one replaces: less detailed, or contradicting.
    gone: tuple[Fact, ...] = ()
    notice: str = ""


@dataclass
class _Batch:
    """Facts of one call: their scope, and those written so far."""

    scope: Scope
    model: LanguageModel | None
    cause: str
    job_id: str = ""
    vectors: dict[str, Vector] = field(default_factory=dict)
    patient: bool = True
    written: set[str] = field(default_factory=set)


class _ChangedMeanwhile(Exception):
    """The data that a plan is based on has changed."""


class FactWriter:
    """Applies the decisions of rules/fact_decisions.py."""

    def __init__(
        self, db: Database, ids: IdSource, nearest: NearestFacts, settings: FactDefaults
    ) -> None:
        self._db = db
        self._ids = ids
        self._nearest = nearest
        self._settings = settings

    def write(
        self,
        facts: Sequence[NewFact],
        scope: Scope,
        *,
        cause: str,
        model: LanguageModel | None,
        job_id: str = "",
    ) -> list[WrittenFact]:
        """Write facts in order, each in a transaction with its line in the job."""
        batch = _Batch(scope, model, cause, job_id)
        texts, wait = [fact.content for fact in facts], self._settings.wait_seconds
        vectors = self._vectors(texts, wait_seconds=wait)
        batch.patient = vectors is not None
        done = [
            self._write_fact(fact, vectors[place] if vectors else None, batch)
            for place, fact in enumerate(facts)
        ]
        if batch.vectors:
            said = {each.id: each.content for each in done}
            self._nearest.keep({said[id]: vector for id, vector in batch.vectors.items()})
        return done

    def compare(self, row: Fact, *, model: LanguageModel | None) -> WrittenFact | None:
        """Compare a stored fact with the current facts; None if that is not possible yet."""
        scope = Scope(**row.model_dump(include=set(Scope.model_fields)))
        fact = NewFact(
            row.content, row.created_at, row.category, row.metadata, row.occurred_at, row
        )
        vectors = self._vectors([row.content], wait_seconds=_NOBODY_WAITS)
        if vectors is None and self._settings.strategy != "off":
            return None
        batch = _Batch(scope, model, "fact_compared")
        done = self._write_fact(fact, vectors[0] if vectors else None, batch)
        return None if done.outcome == "deferred" else done

    def _vectors(self, texts: Sequence[str], *, wait_seconds: float) -> list[Vector] | None:
        if not texts or self._settings.strategy == "off":
            return None
        return self._nearest.vectors(texts, wait_seconds=wait_seconds)

    def _write_fact(self, fact: NewFact, vector: Vector | None, batch: _Batch) -> WrittenFact:
        for _ in range(_TRIES):
            plan = self._plan_fact(fact, vector, batch)
            try:
                done = self._carried_out(plan, fact, batch)
            except _ChangedMeanwhile:
                continue
            break
        else:
            done = self._carried_out(_Plan("defer", fact.content), fact, batch)
        batch.written.add(done.id)
        if vector is not None and done.content == fact.content:
            batch.vectors[done.id] = vector
        return done

    def _plan_fact(self, fact: NewFact, vector: Vector | None, batch: _Batch) -> _Plan:
        if self._settings.strategy == "off":
            return _Plan("insert", fact.content)
        now, but = self._db.clock(), [fact.row.id] if fact.row else []
        key = entry_digest(fact.content, [])
        with self._db.read() as connection:
            twin = rows.twin(connection, batch.scope, key, now=now, but=but)
        if twin is not None:
            return _Plan("duplicate", fact.content, twin)
        near = self._near(vector, batch, but=but, now=now) if vector is not None else None
        if near is None:
            return _Plan("defer", fact.content)
        known = [
            KnownFact(
                each.fact.id,
                each.fact.content,
                newer=_is_newer(each.fact, fact, batch),
                is_similar=each.similarity >= self._settings.threshold,
            )
            for each in near
        ]
        decision = decide_fact(
            fact.content,
            known,
            strategy=self._settings.strategy,
            can_merge=batch.model is not None,
        )
        return _plan(decision, fact, {each.fact.id: each.fact for each in near}, batch.model)

    def _near(
        self, vector: Vector, batch: _Batch, *, but: Sequence[str], now: datetime
    ) -> list[Near] | None:
        """Return the nearest of the stored facts and of those that this call has written."""
        near = partial(
            self._nearest.near,
            vector,
            batch.scope,
            most=self._settings.top_k,
            now=now,
            but=[*but, *batch.vectors],
        )
        found = near()
        if found is None and batch.patient:
            # Its text has just changed, for example by a merge.
            wait = self._settings.wait_seconds
            batch.patient = self._nearest.vectors((), wait_seconds=wait) is not None
            found = near()
        if found is None:
            return None
        own = self._of_this_call(vector, batch)
        return sorted([*found, *own], key=lambda each: -each.similarity)[: self._settings.top_k]

    def _of_this_call(self, vector: Vector, batch: _Batch) -> list[Near]:
        cosines = {id: float(other @ vector) for id, other in batch.vectors.items()}
        nearest = heapq.nlargest(self._settings.top_k, cosines, key=cosines.__getitem__)
        if not nearest:
            return []
        with self._db.read() as connection:
            known = rows.by_ids(connection, nearest)
        return [Near(fact, cosines[id]) for id, fact in known.items() if fact.status == "active"]

    def _carried_out(self, plan: _Plan, fact: NewFact, batch: _Batch) -> WrittenFact:
        now = self._db.clock()
        with self._db.write(batch.cause) as connection:
            self._require_unchanged(connection, plan, fact, batch, now=now)
            done = self._rows_written(connection, plan, fact, batch, now=now)
            if fact.row is not None and plan.kind != "defer":
                rows.unmark(connection, fact.row.id)
            if batch.job_id:
                jobs.keep_written(
                    connection,
                    batch.job_id,
                    done,
                    batch_id=audit_log.batch(connection),
                    now=now,
                )
        return done

    def _require_unchanged(
        self,
        connection: Connection,
        plan: _Plan,
        fact: NewFact,
        batch: _Batch,
        *,
        now: datetime,
    ) -> None:
        planned = {each.id: each for each in (plan.target, *plan.gone, fact.row) if each}
        if planned != rows.by_ids(connection, list(planned)):
            raise _ChangedMeanwhile
        # A fact marked for later comparison finds its duplicate then.
        if plan.kind in ("insert", "keep_both") and self._settings.strategy != "off":
            but = [fact.row.id] if fact.row else []
            key = entry_digest(fact.content, [])
            if rows.twin(connection, batch.scope, key, now=now, but=but):
                raise _ChangedMeanwhile

    def _rows_written(
        self,
        connection: Connection,
        plan: _Plan,
        fact: NewFact,
        batch: _Batch,
        *,
        now: datetime,
    ) -> WrittenFact:
        own = fact.row or self._row(fact, batch.scope, now=now)
        if plan.kind in ("duplicate", "update", "merge"):
            assert plan.target is not None
            said = plan.target
            if plan.kind != "duplicate":
                said = _taken_over(plan.target, fact, plan.text, now=now)
                rows.rewrite(connection, said)
            if fact.row is not None:
                marked = {"status": "duplicate", "duplicate_of": said.id, "updated_at": now}
                rows.rewrite(connection, own.model_copy(update=marked))
        else:
            said = own.model_copy(update=_state(plan))
            if fact.row is None:
                rows.insert(connection, said)
            elif said != own:
                rows.rewrite(connection, said.model_copy(update={"updated_at": now}))
            if plan.kind == "defer":
                rows.mark_uncompared(connection, said)
        for each in plan.gone:
            old = {"status": "superseded", "superseded_by": said.id, "updated_at": now}
            rows.rewrite(connection, each.model_copy(update=old))
        return WrittenFact(
            outcome=_OUTCOMES[plan.kind],
            id=said.id,
            content=said.content,
            superseded=[each.id for each in plan.gone],
            notice=plan.notice,
        )

    def _row(self, fact: NewFact, scope: Scope, *, now: datetime) -> Fact:
        return Fact(
            id=self._ids(),
            **scope.model_dump(),
            content=fact.content,
            category=fact.category,
            metadata=fact.metadata,
            digest=entry_digest(fact.content, []),
            occurred_at=fact.occurred_at,
            created_at=now,
            updated_at=now,
        )


_OUTCOMES: Mapping[str, FactOutcome] = {
    "insert": "stored",
    "duplicate": "duplicate",
    "update": "updated",
    "merge": "merged",
    "outdated": "outdated",
    "keep_both": "kept_both",
    "defer": "deferred",
}


def _is_newer(known: Fact, fact: NewFact, batch: _Batch) -> bool:
    """Return whether a stored fact was written after the new one was stated."""
    # Within one conversation, the last statement wins.
    return known.updated_at > fact.said_at and known.id not in batch.written


def _plan(
    decision: Decision, fact: NewFact, known: Mapping[str, Fact], model: LanguageModel | None
) -> _Plan:
    target = known[decision.target] if decision.target else None
    gone = tuple(known[id] for id in (*decision.others, *decision.contradicted))
    plan = _Plan(decision.kind, fact.content, target, gone)
    if decision.kind != "merge":
        return plan
    assert target is not None
    assert model is not None
    existing = [known[id].content for id in (decision.target, *decision.others)]
    try:
        answer = model.complete(merge_prompt(fact.content, existing))
        return replace(plan, text=parse_merged(answer, fact.content, existing))
    except (ValidationError, LanguageModelUnavailableError) as error:
        # Keep both, with a reference: a failing model must not lose a fact.
        return _Plan(
            "keep_both",
            fact.content,
            target,
            tuple(known[id] for id in decision.contradicted),
            f"Kept in addition to {target.id}, a possible duplicate: it could not be merged. "
            f"{error}",
        )


def _state(plan: _Plan) -> dict[str, object]:
    """Return the fields of a fact that is stored with its own text."""
    if plan.kind == "keep_both" and plan.target:
        return {"duplicate_of": plan.target.id}
    if plan.kind == "outdated" and plan.target:
        return {"status": "superseded", "superseded_by": plan.target.id}
    return {}


def _taken_over(target: Fact, fact: NewFact, text: str, *, now: datetime) -> Fact:
    """Return a stored fact with a new text; its id and creation time stay."""
    return target.model_copy(
        update={
            "content": text,
            "digest": entry_digest(text, []),
            "metadata": {**target.metadata, **fact.metadata},
            "occurred_at": fact.occurred_at or target.occurred_at,
            "updated_at": now,
        }
    )
