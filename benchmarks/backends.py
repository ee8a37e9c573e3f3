"""Cost and recall of the vector backends: ``python -m benchmarks.backends``.

The same clustered vectors and queries go to each of them; the queries are taken in turn
by all, so that other programs disturb them equally. Time is CPU of this process for a
search and the exact rescoring of its best, as a multiple of exact numpy's; recall is of
numpy's ten, before and after the rescoring.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from memory_core.model.search.vectors import BackendKind
from memory_core.search.backends.factory import make_backend
from memory_core.search.backends.protocol import Ids, Matrix, VectorBackend

KINDS: tuple[BackendKind, ...] = ("exact", "turbovec", "sqlite-vec")
SIZES = (10_000, 50_000)
DIMENSION = 384
QUERIES = 100
# As a search does it: so many are fetched, so many of them rescored, and ten wanted.
FETCHED, RESCORED, WANTED = 200, 60, 10
# The share of the vectors that a filter leaves.
FILTERED = 0.01
# Ids of pieces are that far apart.
APART = 1 << 24


@dataclass(frozen=True)
class Figures:
    """What one backend did with one size; times are medians, in milliseconds of CPU."""

    kind: BackendKind
    vectors: int
    filtered: bool
    build_s: float
    search_ms: float
    times_exact: float
    recall_raw: float
    recall: float


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and write what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--queries", type=int, default=QUERIES)
    parser.add_argument("--out", type=Path, help="Write the figures as JSON.")
    given = parser.parse_args(arguments)
    found: list[Figures] = []
    print(f"{'':<12}{'vectors':>9}{'filter':>8}{'build s':>9}{'ms':>9}{'x exact':>9}", end="")
    print(f"{'raw':>8}{'rescored':>10}")
    for size in given.sizes:
        for figures in at_size(size, given.queries):
            found.append(figures)
            print(_line(figures))
    if given.out:
        given.out.write_text(json.dumps([asdict(each) for each in found], indent=1) + "\n")
    return 0


def at_size(size: int, queries: int) -> list[Figures]:
    vectors = clustered_vectors(size, seed=1)
    ids = np.arange(1, size + 1, dtype=np.uint64) * APART
    built, seconds = {}, {}
    for kind in KINDS:
        started = time.process_time()
        built[kind] = make_backend(kind, DIMENSION)
        built[kind].add(ids, vectors)
        seconds[kind] = time.process_time() - started
    allowed = np.sort(np.random.default_rng(2).choice(ids, int(size * FILTERED), replace=False))
    return [
        figures
        for allowlist in (None, allowed)
        for figures in _ask_backends(
            built, seconds, vectors, clustered_vectors(queries, seed=3), allowlist
        )
    ]


def clustered_vectors(count: int, seed: int) -> Matrix:
    """Return unit vectors around a few hundred centres, which are the same for every seed."""
    random = np.random.default_rng(seed)
    centres = np.random.default_rng(0).standard_normal((300, DIMENSION))
    rows = centres[random.integers(300, size=count)]
    rows = rows + 0.7 * random.standard_normal((count, DIMENSION))
    unit: Matrix = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return unit


def _ask_backends(
    built: dict[BackendKind, VectorBackend],
    seconds: dict[BackendKind, float],
    vectors: Matrix,
    queries: Matrix,
    allowed: Ids | None,
) -> list[Figures]:
    cost, raw, after = defaultdict(list), defaultdict(list), defaultdict(list)
    for query in queries:
        best: set[int] = set()
        for kind in KINDS:
            started = time.process_time_ns()
            found, _ = built[kind].search(query, FETCHED, allowed=allowed)
            exact = found[:RESCORED] if kind == "exact" else _rescore(vectors, found, query)
            cost[kind].append((time.process_time_ns() - started) / 1e6)
            best = best or set(exact[:WANTED].tolist())
            raw[kind].append(len(best & set(found[:WANTED].tolist())) / WANTED)
            after[kind].append(len(best & set(exact[:WANTED].tolist())) / WANTED)
    middle = {kind: statistics.median(cost[kind]) for kind in KINDS}
    return [
        Figures(
            kind=kind,
            vectors=len(vectors),
            filtered=allowed is not None,
            build_s=seconds[kind],
            search_ms=middle[kind],
            times_exact=middle[kind] / middle["exact"],
            recall_raw=statistics.mean(raw[kind]),
            recall=statistics.mean(after[kind]),
        )
        for kind in KINDS
    ]


def _rescore(vectors: Matrix, found: Ids, query: Matrix) -> Ids:
    candidates = found[:RESCORED]
    rows = (candidates // APART).astype(np.int64) - 1
    ordered: Ids = candidates[np.argsort(-(vectors[rows] @ query), kind="stable")]
    return ordered


def _line(figures: Figures) -> str:
    return (
        f"{figures.kind:<12}{figures.vectors:>9}{'1 %' if figures.filtered else '-':>8}"
        f"{figures.build_s:>9.2f}{figures.search_ms:>9.3f}{figures.times_exact:>9.2f}"
        f"{figures.recall_raw:>8.3f}{figures.recall:>10.3f}"
    )


if __name__ == "__main__":
    sys.exit(main())
