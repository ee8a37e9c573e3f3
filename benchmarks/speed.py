"""Cost of writes, searches and starts: ``python -m benchmarks.speed``.

Each figure is printed with the cost of its parts alone in the same run, because a
ratio means the same on another machine and a millisecond does not. CPU is that
of this process; p50 is the median.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from memory_core.memory import Memory
from memory_core.search.models import choose_engine
from memory_core.settings import Settings

from . import bare, corpus
from .corpus import HashingEmbedder, Timed
from .datasets import Conversation, Suite
from .fingerprint import fingerprint
from .start import cold_start, command_start, middle
from .store import KeptEmbedder, fill, open_store, settle

SIZES = (1_000, 10_000, 100_000)
PROJECT = "speed"
SEED = 11
# Searches whose cost is taken, after as many that warm caches up.
ASKED = 200
WARM = 50
# Cold starts, of which the median is reported: other programs disturb a single one.
STARTS = 5
START_ROWS = 300

# What the project promises, in milliseconds of CPU and seconds of waiting.
WRITE_GOAL_MS = 1.0
SEARCH_GOAL_MS = 3.0
START_GOAL_S = 1.0

Figures = dict[str, float]


@dataclass(frozen=True)
class AtSize:
    """What searching a store of some size costs."""

    rows: int
    write_ms: float
    total: Figures
    beyond: Figures
    stages: dict[str, Figures]
    alone: dict[str, Figures]
    bytes_per_row: float

    @property
    def own_ms(self) -> float:
        """CPU beyond the query's embedding and a bare FTS5 query of the same terms."""
        return self.beyond["p50"] - self.alone["fts5"]["p50"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and write what was asked for."""
    given = parser().parse_args(arguments)
    result: dict[str, object] = {}
    with tempfile.TemporaryDirectory(prefix="speed-") as folder:
        where = Path(folder)
        if not given.no_write:
            result["write"] = print_write(write_cost(where / "write.db", given.items))
        sizes = [at_size(where / f"{size}.db", size) for size in given.sizes]
        for size in sizes:
            print_size(size)
        result["sizes"] = [as_json(size) for size in sizes]
        if not given.no_start:
            result["start"] = print_start(measure_start(where / "start.db"))
    result["fingerprint"] = fingerprint(
        model="hashing", files=(), settings={"sizes": list(given.sizes)}, seed=SEED
    )
    if given.json:
        given.json.write_text(json.dumps(result, indent=1, sort_keys=True) + "\n", "utf-8")
    return 0


def parser() -> argparse.ArgumentParser:
    asked = argparse.ArgumentParser(prog="python -m benchmarks.speed", description=__doc__)
    asked.add_argument("--sizes", type=int, nargs="*", default=list(SIZES), help="rows of stores")
    asked.add_argument("--items", type=int, default=1_000, help="rows written with the real model")
    asked.add_argument("--json", type=Path, metavar="FILE", help="write the result")
    asked.add_argument("--no-write", action="store_true", help="leave the write cost out")
    asked.add_argument("--no-start", action="store_true", help="leave the cold start out")
    return asked


def write_cost(path: Path, items: int) -> Figures:
    """Return milliseconds of CPU an item: all, its encoding, the rest; and a bare encode's."""
    settings = Settings()
    real = choose_engine(settings.embedding_model, settings.embedding_engine)
    real.embed(["warm up"])
    texts = [row.text for row in corpus.rows(min(items, 200), seed=SEED + 1)]
    alone = bare.encode(real, texts)
    started = time.process_time()
    real.embed(texts)
    batch = 1000 * (time.process_time() - started) / len(texts)
    embedder = KeptEmbedder(real)
    memory = open_store(path, embedder, settings)
    try:
        started = time.process_time()
        fill(memory, suite_of(items), "project")
        settle(memory)
        spent = 1000 * (time.process_time() - started) / items
    finally:
        memory.close()
    encode = 1000 * embedder.cpu / items
    return {
        "items": float(items),
        "cpu_ms": spent,
        "encode_ms": encode,
        "rest_ms": spent - encode,
        "bare_encode_one_ms": alone["p50"],
        "bare_encode_batch_ms": batch,
    }


def at_size(path: Path, count: int) -> AtSize:
    """Fill a store with *count* rows and ask it."""
    rows = corpus.rows(count, seed=SEED)
    queries = corpus.queries(WARM + ASKED)
    embedder = Timed(HashingEmbedder())
    memory = open_store(path, embedder, Settings())
    try:
        began, encoded = time.process_time(), embedder.seconds
        fill(memory, Suite("speed", (Conversation(PROJECT, tuple(rows), ()),)), "project")
        settle(memory)
        spent = time.process_time() - began - (embedder.seconds - encoded)
        total, beyond, stages = ask(memory, queries, embedder)
    finally:
        memory.close()
    taken = sum(file.stat().st_size for file in path.parent.glob(f"{path.name}*"))
    vectors = embedder.embed([row.text for row in rows])
    asked = queries[WARM:]
    query_vectors = embedder.embed(asked)
    return AtSize(
        rows=count,
        write_ms=1000 * spent / count,
        total=bare.percentiles(total),
        beyond=bare.percentiles(beyond),
        stages={name: bare.percentiles(took) for name, took in stages.items()},
        alone={
            "fts5": bare.full_text(rows, asked),
            "numpy": bare.brute_force(vectors, query_vectors),
            "turbovec": bare.turbovec(vectors, query_vectors),
        },
        bytes_per_row=taken / count,
    )


def ask(
    memory: Memory, queries: Sequence[str], embedder: Timed
) -> tuple[list[float], list[float], dict[str, list[float]]]:
    """Return CPU of each search, the same without embedding, and wall clock by stage."""
    total, beyond = [], []
    stages: dict[str, list[float]] = defaultdict(list)
    for number, query in enumerate(queries):
        began, embedded = time.process_time(), embedder.seconds
        result = memory.search.search_memory(query, project_id=PROJECT, limit=10)
        spent = 1000 * (time.process_time() - began)
        if number < WARM:
            continue
        total.append(spent)
        beyond.append(spent - 1000 * (embedder.seconds - embedded))
        for stage, took in result.took.items():
            stages[stage].append(took)
    return total, beyond, dict(stages)


def measure_start(path: Path) -> Figures:
    """Return the cold start of a server on a small store with real vectors."""
    settings = Settings()
    embedder = choose_engine(settings.embedding_model, settings.embedding_engine)
    memory = open_store(path, embedder, settings)
    try:
        fill(memory, suite_of(START_ROWS), "project")
        settle(memory)
    finally:
        memory.close()
    query = corpus.queries(1)[0]
    return {
        **middle([cold_start(path, query) for _ in range(STARTS)]),
        **middle([command_start(path) for _ in range(STARTS)]),
    }


def suite_of(count: int) -> Suite:
    talk = Conversation(PROJECT, tuple(corpus.rows(count, seed=SEED)), ())
    return Suite("speed", (talk,))


def verdict(value: float, goal: float, unit: str) -> str:
    """Say whether a value is within its goal."""
    if value <= goal:
        return f"goal {goal:g} {unit}: met"
    return f"goal {goal:g} {unit}: missed by {value - goal:.2f}, {value / goal:.1f} times"


def print_write(cost: Figures) -> Figures:
    print(f"write, CPU ms an item over {cost['items']:.0f} items with the real model")
    print(f"  in all {cost['cpu_ms']:.2f}, of it encoding {cost['encode_ms']:.2f}")
    print(
        f"  bare encode: {cost['bare_encode_one_ms']:.2f} one at a time,"
        f" {cost['bare_encode_batch_ms']:.2f} in a batch"
    )
    print(f"  the rest {cost['rest_ms']:.2f}  {verdict(cost['rest_ms'], WRITE_GOAL_MS, 'ms')}")
    return cost


def print_size(size: AtSize) -> None:
    print(f"search in {size.rows:,} rows ({size.bytes_per_row:,.0f} bytes a row on disk)")
    print(f"  written at {size.write_ms:.2f} ms CPU a row, encoding left out")
    both = "  {:<34} p50 {:>8.2f}  p95 {:>8.2f} ms"
    print(both.format("in all, CPU", *size.total.values()))
    print(both.format("beyond the query's embedding, CPU", *size.beyond.values()))
    for name, took in sorted(size.stages.items(), key=lambda one: -one[1]["p50"]):
        print(both.format(f"  stage {name}, wall clock", *took.values()))
    for name, cost in size.alone.items():
        ratio = size.beyond["p50"] / max(cost["p50"], 1e-6)
        print(both.format(f"bare {name}, CPU", *cost.values()) + f"  ours is {ratio:.1f} times")
    line = f"  beyond embedding and bare FTS5: p50 {size.own_ms:.2f} ms CPU"
    print(f"{line}  {verdict(size.own_ms, SEARCH_GOAL_MS, 'ms')}")


def print_start(cost: Figures) -> Figures:
    print("cold start over stdio")
    for name, value in cost.items():
        print(f"  {name:<28} {value:>8.2f}")
    print(f"  initialize {verdict(cost['initialize_s'], START_GOAL_S, 's')}")
    return cost


def as_json(size: AtSize) -> dict[str, object]:
    return {
        "rows": size.rows,
        "write_ms": size.write_ms,
        "total": size.total,
        "beyond_embedding": size.beyond,
        "beyond_embedding_and_fts5_p50": size.own_ms,
        "stages": size.stages,
        "alone": size.alone,
        "bytes_per_row": size.bytes_per_row,
    }


if __name__ == "__main__":
    sys.exit(main())
