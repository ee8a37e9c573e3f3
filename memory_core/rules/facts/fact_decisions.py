"""
Deduplication decisions for a new fact, given similar stored facts.

1. If an equal or more specific fact is stored, the new one is a duplicate, and nothing is written.
2. A contradicted fact is superseded, never deleted. What counts is when it was said, not when it
   was written: importing an old conversation later does not override newer facts.
3. A less specific fact gets the new text, and keeps its id and creation time.
4. merge leaves facts that are neither equal nor contradictory to a language model.
5. Short contradicting statements may be less similar than duplicates; there too the newest is
   right.
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
    A similar stored fact.

    Attributes:
        newer: Written after the new fact was said.

        is_similar: Similar enough to be a duplicate; otherwise only a possible contradiction.
    """

    id: str
    text: str
    newer: bool = False
    is_similar: bool = True


@dataclass(frozen=True)
class Decision:
    """
    What to do with a new fact.

    Attributes:
        kind: insert; duplicate of target; update of target; merge with target and others; or
            outdated by target.

        target: Id of the stored fact, "" for insert.

        others: Ids of facts merged into target, or less specific than it.

        contradicted: Ids of facts superseded by the result.
    """

    kind: Kind
    target: str = ""
    others: tuple[str, ...] = ()
    contradicted: tuple[str, ...] = ()


def decide_fact(
    new: str, known: Sequence[KnownFact], *, strategy: DedupStrategy, can_merge: bool
) -> Decision:
    """Return the decision for *new*; *known* are the most similar facts, most similar first."""
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
        kind = classify_relation(each.text, new) if each.is_similar else "apart"
        if kind == "apart" and are_contradictory(each.text, new):
            kind = "denies"
        found[kind].append(each)
    return found


def _decide_skip(found: _Groups) -> Decision:
    similar = [*found["generalises"], *found["refines"], *found["rewords"]]
    contradicted = [*found["updates"], *found["denies"]]
    if similar:
        return Decision("duplicate", similar[0].id)
    return _decide_contradicted(contradicted)


def _decide_merge(known: Sequence[KnownFact], found: _Groups) -> Decision:
    alone = {each.id for each in (*found["denies"], *found["apart"])}
    matches = [each for each in known if each.id not in alone]
    if not matches:
        return _decide_contradicted(found["denies"])
    contradicted = [*found["denies"], *found["updates"], *found["rewords"]]
    if newer := next((each for each in contradicted if each.newer), None):
        # A model would prefer the new fact, although the stored one is newer.
        return Decision("outdated", newer.id)
    others = tuple(each.id for each in matches[1:])
    return Decision("merge", matches[0].id, others, tuple(each.id for each in found["denies"]))


def _decide_replace(found: _Groups) -> Decision:
    contradicted = [*found["rewords"], *found["updates"], *found["denies"]]
    if newer := next((each for each in contradicted if each.newer), None):
        return Decision("outdated", newer.id)
    superseded = tuple(each.id for each in contradicted)
    if found["generalises"]:
        return Decision("duplicate", found["generalises"][0].id, contradicted=superseded)
    if found["refines"]:
        target, *less = found["refines"]
        return Decision("update", target.id, tuple(each.id for each in less), superseded)
    return Decision("insert", contradicted=superseded)


def _decide_contradicted(contradicted: Sequence[KnownFact]) -> Decision:
    if newer := next((each for each in contradicted if each.newer), None):
        return Decision("outdated", newer.id)
    return Decision("insert", contradicted=tuple(each.id for each in contradicted))
