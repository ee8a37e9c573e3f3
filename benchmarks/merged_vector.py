"""
One vector in place of six: ``python -m benchmarks.merged_vector``.

Prints, at several sizes, the rows, dot products and time of scoring a query against
six vectors an entry and against one; what a write and a query cost a real memory of a
thousand entries, next to a plain encode in the same run; and recall when the rows of a
data set are entries, their five rarest words the tags: by the mean of six cosines (as
VellumMem shipped it), by the cosine with the renormalised vector, and that with BM25.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from memory_core.memory import Memory, open_memory
from memory_core.rules.facts.merged_vectors import merge_vectors
from memory_core.search.embedder import LazyEmbedder
from memory_core.search.models import choose_engine

from . import baselines, corpus, datasets
from .baselines import Rankings, content_words
from .datasets import Conversation, Row, Suite
from .metrics import Record, gold_ranks, summary

DIMENSION = 384
TEXTS = 6
BLOCK = 20_000
REPEATED = 5

# What the ancestor needs on 1,000 entries, in milliseconds of CPU.
WRITE_GOAL = 64.0
QUERY_GOAL = 19.0
ENTRIES = 1_000
MEASURED = 100

Vectors = NDArray[np.float32]
Figures = dict[str, float]
Item = TypeVar("Item")


def main(arguments: Sequence[str] | None = None) -> int:
    given = _parser().parse_args(arguments)
    result: dict[str, object] = {"scoring": {n: print_scoring(n) for n in given.sizes}}
    if not given.no_model:
        embedder = choose_engine("all-MiniLM-L6-v2")
        with tempfile.TemporaryDirectory() as folder:
            result["cost"] = print_cost(open_memory(path=Path(folder) / "m.db", embedder=embedder))
        suites = [datasets.harbour_talk()]
        if given.data:
            suites.append(datasets.locomo_turns(given.data))
        result["recall"] = {suite.name: print_recall(suite, embedder) for suite in suites}
    if given.json:
        given.json.write_text(json.dumps(result, indent=1) + "\n", "utf-8")
    return 0


def print_scoring(entries: int) -> dict[str, Figures]:
    """Score one query against all entries, in both ways; return what each took."""
    six, one = _score_entries(entries, TEXTS), _score_entries(entries, 1)
    print(f"{entries:,} entries")
    for name, took in (("six vectors", six), ("one vector", one)):
        print(
            f"  {name:<12} {took['rows']:>10,.0f} rows {took['products']:>10,.0f} dot products"
            f" {took['ms']:>9.2f} ms"
        )
    print(f"  one takes 1/{six['ms'] / one['ms']:.1f} of the time")
    return {"six": six, "one": one}


def print_cost(memory: Memory) -> Figures:
    """Write and query a real memory of a thousand entries; return CPU milliseconds of each."""
    rows = corpus.rows(ENTRIES + MEASURED)
    for row in rows[:ENTRIES]:
        _write(memory, row)
    memory.catch_up()
    encode = _cpu(lambda row: memory.embedder.embed([row.text]), rows[ENTRIES:])
    write = _cpu(lambda row: _write_row(memory, row), rows[ENTRIES:])
    query = _cpu(lambda text: memory.entry_query.query_entries(text), corpus.queries(MEASURED))
    memory.close()
    cost = {"encode": encode, "write": write, "query": query}
    print(f"CPU at {ENTRIES:,} entries, a plain encode {encode:.1f} ms")
    for name, took, goal in (("write", write, WRITE_GOAL), ("query", query, QUERY_GOAL)):
        verdict = "reached" if took < goal else "MISSED"
        print(f"  {name} {took:.1f} ms, {took / encode:.2f} encodes (goal {goal:.0f}: {verdict})")
    return cost


def print_recall(suite: Suite, embedder: LazyEmbedder) -> dict[str, Figures]:
    """Rank every row of each conversation in three ways; return the means."""
    records: dict[str, list[Record]] = {}
    for talk in suite.conversations:
        for name, ranking in _rankings(talk, embedder).items():
            records.setdefault(name, []).extend(
                Record(q.id, talk.id, q.category, gold_ranks(ranking[q.id], q.gold))
                for q in talk.questions
            )
    means = {name: summary(found) for name, found in records.items()}
    print(f"{suite.name}: {len(next(iter(records.values())))} questions")
    for name, figures in means.items():
        shown = "  ".join(f"{key} {100 * figures[key]:.1f}" for key in ("recall@5", "recall@10"))
        print(f"  {name:<24} {shown}  mrr {figures['mrr']:.3f}")
    return means


def tags_of(rows: Sequence[Row]) -> list[list[str]]:
    """Return the five rarest words of each row; fewer where it has no more."""
    words = [content_words(row.text) for row in rows]
    seen = Counter(word for listed in words for word in listed)
    return [sorted(listed, key=lambda word: (seen[word], word))[: TEXTS - 1] for listed in words]


def _rankings(talk: Conversation, embedder: LazyEmbedder) -> dict[str, Rankings]:
    tags = tags_of(talk.rows)
    texts = list(dict.fromkeys([*(row.text for row in talk.rows), *itertools.chain(*tags)]))
    known = dict(zip(texts, embedder.embed(texts), strict=True))
    made = [
        merge_vectors(np.stack([known[row.text], *(known[tag] for tag in listed)]))
        for row, listed in zip(talk.rows, tags, strict=True)
    ]
    directions = np.stack([vector for vector, _ in made])
    lengths = np.array([norm for _, norm in made])[:, None]
    asked = embedder.embed([question.text for question in talk.questions])
    rows, questions = talk.rows, talk.questions
    renormalised = baselines.cosine(rows, questions, directions, asked)
    return {
        "shipped": baselines.cosine(rows, questions, directions * lengths, asked),
        "renormalised": renormalised,
        "renormalised + lexical": baselines.rrf(renormalised, baselines.bm25(rows, questions)),
    }


def _score_entries(entries: int, each: int) -> Figures:
    random = np.random.default_rng(entries)
    query = random.standard_normal(DIMENSION).astype(np.float32)
    spent = 0.0
    for start in range(0, entries, BLOCK):
        rows = min(BLOCK, entries - start) * each
        block = random.standard_normal((rows, DIMENSION), dtype=np.float32)
        best = math.inf
        for _ in range(REPEATED):
            started = time.perf_counter()
            scores = (block @ query).reshape(-1, each).mean(axis=1)
            best = min(best, time.perf_counter() - started)
        assert len(scores) * each == rows
        spent += best
    return {"rows": entries * each, "products": entries * each, "ms": spent * 1000}


def _write(memory: Memory, row: Row) -> None:
    # Fewer than five different words are filled up with what sets the row apart.
    words = list(dict.fromkeys(content_words(row.text)))[:5]
    tags = [*words, *(f"{row.id}-{n}" for n in range(5 - len(words)))]
    memory.entries.write_entry(row.text[:200], tags, category="other")


def _write_row(memory: Memory, row: Row) -> None:
    _write(memory, row)
    memory.catch_up()


def _cpu(act: Callable[[Item], object], items: Sequence[Item]) -> float:
    """Return the mean milliseconds of CPU of this process for each item."""
    started = time.process_time()
    for item in items:
        act(item)
    return (time.process_time() - started) * 1000 / len(items)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 100_000])
    parser.add_argument("--data", type=Path, help="folder with locomo_dev.json, to measure it too")
    parser.add_argument("--no-model", action="store_true", help="scoring alone, on random vectors")
    parser.add_argument("--json", type=Path)
    return parser


if __name__ == "__main__":
    sys.exit(main())
