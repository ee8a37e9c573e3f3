"""Ranking metrics and paired bootstrap.

A question's record is the rank of each of its gold rows (1 is first, None is
not found), in the order of their ids; every figure follows from those ranks,
so two runs can be compared question by question later.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

Ranks = Sequence[int | None]

COLUMNS = ("recall@5", "recall@10", "recall@50", "hit@5", "hit@10", "all@10", "mrr", "ndcg@10")
FRACTIONS = ("mrr", "ndcg@10")


@dataclass(frozen=True)
class Record:
    """How one question went."""

    question: str
    conversation: str
    category: str
    ranks: tuple[int | None, ...]


@dataclass(frozen=True)
class Comparison:
    """The mean gain of one run over another, and the interval that holds it 95 times in 100."""

    gain: float
    low: float
    high: float
    questions: int

    @property
    def is_certain(self) -> bool:
        """Whether the interval leaves out zero."""
        return self.low > 0 or self.high < 0


def gold_ranks(ranking: Sequence[str], gold: frozenset[str]) -> tuple[int | None, ...]:
    """Return the rank of each gold row, in order of their ids."""
    place = {id: rank for rank, id in reversed(list(enumerate(ranking, 1)))}
    return tuple(place.get(id) for id in sorted(gold))


def figures(ranks: Ranks) -> dict[str, float]:
    """Return every measure of one question."""
    found = sorted(rank for rank in ranks if rank is not None)
    out: dict[str, float] = {}
    for k in (5, 10, 50):
        out[f"recall@{k}"] = sum(rank <= k for rank in found) / len(ranks)
    for k in (5, 10):
        out[f"hit@{k}"] = float(any(rank <= k for rank in found))
    out["all@10"] = float(len(found) == len(ranks) and found[-1] <= 10)
    out["mrr"] = 1 / found[0] if found else 0.0
    gain = sum(1 / math.log2(rank + 1) for rank in found if rank <= 10)
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(len(ranks), 10) + 1))
    out["ndcg@10"] = gain / ideal
    return out


def summary(records: Sequence[Record]) -> dict[str, float]:
    """Return the mean of every measure over questions; zeros for none."""
    each = [figures(record.ranks) for record in records]
    return {name: sum(one[name] for one in each) / len(each) if each else 0.0 for name in COLUMNS}


def by_category(records: Sequence[Record]) -> dict[str, dict[str, float]]:
    """Return the summary of each category, in order of its name."""
    return {
        category: summary([record for record in records if record.category == category])
        for category in sorted({record.category for record in records})
    }


def compare(
    ours: Sequence[Record],
    theirs: Sequence[Record],
    measure: str = "recall@10",
    *,
    draws: int = 10_000,
    seed: int = 7,
) -> Comparison:
    """Compare two runs over the questions they share by a paired bootstrap."""
    other = {(record.conversation, record.question): record for record in theirs}
    pairs = [
        (record, other[key])
        for record in ours
        if (key := (record.conversation, record.question)) in other
    ]
    if not pairs:
        raise ValueError("The two runs share no question. Compare runs of the same suite.")
    gains = np.array(
        [figures(mine.ranks)[measure] - figures(their.ranks)[measure] for mine, their in pairs]
    )
    picks = np.random.default_rng(seed).integers(0, len(gains), (draws, len(gains)))
    means = gains[picks].mean(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    return Comparison(float(gains.mean()), float(low), float(high), len(pairs))


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value that *share* of the values do not exceed; 0 for none."""
    if not values:
        return 0.0
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def as_json(record: Record) -> dict[str, object]:
    return {
        "question": record.question,
        "conversation": record.conversation,
        "category": record.category,
        "ranks": list(record.ranks),
    }


def from_json(loaded: Mapping[str, object]) -> Record:
    ranks = loaded["ranks"]
    if not isinstance(ranks, list):
        raise ValueError("A record's ranks are a list of ranks and nulls.")
    return Record(
        question=str(loaded["question"]),
        conversation=str(loaded["conversation"]),
        category=str(loaded["category"]),
        ranks=tuple(ranks),
    )
