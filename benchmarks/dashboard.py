"""Time to open each dashboard page: ``python -m benchmarks.dashboard``.

Starts the real program over a memory of 20,000 entities and over an empty one, and opens
each page in headless Chromium until what it is for is there. A first visit comes after a
change, so that nothing the pages keep is of use; a second one comes right after it. Next to
the milliseconds stands by how many times the empty memory's page is faster, since that
means the same on another machine, and what the visit costs the server in CPU.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from memory_core.memory import Memory, open_memory
from memory_core.model.search.vectors import ModelIdentity
from memory_core.search.models import choose_engine
from memory_core.settings import Settings
from tests.browser.running import FLAGS, chromium, free_port, start, wait_for

from . import big_store
from .corpus import HashingEmbedder, Vectors
from .fingerprint import fingerprint

PAGES = (
    *("overview", "graph", "search", "time_travel", "entity", "curate", "memories", "documents"),
    *("bottles", "librarian", "groups", "latency", "maintenance", "server"),
)
GOAL_MS = 1000.0
ROUNDS = 5
PATIENCE_MS = 120_000
# Clock ticks a second in /proc, on every Linux.
TICKS = 100
PROJECT = "atlas"

# The script has ended, a heading stands there, and on the graph its nodes do.
_THERE = """
(page) => {
  const app = document.querySelector('[data-testid=stApp]');
  const ready = app && app.getAttribute('data-test-script-state') === 'notRunning'
    && document.querySelector('h1');
  if (!ready) return false;
  if (page !== 'graph' || document.body.innerText.includes('There is no graph yet')) return true;
  return Boolean(window.memoryGraph && window.memoryGraph.body.nodeIndices.length);
}
"""


@dataclass
class Visits:
    """Milliseconds until a page was there, and of the server's CPU, by page."""

    first: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    second: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    cpu_first: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    cpu_second: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))


@dataclass(frozen=True)
class Disguised:
    """Hashed vectors under a model's name: as long and as many as its own, made in seconds."""

    inner: HashingEmbedder
    name: ModelIdentity

    def embed(self, texts: Sequence[str]) -> Vectors:
        return self.inner.embed(texts)

    def identity(self) -> ModelIdentity:
        return self.name


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and write what was asked for."""
    given = parser().parse_args(arguments)
    settings = Settings()
    identity = choose_engine(settings.embedding_model, settings.embedding_engine).identity()
    model = Disguised(HashingEmbedder(dimension=identity.dimension), identity)
    with tempfile.TemporaryDirectory(prefix="dashboard-") as folder:
        big, empty = Path(folder) / "big", Path(folder) / "empty"
        for place in (big, empty):
            place.mkdir()
        big_store.build(big / "memory.db", model, spread=big_store.Spread(entities=given.entities))
        pages = given.page or PAGES
        visits = measure_pages(big, model, pages, rounds=given.rounds)
        plain = measure_pages(empty, model, pages, rounds=given.rounds)
    rows = [row_of(page, visits, plain) for page in pages]
    print_rows(rows, given.entities)
    if given.json:
        mark = fingerprint(
            model="hashing", files=(), settings={"entities": given.entities}, seed=big_store.SEED
        )
        result = {"entities": given.entities, "pages": rows, "fingerprint": mark}
        given.json.write_text(json.dumps(result, indent=1, sort_keys=True) + "\n", "utf-8")
    return 0


def parser() -> argparse.ArgumentParser:
    asked = argparse.ArgumentParser(prog="python -m benchmarks.dashboard", description=__doc__)
    asked.add_argument("--entities", type=int, default=big_store.ENTITIES)
    asked.add_argument("--rounds", type=int, default=ROUNDS, help="visits of which the median is")
    asked.add_argument("--page", choices=PAGES, action="append", help="only this one; again: too")
    asked.add_argument("--json", type=Path, metavar="FILE", help="write the result")
    return asked


def measure_pages(folder: Path, model: Disguised, pages: Sequence[str], *, rounds: int) -> Visits:
    """Return what the pages take over the memory in *folder*; one round is not counted."""
    visits = Visits()
    memory = open_memory(path=folder / "memory.db", embedder=model)
    try:
        with serving(folder) as (address, pid), browsing() as browser:
            context = browser.new_context(viewport={"width": 1280, "height": 900})
            page = context.new_page()
            for number in range(rounds + 1):
                for name in pages:
                    touch(memory, empty=folder.name == "empty", number=number)
                    where = f"{address}/{address_of(name, memory)}"
                    figures = [visit(page, where, pid, name) for _ in range(2)]
                    if number:
                        keep(visits, name, figures)
            context.close()
    finally:
        memory.close()
    return visits


@contextmanager
def serving(folder: Path) -> Iterator[tuple[str, int]]:
    """Yield address and process of a dashboard over the memory in *folder*."""
    port = free_port()
    with (folder / "log").open("wb") as log:
        process = start(folder, port, log=log)
        try:
            wait_for(f"http://127.0.0.1:{port}/_stcore/health", process)
            yield f"http://127.0.0.1:{port}", process.pid
        finally:
            process.terminate()
            process.wait(30)


@contextmanager
def browsing() -> Iterator[Browser]:
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium(), args=FLAGS)
        yield browser
        browser.close()


def touch(memory: Memory, *, empty: bool, number: int) -> None:
    """Change something, so that what the pages keep is out of date."""
    if empty:
        # A bottle that is read: the pages of entities stay as they are without any.
        made = memory.bottles.create_bottle(f"note {number} {time.monotonic_ns()}")
        memory.bottles.acknowledge_bottles(made.bottle.id)
    else:
        known = memory.graph.list_entities(project_id=PROJECT, limit=1).entities[0]
        memory.graph.update_entity(
            known.id, project_id=PROJECT, properties={"seen": time.monotonic_ns()}
        )


def address_of(name: str, memory: Memory) -> str:
    """Return the path of a page; an entity's is that of the one with the most about it."""
    if name == "entity":
        nodes = memory.atlas.most_salient(project_id=PROJECT, limit=1).nodes
        return f"entity?project={PROJECT}&entity={nodes[0].id if nodes else 'missing'}"
    return "" if name == "overview" else name


def visit(page: Page, address: str, pid: int, name: str) -> tuple[float, float]:
    """Open a page; return milliseconds until it is there and of CPU that the server spent."""
    before = cpu_of(pid)
    started = time.perf_counter()
    page.goto(address, wait_until="commit")
    page.wait_for_function(_THERE, arg=name, timeout=PATIENCE_MS)
    return 1000 * (time.perf_counter() - started), cpu_of(pid) - before


def cpu_of(pid: int) -> float:
    """Return milliseconds of CPU that a process has used; 0 where there is no /proc."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text("utf-8").rsplit(")", 1)[1].split()
    except OSError:
        return 0.0
    return 1000 * (int(fields[11]) + int(fields[12])) / TICKS


def keep(visits: Visits, name: str, figures: Sequence[tuple[float, float]]) -> None:
    (first, cpu_first), (second, cpu_second) = figures
    visits.first[name].append(first)
    visits.second[name].append(second)
    visits.cpu_first[name].append(cpu_first)
    visits.cpu_second[name].append(cpu_second)


def row_of(name: str, visits: Visits, plain: Visits) -> dict[str, float | str]:
    """Return the medians of one page, and how many times the empty one's they are."""
    first, second = statistics.median(visits.first[name]), statistics.median(visits.second[name])
    return {
        "page": name,
        "first_ms": first,
        "second_ms": second,
        "first_times_empty": first / statistics.median(plain.first[name]),
        "second_times_empty": second / statistics.median(plain.second[name]),
        "cpu_first_ms": statistics.median(visits.cpu_first[name]),
        "cpu_second_ms": statistics.median(visits.cpu_second[name]),
    }


def print_rows(rows: Sequence[dict[str, float | str]], entities: int) -> None:
    print(f"pages over {entities:,} entities: median ms until there, times the empty memory's")
    head = ("first", "times", "second", "times", "CPU first", "second")
    print(f"{'':<13}{head[0]:>8}{head[1]:>7}{head[2]:>8}{head[3]:>7}{head[4]:>11}{head[5]:>8}")
    for row in rows:
        print(
            f"{row['page']:<13}{row['first_ms']:>8.0f}{row['first_times_empty']:>7.2f}"
            f"{row['second_ms']:>8.0f}{row['second_times_empty']:>7.2f}"
            f"{row['cpu_first_ms']:>11.0f}{row['cpu_second_ms']:>8.0f}"
        )
    slow = [str(row["page"]) for row in rows if float(row["first_ms"]) > GOAL_MS]
    print(f"goal {GOAL_MS:.0f} ms: {'missed by ' + ', '.join(slow) if slow else 'met by all'}")


if __name__ == "__main__":
    sys.exit(main())
