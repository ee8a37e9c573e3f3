"""Cost of the bare parts in the same run: encoding, numpy, FTS5, turbovec."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from memory_core.search.embedder import Embedder

from .baselines import any_of, content_words
from .datasets import Row
from .metrics import percentile

Vectors = NDArray[np.float32]

Item = TypeVar("Item")

# Hits that our own channels fetch in a large store.
POOL = 200
BITS = 4

_CREATE = "create virtual table rows using fts5(text, tokenize='porter unicode61')"
_INSERT = "insert into rows(rowid, text) values (?, ?)"
_MATCH = "select rowid, bm25(rows) from rows where rows match ? order by bm25(rows) limit 200"


def percentiles(cost: Sequence[float]) -> dict[str, float]:
    """Return median and 95th percentile of a list of milliseconds."""
    return {"p50": percentile(cost, 0.5), "p95": percentile(cost, 0.95)}


def cpu_each(act: Callable[[Item], object], items: Sequence[Item]) -> dict[str, float]:
    """Return what one call costs in milliseconds of this process's CPU."""
    cost = []
    for item in items:
        started = time.process_time_ns()
        act(item)
        cost.append((time.process_time_ns() - started) / 1e6)
    return percentiles(cost)


def encode(embedder: Embedder, texts: Sequence[str]) -> dict[str, float]:
    """Return the cost of embedding one text at a time."""
    embedder.embed(["warm up"])
    return cpu_each(lambda text: embedder.embed([text]), texts)


def brute_force(vectors: Vectors, queries: Vectors) -> dict[str, float]:
    """Return the cost of comparing a query with every vector and taking the best."""

    def best(query: Vectors) -> Vectors:
        scores: Vectors = vectors @ query
        top = np.argpartition(-scores, min(POOL, len(scores) - 1))[:POOL]
        return scores[top]

    return cpu_each(best, list(queries))


def turbovec(vectors: Vectors, queries: Vectors) -> dict[str, float]:
    """Return the cost of a search of a turbovec index, its estimates not rescored."""
    from turbovec import IdMapIndex

    index = IdMapIndex(vectors.shape[1], BITS)
    index.add_with_ids(vectors, np.arange(len(vectors), dtype=np.uint64))
    k = min(POOL, len(vectors))
    index.search(queries[:1], k)
    return cpu_each(lambda query: index.search(query[None, :], k), list(queries))


def full_text(rows: Sequence[Row], queries: Sequence[str]) -> dict[str, float]:
    """Return the cost of FTS5's own OR query of each query's content words."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(_CREATE)
        connection.executemany(_INSERT, enumerate(row.text for row in rows))
        asked = [any_of(content_words(query)) for query in queries]
        return cpu_each(lambda words: connection.execute(_MATCH, (words,)).fetchall(), asked)
