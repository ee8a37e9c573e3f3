"""Decision table for a new fact, given similar stored facts.

1. Said to the letter before, or with less: it is a duplicate, and nothing is written.
2. What it contradicts is superseded by it, never lost; but by the clock of what was
   said, not of what was written: an old conversation that is read late does not win.
3. What it says more of takes its words, and keeps its own id and age.
4. merge leaves to a model what is neither the same nor a contradiction.
5. Short statements that exclude each other may be less alike than that: there too the
   newest is right.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ...model.facts.facts import DedupStrategy
from .fact_conflicts import are_contradictory
from .fact_relations import Relation, classify_relation

Kind = Literal["insert", "duplicate", "update", "merge", "outdated"]


@dataclass(frozen=True)
class KnownFact:
    """
    A known fact that vectors find alike, or else near.

    Attributes:
        newer: It was written after the other was said.

        alike: Near enough to be the same; if not, all it can be is a contradiction.
    """

    id: str
    text: str
    newer: bool = False
    alike: bool = True


@dataclass(frozen=True)
class Decision:
    """
    What to do with a new fact.

    Attributes:
        kind: insert it; or it is a duplicate of target; or target is updated by it, or
            merged with it and the others; or it is outdated by target.

        target: Id of the known fact it concerns, "" for insert.

        others: Ids of those that are merged into target, or say less than it.

        contradicted: Ids of those that are superseded by whatever says it now.
    """

    kind: Kind
    target: str = ""
    others: tuple[str, ...] = ()
    contradicted: tuple[str, ...] = ()


def decide_fact(
    new: str, known: Sequence[KnownFact], *, strategy: DedupStrategy, can_merge: bool
) -> Decision:
    """Return what becomes of *new*; *known* are the most similar facts, the nearest first."""
    if strategy == "off":
        return Decision("insert")
    found = _group_by_relation(new, known)
    if found["same"]:
        return Decision("duplicate", found["same"][0].id)
    if strategy == "skip":
        return _decide_skip(found)
    if strategy == "merge" and can_merge:
        return _decide_merge(known, found)
    return _decide_replace(found)


_Groups = dict[Relation, list[KnownFact]]


def _group_by_relation(new: str, known: Sequence[KnownFact]) -> _Groups:
    found: _Groups = {
        kind: []
        for kind in ("same", "refines", "generalises", "rewords", "updates", "denies", "apart")
    }
    for each in known:
        kind = classify_relation(each.text, new) if each.alike else "apart"
        if kind == "apart" and are_contradictory(each.text, new):
            kind = "denies"
        found[kind].append(each)
    return found


def _decide_skip(found: _Groups) -> Decision:
    alike = [*found["generalises"], *found["refines"], *found["rewords"]]
    contradicted = [*found["updates"], *found["denies"]]
    if alike:
        return Decision("duplicate", alike[0].id)
    return _decide_contradicted(contradicted)


def _decide_merge(known: Sequence[KnownFact], found: _Groups) -> Decision:
    alone = {each.id for each in (*found["denies"], *found["apart"])}
    matches = [each for each in known if each.id not in alone]
    if not matches:
        return _decide_contradicted(found["denies"])
    contradicted = [*found["denies"], *found["updates"], *found["rewords"]]
    if newer := next((each for each in contradicted if each.newer), None):
        # A model takes the new fact for the one that is right, which it is not.
        return Decision("outdated", newer.id)
    others = tuple(each.id for each in matches[1:])
    return Decision("merge", matches[0].id, others, tuple(each.id for each in found["denies"]))


def _decide_replace(found: _Groups) -> Decision:
    contradicted = [*found["rewords"], *found["updates"], *found["denies"]]
    if newer := next((each for each in contradicted if each.newer), None):
        return Decision("outdated", newer.id)
    gone = tuple(each.id for each in contradicted)
    if found["generalises"]:
        return Decision("duplicate", found["generalises"][0].id, contradicted=gone)
    if found["refines"]:
        target, *less = found["refines"]
        return Decision("update", target.id, tuple(each.id for each in less), gone)
    return Decision("insert", contradicted=gone)


def _decide_contradicted(contradicted: Sequence[KnownFact]) -> Decision:
    if newer := next((each for each in contradicted if each.newer), None):
        return Decision("outdated", newer.id)
    return Decision("insert", contradicted=tuple(each.id for each in contradicted))
