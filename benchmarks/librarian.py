"""Cost of a librarian cycle by size: ``python -m benchmarks.librarian``.

Builds memories of several sizes from groups of similar entities with two facts
each, runs a cycle over each in a process of its own, and prints how long each
part took, what it found and its additional memory. Then
asks one of them, in the same process, for its tools and for an answer: while
nothing runs, and while a cycle runs. Vectors come from a hashing embedder, as
long and as many as a model's. The ratio of the two is what a user notices.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import resource
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from itertools import count, islice, pairwise
from pathlib import Path
from typing import Any

import anyio
import numpy as np
from mcp import Client

from memory_core.memory import Memory, open_memory
from memory_core.model.graph.entities import Entity, Observation
from memory_core.server.app import build_server
from memory_core.storage.graph import entities, observations

from .corpus import HashingEmbedder, vocabulary

# Similar entities, and the words unique to each.
GROUP = 20
OWN_WORDS = 4
SHARED_WORDS = 12
WRITTEN = 1000

# Questions a second, as of one busy user, and seconds without a cycle.
PAUSE = 0.05
IDLE_SECONDS = 10.0

# Above the idle time, at the median, before a user would notice.
GOAL = 3.0


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[5_000, 20_000, 50_000])
    parser.add_argument("--during", type=int, default=20_000, help="0 leaves the second part out")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args(arguments)
    result: dict[str, Any] = {"cycles": {}, "during": {}}
    for size in given.sizes:
        result["cycles"][size] = _apart(_cycle, size)
        _print_cycle(size, result["cycles"][size])
    if given.during:
        result["during"] = _apart(_beside, given.during)
        _print_beside(given.during, result["during"])
    if given.json:
        given.json.write_text(json.dumps(result, indent=1, sort_keys=True) + "\n")
    return 0


def build(memory: Memory, size: int) -> None:
    """Fill a memory with groups of similar entities and embed everything."""
    draw = np.random.default_rng(5)
    words = np.array(vocabulary())
    for start in range(0, size, WRITTEN):
        with memory.db.write("build") as connection:
            for number in range(start, min(start + WRITTEN, size)):
                entity, facts = _entity(number, words, draw)
                entities.insert(connection, entity)
                for fact in facts:
                    observations.insert(connection, entity, fact)
    memory.catch_up()


def _entity(
    number: int, words: np.ndarray[Any, Any], draw: np.random.Generator
) -> tuple[Entity, list[Observation]]:
    shared = words[np.random.default_rng(number // GROUP).integers(0, len(words), SHARED_WORDS)]
    own = words[draw.integers(0, len(words), (3, OWN_WORDS))]
    moment = {"created_at": moment_of(number), "updated_at": moment_of(number)}
    entity = Entity(
        row_id=f"e{number:07}",
        id=f"e{number:07}",
        project_id="default",
        name=" ".join([*shared[:2], *own[0][:2], f"n{number}"]),
        node_type="technology" if number % 3 else "service",
        **moment,
    )
    texts = [" ".join([*shared, *own[1]]), " ".join([*shared[::-1], *own[2]])]
    return entity, [
        Observation(id=f"o{number:07}{part}", entity_id=entity.id, content=text, **moment)
        for part, text in enumerate(texts)
    ]


def moment_of(number: int) -> datetime:
    return datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=number)


def _apart(measure: Callable[[int], dict[str, Any]], size: int) -> dict[str, Any]:
    """Return what *measure* finds in a new process: peak memory is a process's own."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(measure, (size,))


def _cycle(size: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        memory = open_memory(path=Path(folder) / "memory.db", embedder=HashingEmbedder())
        build(memory, size)
        steps: list[tuple[float, str]] = []
        before, started, cpu = _megabytes(), time.perf_counter(), time.process_time()

        def listen(done: int, total: int, message: str) -> None:
            if not steps or steps[-1][1] != message:
                steps.append((time.perf_counter(), message))

        report = memory.librarian.run_cycle(progress=listen)
        seconds, spent = time.perf_counter() - started, time.process_time() - cpu
        again = time.perf_counter()
        second = memory.librarian.run_cycle()
        found = {
            "seconds": seconds,
            "cpu_seconds": spent,
            "steps": _durations(steps),
            "peak_mb": _peak(),
            "before_mb": before,
            "counts": report.cycle.counts,
            "second_seconds": time.perf_counter() - again,
            "second_status": second.cycle.status,
        }
        memory.close()
        return found


def _beside(size: int) -> dict[str, Any]:
    """Return what a client waits for its tools and for an answer, idle and during a cycle."""
    with tempfile.TemporaryDirectory() as folder:
        memory = open_memory(path=Path(folder) / "memory.db", embedder=HashingEmbedder())
        build(memory, size)
        found = anyio.run(_ask_server, memory)
        memory.close()
        return found


async def _ask_server(memory: Memory) -> dict[str, Any]:
    words = vocabulary()
    questions = (" ".join(words[n * 97 % len(words) :][:4]) for n in count())
    async with Client(build_server(memory, memory.settings)) as client:
        # Once each unmeasured: indexes and schemas are made at their first use.
        for question in islice(questions, 3):
            await client.call_tool("search_memory", {"query": question})
            await client.list_tools()
        end = time.perf_counter() + IDLE_SECONDS
        idle = await _paces(client, questions, lambda: time.perf_counter() > end)
        cycle = threading.Thread(target=memory.librarian.run_cycle)
        cycle.start()
        busy = await _paces(client, questions, lambda: not cycle.is_alive())
        cycle.join()
    return {"idle": idle, "busy": busy}


async def _paces(
    client: Client, questions: Any, is_over: Callable[[], bool]
) -> dict[str, list[float]]:
    """Ask for both in turn until it is over; return the milliseconds each took."""
    took: dict[str, list[float]] = {"tools/list": [], "search_memory": []}
    while not is_over():
        started = time.perf_counter()
        await client.list_tools()
        took["tools/list"].append(1000 * (time.perf_counter() - started))
        started = time.perf_counter()
        await client.call_tool("search_memory", {"query": next(questions)})
        took["search_memory"].append(1000 * (time.perf_counter() - started))
        await anyio.sleep(PAUSE)
    return took


def _durations(steps: list[tuple[float, str]]) -> dict[str, float]:
    found: dict[str, float] = {}
    for (begun, message), (ended, _) in pairwise(steps):
        found[message] = found.get(message, 0.0) + ended - begun
    return found


def _megabytes() -> float:
    """Return the memory this process has now."""
    with open("/proc/self/statm", encoding="ascii") as pages:
        return int(pages.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def _print_cycle(size: int, found: dict[str, Any]) -> None:
    print(
        f"{size:>7,} entities: {found['seconds']:.1f} s, {found['cpu_seconds']:.1f} s of CPU, "
        f"{1e3 * found['cpu_seconds'] / size:.2f} ms an entity, peak {found['peak_mb']:.0f} MB "
        f"({found['before_mb']:.0f} MB before); again: {1e3 * found['second_seconds']:.0f} ms, "
        f"{found['second_status']}"
    )
    print("         " + ", ".join(f"{name} {took:.1f} s" for name, took in found["steps"].items()))
    print("         " + ", ".join(f"{name} {n:,}" for name, n in found["counts"].items()))


def _print_beside(size: int, found: dict[str, Any]) -> None:
    print(f"during a cycle over {size:,} entities, milliseconds (p50 | p95):")
    for name in ("tools/list", "search_memory"):
        idle, busy = found["idle"][name], found["busy"][name]
        ratio = statistics.median(busy) / statistics.median(idle)
        print(
            f"  {name:<14} idle {_format_times(idle)}  busy {_format_times(busy)}  x {ratio:.2f}"
            f"  ({'within' if ratio <= GOAL else 'over'} the goal of {GOAL:.0f})"
        )


def _format_times(took: list[float]) -> str:
    return f"{np.percentile(took, 50):7.2f} | {np.percentile(took, 95):7.2f}"


if __name__ == "__main__":
    raise SystemExit(main())
