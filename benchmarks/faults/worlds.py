"""Small memories in which there is something of every kind, and what they are opened with."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from memory_core.clock import Clock, utc_now
from memory_core.memory import Memory, open_memory
from memory_core.settings import Settings

from ..corpus import HashingEmbedder

# Short vectors: what is tried here is what becomes of them, not what they mean.
DIMENSION = 64
# So few words that a process which lives for long holds as much at its end as at its start.
REMEMBERED = 1_000
PROJECTS = ("default", "other")

_KINDS = ("rope", "dough", "queue")


def open_small(
    path: Path,
    *,
    clock: Clock = utc_now,
    dimension: int = DIMENSION,
    exact_below: int = 64,
    reported: Callable[[], None] | None = None,
) -> Memory:
    """Open a memory without any model; its vector index is of the large kind early."""
    memory = open_memory(
        Settings(vector_exact_below=exact_below, memory_data_dir=path.parent),
        path=path,
        embedder=HashingEmbedder(dimension, remembered=REMEMBERED),
        clock=clock,
    )
    if reported is not None:
        memory.db.after_write.append(reported)
    return memory


def fill(memory: Memory, count: int) -> None:
    """Write *count* of each: entities with facts and relations, entries, bottles, a document."""
    for project_id in PROJECTS:
        before = ""
        for number in range(count):
            kind = _KINDS[number % len(_KINDS)]
            made = memory.graph.create_entity(
                f"{kind} {number}",
                "technology",
                project_id=project_id,
                observations=[f"{kind} {kind} holds knot {number}", f"seen on day {number}"],
            )
            if before:
                memory.relations.create_relation(
                    before, made.entity.id, "RELATED_TO", project_id=project_id
                )
            before = made.entity.id
            memory.bottles.create_bottle(f"mind the {kind} {number}", project_id=project_id)
    for number in range(count):
        write_entry(memory, f"entry about {_KINDS[number % 3]} number {number}")
    memory.knowledge.add_document("Handbook", "# Knots\n\nA rope holds a knot.\n\n" * 20)


def write_entry(memory: Memory, summary: str) -> str:
    """Write an entry with some context; return its id."""
    tags = [word if len(word) > 1 else f"no {word}" for word in summary.split()]
    tags = list(dict.fromkeys([*tags, "one", "two", "three", "four", "five"]))[:5]
    return memory.entries.write_entry(
        summary, tags, category="other", context_text=f"What stood around {summary}. " * 5
    ).id
