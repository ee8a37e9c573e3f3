"""Export and import files for tests."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

from memory_core import open_memory

# What a knowledge-graph server keeps, out of order and in words of its own.
GRAPH = (
    {"type": "relation", "from": "Ann", "to": "Tea", "relationType": "brews at dawn"},
    {"type": "relation", "from": "Ann", "to": "Tea", "relationType": "adores"},
    {
        "type": "entity",
        "name": "Ann",
        "entityType": "Person",
        "observations": ["likes 茶", "is 30"],
    },
    {"type": "entity", "name": "Tea", "entityType": "infusion", "observations": []},
    {"type": "relation", "from": "Ann", "to": "Bob", "relationType": "knows"},
    {"type": "entity", "name": "Bob", "entityType": "human", "observations": ["is tall"]},
)


def opened(folder, clock, prefix):
    count = itertools.count(1)
    return open_memory(
        path=Path(folder) / "memory.db", clock=clock, ids=lambda: f"{prefix}{next(count):05}"
    )


def carried(exported, memory, name="in.jsonl"):
    """Copy an export to where *memory* may read it."""
    path = memory.db.path.with_name(name)
    path.write_bytes(Path(exported.path).read_bytes())
    return str(path)


def place(memory, name, content):
    path = memory.db.path.with_name(name)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return str(path)


def jsonl(*values):
    return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values)


def header(**counts):
    return {"format": "turbovec-memory", "version": 1, "schema": 1, "counts": counts}


def names(memory):
    return sorted(entity.name for entity in memory.graph.list_entities(status="all").entities)


def whys(imported):
    return [each.why for each in imported.refused]
