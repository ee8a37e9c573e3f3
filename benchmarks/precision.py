"""
PrecisionMemBench: what must come back, and that nothing else does.

Each belief is an entity under its canonical name with its aliases, and one
observation; a scope is a project, so is each user's part of it. A belief that
another replaced becomes a superseded observation of its successor. As in the
published runner, pinned beliefs are left out of an answer (a caller injects
them anyway), open questions are routed by their type, a relation brings its
participants, and what is left is compared with what the case names:

- precision is hits / returned: 0 when something was due and nothing came, and
  when something came and nothing was due; undefined when neither;
- recall is hits / due, undefined when nothing was due.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

# What the published runner lets a case return when it names no budget.
BUDGET = 20
USER = "test-user"


@dataclass(frozen=True)
class Belief:
    """One thing known about a user."""

    id: str
    user: str
    type: str
    name: str
    aliases: tuple[str, ...]
    content: str
    scopes: tuple[str, ...]
    is_pinned: bool
    superseded_by: str
    is_resolved: bool
    participants: tuple[str, ...]


@dataclass(frozen=True)
class Case:
    """A query in some scopes, and which beliefs are due."""

    id: str
    category: str
    user: str
    scopes: tuple[str, ...]
    query: str
    budget: int
    due: frozenset[str]
    forbidden: frozenset[str]


@dataclass(frozen=True)
class Outcome:
    """How one case went; None where the measure is undefined."""

    case: str
    category: str
    returned: tuple[str, ...]
    due: tuple[str, ...]
    forbidden: tuple[str, ...]
    precision: float | None
    recall: float | None


# (user, scope, query, limit) -> ids of beliefs, best first.
Search = Callable[[str, str, str, int], Sequence[str]]


def beliefs(directory: Path) -> list[Belief]:
    """Return the seed, in its order."""
    loaded = json.loads((_folder(directory) / "beliefs.seed.json").read_text("utf-8"))
    return [
        Belief(
            id=belief["_id"],
            user=belief["user_id"],
            type=belief["type"],
            name=belief["canonical_name"],
            aliases=tuple(belief["aliases"]),
            content=belief["content"],
            scopes=tuple(belief["scope"]),
            is_pinned=bool(belief["pinned"]),
            superseded_by=belief["superseded_by"] or "",
            is_resolved=belief["resolved_at"] is not None,
            participants=tuple(belief.get("participants") or ()),
        )
        for belief in loaded
    ]


def cases(directory: Path) -> list[Case]:
    """Return the single-turn cases."""
    loaded = json.loads((_folder(directory) / "retrieval.cases.json").read_text("utf-8"))
    return [
        Case(
            id=case["caseId"],
            category=case["category"],
            user=case.get("userId", USER),
            scopes=tuple(case["scope"]),
            query=case["query"],
            budget=case.get("budget", {}).get("maxBeliefs", BUDGET),
            due=frozenset(case["expect"].get("relevantBeliefs", {}).get("shouldOnlyInclude", ())),
            forbidden=frozenset(case["expect"].get("relevantBeliefs", {}).get("mustExclude", ())),
        )
        for case in loaded
    ]


def run(known: Sequence[Belief], asked: Sequence[Case], search: Search) -> list[Outcome]:
    """Ask every case and score its answer."""
    by_id = {belief.id: belief for belief in known}
    return [score(case, answer(case, by_id, search)) for case in asked]


def answer(case: Case, by_id: dict[str, Belief], search: Search) -> list[str]:
    """Return the relevant beliefs of a case, as the published runner puts them together."""
    pinned = {belief.id for belief in by_id.values() if _is_injected(belief, case)}
    room = max(0, case.budget - len(pinned))
    if not case.query.strip() or not case.budget:
        return []
    lists = [search(case.user, scope, case.query, case.budget) for scope in case.scopes]
    found = [id for id in _in_turn(lists) if id not in pinned][: case.budget]
    found += [id for id in _participants(case, found, by_id) if id not in pinned]
    return found[:room]


def score(case: Case, returned: Sequence[str]) -> Outcome:
    """Return the precision and recall of an answer."""
    hits = len(case.due.intersection(returned))
    precision = None
    if returned:
        precision = hits / len(returned)
    elif case.due:
        precision = 0.0
    return Outcome(
        case=case.id,
        category=case.category,
        returned=tuple(returned),
        due=tuple(sorted(case.due)),
        forbidden=tuple(sorted(case.forbidden.intersection(returned))),
        precision=precision,
        recall=hits / len(case.due) if case.due else None,
    )


def means(outcomes: Sequence[Outcome]) -> dict[str, float]:
    """Return mean precision and recall over the cases where they are defined."""
    precisions = [one.precision for one in outcomes if one.precision is not None]
    recalls = [one.recall for one in outcomes if one.recall is not None]
    passed = [one for one in outcomes if set(one.returned) == set(one.due) and not one.forbidden]
    return {
        "precision": sum(precisions) / len(precisions) if precisions else 0.0,
        "recall": sum(recalls) / len(recalls) if recalls else 0.0,
        "exact": len(passed) / len(outcomes) if outcomes else 0.0,
    }


def _folder(directory: Path) -> Path:
    below = directory / "precisionmembench"
    return below if below.is_dir() else directory


def _is_injected(belief: Belief, case: Case) -> bool:
    """Whether a caller shows this belief anyway: a pinned fact of the user in these scopes."""
    return (
        belief.is_pinned
        and belief.user == case.user
        and belief.type != "open_question"
        and not belief.superseded_by
        and not belief.is_resolved
        and bool(set(belief.scopes) & set(case.scopes))
    )


def _in_turn(lists: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the first of each list, then the second of each, no id twice."""
    seen: set[str] = set()
    for rank in range(max(map(len, lists), default=0)):
        for ids in lists:
            if rank < len(ids) and ids[rank] not in seen:
                seen.add(ids[rank])
                yield ids[rank]


def _participants(case: Case, found: Sequence[str], by_id: dict[str, Belief]) -> list[str]:
    return [
        id
        for one in found
        for id in by_id[one].participants
        if id not in found
        and by_id[id].type != "open_question"
        and by_id[id].user == case.user
        and set(by_id[id].scopes) & set(case.scopes)
    ]
