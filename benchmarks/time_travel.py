"""Cost of as-of queries by audit log size: ``python -m benchmarks.time_travel``.

Builds journals of several sizes, a fifth of them rows and the rest edits of those
rows, and asks each the same questions as of random moments. Rows are written
through the real tables and triggers, without the full text, which the past does
not use. Prints milliseconds of CPU for each question, and by how many of them
the largest journal is slower than the smallest.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memory_core import NotFoundError
from memory_core.clock import format_timestamp
from memory_core.memory import Memory, open_memory

from .corpus import HashingEmbedder

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
STEP = timedelta(seconds=1)
FACTS_EACH = 4
# What the issue of time travel allows, in milliseconds.
GOAL = 5.0

_SIGN = """
update change_context set at = :at, actor = 'benchmark', cause = 'build', batch_id = :at, txn = null
"""
_ENTITY = """
insert into entities (id, project_id, key, folded_key, name, folded_names, node_type, created_at,
    updated_at)
values (:id, 'default', :id, :id, :id, json_array(:id), 'service', :at, :at)
"""
_FACT = """
insert into observations (id, project_id, entity_id, content, digest, created_at, updated_at)
values (:id, 'default', :entity, :content, :id, :at, :at)
"""
_EDIT = """
update observations set content = :content, updated_at = :at where id = :id
"""


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 1_000_000])
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args(arguments)
    measured = {size: _measure_size(size, given.questions) for size in given.sizes}
    _print(measured)
    if given.json:
        given.json.write_text(json.dumps(measured, indent=1))
    return 0


def _measure_size(size: int, questions: int) -> dict[str, float]:
    """Return the median milliseconds of CPU of each question over a journal of *size*."""
    with tempfile.TemporaryDirectory() as folder:
        memory = open_memory(path=Path(folder) / "memory.db", embedder=HashingEmbedder())
        entities = build(memory, size)
        draw = random.Random(7)
        moments = [BEGIN + STEP * draw.randrange(size) for _ in range(questions)]
        keys = [f"e{draw.randrange(entities):07}" for _ in range(questions)]
        found = {
            "one entity as of a moment": _cpu(
                lambda n: memory.history.as_of(moments[n], entity_id=keys[n]), questions
            ),
            "a page of 20 as of a moment": _cpu(
                lambda n: memory.history.as_of(moments[n], limit=20), questions
            ),
            "what 100 changes differ by": _cpu(
                lambda n: memory.history.diff(moments[n], moments[n] + 100 * STEP), questions
            ),
            "the newest 50 events": _cpu(
                lambda n: memory.timelines.list_events(entity=keys[n], order="DESC"), questions
            ),
        }
        memory.close()
    return found


def build(memory: Memory, size: int) -> int:
    """Fill the journal with *size* changes in order of time; return how many entities it has."""
    rows = size // 5
    entities = max(1, rows // (FACTS_EACH + 1))
    with memory.db.note() as connection:
        for n in range(size):
            at = format_timestamp(BEGIN + STEP * n)
            connection.execute(_SIGN, {"at": at})
            if n < entities:
                connection.execute(_ENTITY, {"id": f"e{n:07}", "at": at})
                continue
            number = (n - entities) % (rows - entities)
            fact = {"id": f"o{number:07}", "content": f"fact {number}, said {n}", "at": at}
            if n < rows:
                connection.execute(_FACT, {**fact, "entity": f"e{number % entities:07}"})
            else:
                connection.execute(_EDIT, fact)
    return entities


def _cpu(ask: Callable[[int], object], questions: int) -> float:
    """Return the median CPU milliseconds; that something was unknown then is an answer too."""
    taken = []
    for n in range(questions):
        started = time.process_time()
        with contextlib.suppress(NotFoundError):
            ask(n)
        taken.append((time.process_time() - started) * 1000)
    return round(statistics.median(taken), 3)


def _print(measured: dict[int, dict[str, float]]) -> None:
    smallest, *_, largest = measured
    sizes = "".join(f"{size:>14,}" for size in measured)
    print(f"{'CPU ms, median; changes in the journal:':<42}{sizes}{'difference':>12}")
    for question in measured[smallest]:
        figures = "".join(f"{found[question]:>14.3f}" for found in measured.values())
        grown = measured[largest][question] - measured[smallest][question]
        print(f"{question:<42}{figures}{grown:>+12.3f}")
    grown = (
        measured[largest]["one entity as of a moment"]
        - measured[smallest]["one entity as of a moment"]
    )
    print(f"goal: one entity at most {GOAL} ms more: {'met' if grown < GOAL else 'missed'}")


if __name__ == "__main__":
    sys.exit(main())
