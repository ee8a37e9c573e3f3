"""Cost of grouping entries: ``python -m benchmarks.groups``.

Entries are made up: topics with words of their own and words that all share, so that
most entries have neighbours and some have many. Prints the time of a whole rebuild at
several sizes, with comparing and percolating measured separately, and what it found.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from memory_core.memory import Memory, open_memory
from memory_core.model.facts.groups import RebuiltGroups

from .corpus import HashingEmbedder, vocabulary

SIZES = (1_000, 10_000)
# A minute for ten thousand entries.
GOAL = 60.0
GOAL_AT = 10_000
# Entries on one topic, on average.
TOPIC = 25
WORDS = 12
SEED = 5


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--threshold", type=float, default=-1)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args(arguments)
    measured = {size: measure(size, given.threshold) for size in given.sizes}
    if given.json:
        given.json.write_text(json.dumps(measured, indent=1) + "\n", "utf-8")
    return 0


def measure(size: int, threshold: float = -1) -> dict[str, float | str]:
    """Fill a memory, group it twice, print and return what that took."""
    with tempfile.TemporaryDirectory() as folder:
        memory = open_memory(path=Path(folder) / "memory.db", embedder=HashingEmbedder())
        fill(memory, size)
        memory.catch_up()
        started = time.perf_counter()
        built = memory.groups.rebuild_groups(threshold)
        seconds = time.perf_counter() - started
        again = memory.groups.rebuild_groups(threshold)
        memory.close()
    show(size, built, again, seconds=seconds)
    return {"seconds": seconds, "kept": again.kept, **built.model_dump(exclude={"user_id"})}


def fill(memory: Memory, size: int) -> None:
    """Write entries on topics of different sizes."""
    draw = np.random.default_rng(SEED)
    words = vocabulary()
    topics = max(size // TOPIC, 1)
    # Few topics have many entries, as anywhere.
    chosen = (topics * draw.random(size) ** 2).astype(int)
    for number, topic in enumerate(chosen.tolist()):
        own = [words[500 + topic * WORDS + place] for place in range(WORDS)]
        said = [own[place] for place in draw.permutation(WORDS)[:6]]
        shared = [words[place] for place in draw.integers(0, 500, 3)]
        tags = [own[place] for place in draw.permutation(WORDS)[:5]]
        summary = f"{' '.join([*said, *shared])} {number}"
        memory.entries.write_entry(summary[:200], tags, category="other")


def show(size: int, built: RebuiltGroups, again: RebuiltGroups, *, seconds: float) -> None:
    print(
        f"{size:,} entries: {seconds:.1f} s, {built.groups} groups, {built.cliques:,} cliques, "
        f"threshold {built.threshold}, {again.kept} kept when rebuilt"
    )
    if built.partial:
        print(f"  partial: {built.partial}")
    if size == GOAL_AT:
        print(f"  goal {GOAL:.0f} s: {'reached' if seconds <= GOAL else 'MISSED'}")


if __name__ == "__main__":
    sys.exit(main())
