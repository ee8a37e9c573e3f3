"""
Time that another process waits for the write lock while large records are written.

A second process takes and releases the lock continuously. Its longest wait is printed next to the
wall time of the whole write, so the ratio is independent of the machine.
"""

from __future__ import annotations

import argparse
import multiprocessing
import tempfile
import time
from collections.abc import Callable, Sequence
from multiprocessing.synchronize import Event
from pathlib import Path

import apsw

from memory_core.memory import Memory, open_memory

from .corpus import HashingEmbedder

OBSERVATIONS = 20_000


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=float, default=5.0)
    options = parser.parse_args(arguments)
    text = _text(int(options.megabytes * 1_000_000))
    facts = [f"Fact {number}: {text[number : number + 60]}" for number in range(OBSERVATIONS)]
    writes: dict[str, Callable[[Memory], object]] = {
        f"document of {options.megabytes:g} MB": lambda memory: memory.knowledge.add_document(
            "Long", text
        ),
        f"entity of {OBSERVATIONS:,} observations": lambda memory: memory.graph.create_entity(
            "Large", "service", observations=facts
        ),
        "its deletion": lambda memory: memory.graph.delete_entity("large"),
        "undo of the deletion": _undo_last,
    }
    with tempfile.TemporaryDirectory() as folder:
        memory = open_memory(path=Path(folder) / "memory.db", embedder=HashingEmbedder())
        print(f"{'write':<36}{'wall s':>9}{'longest wait s':>16}{'share':>8}")
        for name, write in writes.items():
            whole, longest = _measure(memory, write)
            print(f"{name:<36}{whole:>9.2f}{longest:>16.3f}{longest / whole:>8.1%}")
        memory.close()
    return 0


def _undo_last(memory: Memory) -> object:
    (event,) = memory.timelines.list_events(order="DESC", limit=1).events
    return memory.undo.undo(event.batch_id)


def _measure(memory: Memory, write: Callable[[Memory], object]) -> tuple[float, float]:
    """Return the wall seconds of a write, and the longest wait of the other process."""
    context = multiprocessing.get_context("spawn")
    ready, stop = context.Event(), context.Event()
    waits: multiprocessing.Queue[float] = context.Queue()
    other = context.Process(target=_take_lock, args=(memory.db.path, ready, stop, waits))
    other.start()
    ready.wait()
    start = time.perf_counter()
    write(memory)
    whole = time.perf_counter() - start
    stop.set()
    longest = waits.get()
    other.join()
    return whole, longest


def _take_lock(path: Path, ready: Event, stop: Event, waits: multiprocessing.Queue[float]) -> None:
    connection = apsw.Connection(str(path))
    connection.set_busy_timeout(60_000)
    longest = 0.0
    ready.set()
    while not stop.is_set():
        start = time.perf_counter()
        connection.execute("begin immediate; rollback")
        longest = max(longest, time.perf_counter() - start)
        time.sleep(0.005)
    connection.close()
    waits.put(longest)


def _text(characters: int) -> str:
    lines = [f"Line {n}: the quick fox number {n * 7919} jumps." for n in range(characters // 40)]
    return "\n".join(lines)[:characters]


if __name__ == "__main__":
    raise SystemExit(main())
