"""Duplicate and contradicting facts, and duplicate entities."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..rules.graph.duplicates import (
    CONTRADICTION,
    SAME_THING,
    NamedEntity,
    Verdict,
    compare_entities,
    compare_facts,
)
from ..search.neighbours import near_pairs
from ..services.discovery.similarity import fact_vectors
from ..services.discovery.suggestions import Found
from ..storage.graph import entity_vectors
from ..storage.graph.entity_vectors import Card
from ..storage.graph.suggestions import Noted
from ..storage.search import embeddings
from .context import CycleState

# Entities whose facts are read together.
_PAGE = 200

# Nearest facts of the same entity that each fact is compared with.
_NEAREST = 6

# Up to this many facts are all compared with each other; most entities have no more.
_FEW = 16


def find_duplicates(work: CycleState) -> None:
    """Record duplicates and contradictions as suggestions; nothing is merged or deleted."""
    found: dict[str, list[Found]] = {"duplicate": [], "contradiction": []}
    for kind, each in _among_facts(work):
        found[kind].append(each)
    found["duplicate"] += _among_entities(work)
    work.same = {each.pair for each in found["duplicate"]}
    all_there = not work.desk.discovery.pending_projects()
    for kind in ("duplicate", "contradiction"):
        again = {each.pair for each in found[kind]}

        def holds(noted: Noted, again: set[tuple[str, str]] = again) -> bool:
            return noted.pair in again or not all_there

        plan = work.desk.suggestions.plan_suggestions(
            work.project_id,
            "duplicate" if kind == "duplicate" else "contradiction",
            sorted(found[kind], key=lambda each: (-each.similarity, each.pair)),
            holds=holds,
        )
        (work.duplicates if kind == "duplicate" else work.contradictions).extend(plan.new)
        work.job_run.counts[f"{kind}s"] += len(found[kind])
        work.job_run.counts["suggestions_new"] += len(plan.new)
        work.job_run.counts["suggestions_gone"] += len(plan.gone)
        if not work.dry_run:
            work.desk.suggestions.write_plan(plan, cause=work.cause, tick=work.job_run.tick)


def _among_entities(work: CycleState) -> Iterator[Found]:
    near = work.near.at_least(SAME_THING)
    cards = work.likeness.cards
    for first, second, cosine in zip(near.first, near.second, near.cosine, strict=True):
        older, newer = sorted((cards[first], cards[second]), key=lambda card: card.row_id)
        verdict = compare_entities(
            _named_entity(older), _named_entity(newer), similarity=float(cosine)
        )
        if verdict.kind == "duplicate":
            yield Found(
                from_id=older.row_id,
                to_id=newer.row_id,
                from_row_id=older.row_id,
                to_row_id=newer.row_id,
                similarity=float(cosine),
                reason=verdict.reason,
            )


def _named_entity(card: Card) -> NamedEntity:
    return NamedEntity(card.name, card.node_type, card.aliases)


def _among_facts(work: CycleState) -> Iterator[tuple[str, Found]]:
    row_ids = [card.row_id for card in work.likeness.cards]
    for start in range(0, len(row_ids), _PAGE):
        with work.desk.db.read() as connection:
            model = embeddings.standing(connection).model
            several = entity_vectors.with_several_facts(connection, row_ids[start : start + _PAGE])
            pieces = entity_vectors.pieces(connection, model, sorted(several))
        near = {
            subject: list(_near(ids, matrix))
            for subject, (ids, matrix) in fact_vectors(pieces).items()
        }
        wanted = {id for pairs in near.values() for one, other, _ in pairs for id in (one, other)}
        with work.desk.db.read() as connection:
            texts = entity_vectors.facts(connection, sorted(wanted))
        work.job_run.tick(start, len(row_ids))
        for subject, pairs in near.items():
            yield from _judge_pairs(subject, pairs, texts)


def _near(
    ids: list[str], matrix: np.ndarray[tuple[int, int], np.dtype[np.float32]]
) -> Iterator[tuple[str, str, float]]:
    if 1 < len(ids) <= _FEW:
        cosines = np.round(matrix @ matrix.T, 6)
        for first, second in np.argwhere(np.triu(cosines >= CONTRADICTION, 1)):
            yield ids[first], ids[second], float(cosines[first, second])
    elif len(ids) > _FEW:
        found = near_pairs(
            matrix.astype(np.float16), nearest=_NEAREST, least=CONTRADICTION, tick=_quietly
        )
        for first, second, cosine in zip(found.first, found.second, found.cosine, strict=True):
            yield ids[first], ids[second], float(cosine)


def _quietly(done: int, total: int) -> None:
    """Ignore progress: comparing the facts of one entity is fast."""


def _judge_pairs(
    subject: str, pairs: list[tuple[str, str, float]], texts: dict[str, str]
) -> Iterator[tuple[str, Found]]:
    for older, newer, cosine in pairs:
        if not texts.keys() >= {older, newer}:
            continue
        verdict = compare_facts(texts[older], texts[newer], similarity=cosine, same_subject=True)
        if verdict.kind == "different":
            continue
        ends = (older, newer)
        # Keep the more detailed duplicate.
        if verdict.kind == "duplicate" and len(texts[newer]) > len(texts[older]):
            ends = (newer, older)
        yield verdict.kind, _fact_pair(subject, ends, cosine, verdict)


def _fact_pair(subject: str, ends: tuple[str, str], cosine: float, verdict: Verdict) -> Found:
    return Found(
        from_id=subject,
        to_id=subject,
        from_row_id=ends[0],
        to_row_id=ends[1],
        similarity=cosine,
        reason=verdict.reason,
    )
