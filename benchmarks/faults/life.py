"""
One process that searches and writes for long: what it holds at the start and at the end.

Memory, handles and threads are read from /proc, where there is one. A first stretch is not
counted: what is loaded once, and caches that fill, are no leak.
"""

from __future__ import annotations

import gc
import os
import random
import resource
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from statistics import linear_regression

from memory_core.memory import Memory

from .checking import complaints_of
from .worlds import fill, open_small, write_entry

# Of the whole time, what is let pass before the first figure.
_SETTLING = 0.1
_FIGURES = 60
_KEPT = 400


@dataclass(frozen=True)
class Held:
    """What the process holds at a moment."""

    seconds: float
    kilobytes: int
    handles: int
    threads: int


@dataclass
class Life:
    """What it held all along."""

    rounds: int = 0
    figures: list[Held] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    @property
    def kilobytes_an_hour(self) -> float:
        """The slope of the line through the figures; 0 if they are all of one moment."""
        times = [figure.seconds for figure in self.figures]
        if len(set(times)) < 2:
            return 0.0
        return 3600 * linear_regression(times, [each.kilobytes for each in self.figures]).slope

    def at(self, share: float) -> Held:
        """Return the figure at a share of the way."""
        return self.figures[int(share * (len(self.figures) - 1))]


def live(path: Path, *, minutes: float = 0, rounds: int = 0) -> Life:
    """Search and write for so long, or so often; the memory stays of one size meanwhile."""
    life, chance = Life(), random.Random(5)
    memory = open_small(path)
    fill(memory, 20)
    memory.warm()
    started, whole = time.monotonic(), minutes * 60
    while not _is_over(life, started, whole, rounds):
        _one_round(memory, life.rounds, chance)
        life.rounds += 1
        done = max(
            life.rounds / rounds if rounds else 0,
            (time.monotonic() - started) / whole if whole else 0,
        )
        wanted = (done - _SETTLING) / (1 - _SETTLING) * _FIGURES
        if wanted >= len(life.figures):
            gc.collect()
            life.figures.append(_held_resources(time.monotonic() - started))
    life.figures.append(_held_resources(time.monotonic() - started))
    memory.telemetry.flush()
    life.complaints = complaints_of(memory)
    memory.close()
    return life


def _is_over(life: Life, started: float, whole: float, rounds: int) -> bool:
    if rounds:
        return life.rounds >= rounds
    return time.monotonic() - started >= whole


def _one_round(memory: Memory, number: int, chance: random.Random) -> None:
    """Write something and take something away, search in three ways, and do it from a thread."""
    slot = number % _KEPT
    name = f"slot {slot}"
    made = memory.graph.create_entity(name, "technology", observations=[f"fact {number}"])
    entry = write_entry(memory, f"entry of round {number}")
    memory.search.search_memory(f"fact {chance.randrange(number + 1)} of rope")
    memory.entry_query.query_entries(f"round {number}")
    memory.graph.list_entities(limit=20)
    memory.entries.delete_entry(entry)
    memory.graph.delete_entity(made.entity.id)
    if number % 10 == 0:
        # As a server does: each thread has a connection, which ends with it.
        asking = threading.Thread(target=memory.search.search_memory, args=(f"rope {number}",))
        asking.start()
        asking.join()
    if number % 200 == 199:
        memory.upkeep.create_backup()


def _held_resources(seconds: float) -> Held:
    proc = Path("/proc/self")
    if not proc.exists():
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        in_kilobytes = most // 1024 if sys.platform == "darwin" else most
        return Held(seconds, in_kilobytes, 0, threading.active_count())
    pages = int((proc / "statm").read_text().split()[1])
    return Held(
        round(seconds, 1),
        pages * os.sysconf("SC_PAGE_SIZE") // 1024,
        len(os.listdir(proc / "fd")),
        len(os.listdir(proc / "task")),
    )
