"""
Calibration of the relevance of search hits: ``python -m benchmarks.relevance --data DIR``.

Asks the questions of each suite in its own project, and questions that have nothing to do with it.
Fits the logistic function of memory_core/rules/relevance.py on every second conversation and every
second unrelated question, and measures the shipped constants on the others: by floor, the share of
unrelated questions that return nothing, the share of gold hits that are kept, and recall@10.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

from memory_core.memory import Memory
from memory_core.model.search.results import SearchHit
from memory_core.search.models import choose_engine
from memory_core.settings import Settings

from . import datasets
from .datasets import SHIPPED, Absent, Suite
from .fingerprint import fingerprint
from .store import Filed, KeptEmbedder, fill, open_store, settle

UNRELATED = SHIPPED / "unrelated_questions.json"
FLOORS = (0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5)
HITS = 10


@dataclass(frozen=True)
class Answered:
    """The hits of one question: their relevances, which are gold, and how many gold rows exist."""

    suite: str
    tuning: bool
    gold_rows: int
    relevances: tuple[float, ...]
    gold: tuple[bool, ...]
    best: tuple[float, float, float]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the curve; return 0."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.relevance", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, metavar="DIR")
    parser.add_argument("--cache", type=Path, metavar="FILE", help="keep vectors in this file")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the result")
    given = parser.parse_args(arguments)
    settings = Settings()
    embedder = KeptEmbedder(
        choose_engine(settings.embedding_model, settings.embedding_engine), given.cache
    )
    answered = [row for suite in suites(given.data) for row in answers(suite, embedder)]
    embedder.save()
    coefficients = fit(answered)
    print(
        "fitted: cosine {:.1f}, lexical {:.1f}, linked {:.1f}, intercept {:.2f}".format(
            *coefficients
        )
    )
    curves = {}
    for name in dict.fromkeys(row.suite for row in answered):
        curves[name] = curve([row for row in answered if row.suite == name and not row.tuning])
        print(f"\n{name}\n| floor | unrelated: nothing | gold hits kept | recall@10 |")
        print("|---|---|---|---|")
        for floor, (empty, kept, recall) in curves[name].items():
            print(f"| {floor:g} | {empty:.1%} | {kept:.1%} | {recall:.1f} |")
    if given.json:
        mark = fingerprint(
            model=embedder.identity().model, files=[UNRELATED], settings={"floors": FLOORS}, seed=0
        )
        result = {"fingerprint": mark, "fitted": coefficients, "curves": curves}
        given.json.write_text(json.dumps(result, indent=1), "utf-8")
    return 0


def suites(directory: Path) -> Iterator[Suite]:
    """Yield the suites that the directory has."""
    for load in (datasets.locomo_turns, datasets.locomo_notes, datasets.beam, datasets.devbench):
        try:
            yield load(directory)
        except Absent as absent:
            print(f"skipped: {absent}")


def answers(suite: Suite, embedder: KeptEmbedder) -> Iterator[Answered]:
    """Yield the answers to the related and the unrelated questions of a suite."""
    settings = Settings()
    if suite.user:
        settings = settings.model_copy(update={"memory_user_entity": suite.user.lower()})
    with tempfile.TemporaryDirectory(prefix="benchmark-") as folder:
        memory = open_store(Path(folder) / "memory.db", embedder, settings)
        try:
            filed = fill(memory, suite, "project")
            settle(memory)
            yield from _ask(memory, suite, filed)
        finally:
            memory.close()


def fit(answered: Sequence[Answered]) -> tuple[float, ...]:
    """Return the coefficients that separate related from unrelated questions."""
    rows = [row for row in answered if row.tuning and (not row.gold_rows or any(row.gold))]
    model = LogisticRegression(class_weight="balanced", C=100)
    model.fit([row.best for row in rows], [bool(row.gold_rows) for row in rows])
    return tuple(round(float(value), 2) for value in (*model.coef_[0], model.intercept_[0]))


def curve(answered: Sequence[Answered]) -> dict[float, tuple[float, float, float]]:
    """Return by floor: unrelated questions without a hit, gold hits kept, recall@10."""
    unrelated = [row for row in answered if not row.gold_rows]
    related = [row for row in answered if row.gold_rows]
    found = sum(sum(row.gold) for row in related)
    return {
        floor: (
            float(np.mean([max(row.relevances, default=0.0) < floor for row in unrelated])),
            sum(_kept(row, floor) for row in related) / found,
            100 * float(np.mean([_kept(row, floor) / row.gold_rows for row in related])),
        )
        for floor in FLOORS
    }


def _kept(row: Answered, floor: float) -> int:
    return sum(
        gold and relevance >= floor
        for gold, relevance in zip(row.gold, row.relevances, strict=True)
    )


def _ask(memory: Memory, suite: Suite, filed: Filed) -> Iterator[Answered]:
    unrelated: list[str] = json.loads(UNRELATED.read_text("utf-8"))["questions"]
    for number, talk in enumerate(suite.conversations):
        project = filed.project_of[talk.id]
        tuning = len(suite.conversations) > 1 and number % 2 == 0
        for question in talk.questions:
            if question.category not in suite.apart:
                gold = filed.gold(talk, question)
                yield _answer(memory, suite.name, tuning, project, question.text, gold)
        for text in unrelated[not tuning :: 2]:
            yield _answer(memory, suite.name, tuning, project, text, frozenset())


def _answer(
    memory: Memory, suite: str, tuning: bool, project: str, text: str, gold: frozenset[str]
) -> Answered:
    hits = memory.search.search_memory(
        text, project_id=project, limit=HITS, min_relevance=0, explain=True
    ).hits
    return Answered(
        suite=suite,
        tuning=tuning,
        gold_rows=len(gold),
        relevances=tuple(hit.relevance for hit in hits),
        gold=tuple(hit.id in gold for hit in hits),
        best=_best(hits),
    )


def _best(hits: Sequence[SearchHit]) -> tuple[float, float, float]:
    explained = [hit.explain for hit in hits if hit.explain is not None]
    return (
        max((each.vector_score for each in explained), default=0.0),
        max((min(each.lexical_share, 1.0) for each in explained), default=0.0),
        max((float(each.link > 0) for each in explained), default=0.0),
    )


if __name__ == "__main__":
    sys.exit(main())
