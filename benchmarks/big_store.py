"""
A memory as it is after a long time: 20,000 entities and all that gathers around them.

Rows are written through the storage layer, many in one transaction, so that the file is
there in seconds; what follows a row (journal, full text, vectors) follows as ever. It is
the same for the same seed, but for the moments, which lie before the one that is given.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from memory_core.clock import format_timestamp
from memory_core.context import acting_as
from memory_core.memory import Memory, open_memory
from memory_core.model.documents import Document, DocumentChunk
from memory_core.model.facts.entries import CATEGORIES, ContextChunk, Entry
from memory_core.model.graph.bottles import PRIORITIES, Bottle
from memory_core.model.graph.entities import Entity, Observation, Relation
from memory_core.model.scope import Scope
from memory_core.rules.facts.entries import entry_digest
from memory_core.search.embedder import Embedder
from memory_core.storage import documents, traces
from memory_core.storage import job_runs as cycles
from memory_core.storage.database import Connection
from memory_core.storage.entries import entries
from memory_core.storage.graph import bottles, entities, observations, relations, suggestions

from .corpus import HashingEmbedder, vocabulary, zipf

ENTITIES = 20_000
SEED = 17
# How long it took to gather, and in how many sittings.
DAYS = 120
SITTINGS = 40
# Project: its share of everything.
PROJECTS = {"atlas": 0.5, "billing": 0.25, "search": 0.15, "notes": 0.07, "default": 0.03}
ACTORS = ("cursor", "claude", "dashboard", "librarian")
# Type: its share of the entities.
TYPES = {
    "technology": 0.25,
    "person": 0.15,
    "project": 0.1,
    "decision": 0.1,
    "event": 0.1,
    "organization": 0.08,
    "concept": 0.08,
    "place": 0.05,
    "document": 0.05,
    "session": 0.04,
}
RELATIONS = ("RELATED_TO", "DEPENDS_ON", "USES", "PART_OF", "WORKS_ON", "KNOWS")
# What entries are about; those of one topic share their tags.
TOPICS = 100
OPERATIONS = {"search_memory": 0.6, "create_entity": 0.2, "get_hologram": 0.15, "undo": 0.05}
# What a run of the librarian finds.
COUNTS = {"clusters": 12, "concepts": 1, "relations": 4, "duplicates": 3, "orphans": 40}


@dataclass(frozen=True)
class Spread:
    """Numbers of other rows for this many entities."""

    entities: int = ENTITIES
    facts: float = 1.25
    links: float = 1.25
    entries: float = 0.1
    documents: float = 0.01
    bottles: float = 0.006
    suggestions: float = 0.02
    cycles: float = 0.003
    traces: float = 0.25

    def of(self, name: str) -> int:
        """Return how many rows of a kind there are."""
        share: float = getattr(self, name)
        return max(1, round(self.entities * share))


def embedder() -> HashingEmbedder:
    """Return the embedder of a file for tests: short vectors, made fast."""
    return HashingEmbedder(dimension=64)


class Calendar:
    """A clock that is set."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now


@dataclass
class _Drawn:
    """What is drawn from: numbers, words, and the entities that there are by now."""

    random: random.Random
    words: Iterator[str]
    known: dict[str, list[Entity]] = field(default_factory=lambda: {name: [] for name in PROJECTS})
    names: set[str] = field(default_factory=set)
    made: int = 0

    def id(self, kind: str) -> str:
        self.made += 1
        return f"{kind}{self.made:07}"

    def pick(self, shares: dict[str, float]) -> str:
        return self.random.choices(list(shares), list(shares.values()))[0]

    def text(self, fewest: int, most: int) -> str:
        count = self.random.randint(fewest, most)
        return " ".join(next(self.words) for _ in range(count)).capitalize()

    def name(self) -> str:
        """Return a short unused name."""
        name = self.text(1, 2)
        while name in self.names:
            name += f" {next(self.words)}"
        self.names.add(name)
        return name

    def entity(self, project_id: str) -> Entity:
        """Return one that is there: some are met far more often than others."""
        there = self.known[project_id]
        return there[int(len(there) * self.random.random() ** 2.5)]

    def filled_project(self) -> str:
        project_id = self.pick(PROJECTS)
        return project_id if len(self.known[project_id]) > 1 else "atlas"


def build(
    path: Path, model: Embedder, *, spread: Spread | None = None, until: datetime | None = None
) -> None:
    """Make a memory file at *path* whose newest change is just before *until*, which is now."""
    spread = spread or Spread()
    until = until or datetime.now(UTC)
    clock = Calendar(until - timedelta(days=DAYS))
    memory = open_memory(path=path, embedder=model, clock=clock)
    drawn = _Drawn(random.Random(SEED), _words(spread))
    try:
        for sitting in range(SITTINGS):
            clock.now = until - timedelta(days=DAYS) * (1 - sitting / SITTINGS)
            with acting_as(ACTORS[sitting % 2]), memory.db.write("create_entity") as connection:
                _sitting(connection, drawn, spread, clock.now)
        clock.now = until - timedelta(hours=1)
        _afterwards(memory, drawn, spread, clock.now)
        memory.catch_up()
        for name in PROJECTS:
            memory.groups.rebuild_groups(scope=Scope(project_id=name))
    finally:
        memory.close()


def _sitting(connection: Connection, drawn: _Drawn, spread: Spread, now: datetime) -> None:
    """Write one sitting's share of everything."""
    for _ in range(spread.entities // SITTINGS):
        _insert_entity(connection, drawn, now)
    for _ in range(spread.of("facts") // SITTINGS):
        _insert_fact(connection, drawn, now)
    for _ in range(spread.of("links") // SITTINGS):
        _insert_link(connection, drawn, now)
    for _ in range(spread.of("entries") // SITTINGS):
        _insert_entry(connection, drawn, now)
    for _ in range(spread.of("documents") // SITTINGS):
        _insert_document(connection, drawn, now)
    for _ in range(spread.of("bottles") // SITTINGS):
        _insert_bottle(connection, drawn, now)


def _afterwards(memory: Memory, drawn: _Drawn, spread: Spread, now: datetime) -> None:
    """Change and archive some of it, and write down what was noticed and measured."""
    with acting_as("dashboard"), memory.db.write("update_entity") as connection:
        for number in range(spread.entities // 50):
            known = drawn.entity(drawn.filled_project())
            changed: dict[str, Any] = {"properties": {"reviewed": number}, "updated_at": now}
            if number % 4 == 0:
                changed |= {"status": "archived", "archived_at": now, "archive_reason": "old"}
            entities.rewrite(connection, known.model_copy(update=changed))
    with acting_as("librarian"), memory.db.write("run_librarian_cycle") as connection:
        for number in range(spread.of("suggestions")):
            _insert_suggestion(connection, drawn, number, now)
    with memory.db.note() as connection:
        for number in range(spread.of("cycles")):
            _insert_cycle(connection, drawn, number, now)
        traces.insert(connection, _trace_rows(drawn, spread.of("traces"), now))
        used = [drawn.entity(drawn.filled_project()) for _ in range(spread.entities // 10)]
        traces.count_use(
            connection, [("entities", each.row_id) for each in used], format_timestamp(now)
        )


def _insert_entity(connection: Connection, drawn: _Drawn, now: datetime) -> None:
    project_id = drawn.pick(PROJECTS)
    key = drawn.id("e")
    name = drawn.name()
    node_type = drawn.pick(TYPES)
    entity = Entity(
        row_id=key,
        id=f"{name.lower().replace(' ', '-')}-{drawn.made}",
        project_id=project_id,
        name=name,
        node_type=node_type,
        properties={"state": "active"} if node_type == "session" else {},
        aliases=[drawn.name()] if drawn.random.random() < 0.1 else [],
        occurred_at=now if node_type in ("session", "event") else None,
        created_at=now,
        updated_at=now,
    )
    entities.insert(connection, entity)
    drawn.known[project_id].append(entity)


def _insert_fact(connection: Connection, drawn: _Drawn, now: datetime) -> None:
    entity = drawn.entity(drawn.filled_project())
    fact = Observation(
        id=drawn.id("o"),
        entity_id=entity.id,
        content=drawn.text(5, 18) + ".",
        source="conversation",
        session_id=f"talk-{drawn.made // 20}" if drawn.random.random() < 0.2 else "",
        created_at=now,
        updated_at=now,
    )
    observations.insert(connection, entity, fact)


def _insert_link(connection: Connection, drawn: _Drawn, now: datetime) -> None:
    project_id = drawn.filled_project()
    start, end = drawn.entity(project_id), drawn.random.choice(drawn.known[project_id])
    kind = drawn.random.choice(RELATIONS)
    if start.row_id == end.row_id or relations.triple(connection, start, end, kind):
        return
    link = Relation(
        id=drawn.id("r"),
        from_node_id=start.id,
        to_node_id=end.id,
        relationship_type=kind,
        weight=round(drawn.random.random(), 2),
        created_at=now,
        updated_at=now,
    )
    relations.insert(connection, start, end, link)


def _insert_entry(connection: Connection, drawn: _Drawn, now: datetime) -> None:
    topic = 1000 + 5 * drawn.random.randrange(TOPICS)
    summary, tags = drawn.text(6, 14), list(vocabulary()[topic : topic + 5])
    sensitive = drawn.random.random() < 0.1
    entry = Entry(
        id=drawn.id("m"),
        project_id=drawn.pick(PROJECTS),
        summary=summary,
        tags=tags,
        category=drawn.random.choice(CATEGORIES),
        is_time_sensitive=sensitive,
        expires_at=now + timedelta(days=400) if sensitive else None,
        digest=entry_digest(summary, tags),
        created_at=now,
        updated_at=now,
    )
    entries.insert(connection, entry)
    if drawn.random.random() < 0.1:
        texts = [drawn.text(40, 60) for _ in range(3)]
        chunks = [
            ContextChunk(id=drawn.id("c"), position=place, text=text, created_at=now)
            for place, text in enumerate(texts)
        ]
        entries.insert_chunks(connection, entry, chunks)


def _insert_document(connection: Connection, drawn: _Drawn, now: datetime) -> None:
    texts = [drawn.text(60, 90) + ".\n" for _ in range(6)]
    id = drawn.id("d")
    document = Document(
        id=id,
        project_id=drawn.pick(PROJECTS),
        title=f"{drawn.text(2, 4)} {id}.md",
        source=f"{id}.md",
        media_type="text/markdown",
        digest=documents.digest("".join(texts)),
        characters=sum(map(len, texts)),
        chunk_count=len(texts),
        created_at=now,
        updated_at=now,
    )
    documents.insert(connection, document)
    parts = [
        DocumentChunk(id=drawn.id("k"), position=place, text=text)
        for place, text in enumerate(texts)
    ]
    documents.insert_chunks(connection, document, parts)


def _insert_bottle(connection: Connection, drawn: _Drawn, now: datetime) -> None:
    read = drawn.random.random() < 0.5
    bottle = Bottle(
        id=drawn.id("b"),
        project_id=drawn.pick(PROJECTS),
        message=drawn.text(6, 30) + ".",
        priority=drawn.random.choice(PRIORITIES),
        recipient=drawn.random.choice(("", "claude", "cursor")),
        author=drawn.random.choice(ACTORS),
        acknowledged_at=now if read else None,
        acknowledged_by="cursor" if read else "",
        created_at=now,
    )
    bottles.insert(connection, bottle)


def _insert_suggestion(connection: Connection, drawn: _Drawn, number: int, now: datetime) -> None:
    project_id = drawn.filled_project()
    one, other = drawn.random.sample(drawn.known[project_id], 2)
    kind = "relation" if number % 2 else "duplicate"
    noted = suggestions.Noted(
        id=drawn.id("s"),
        project_id=project_id,
        kind=kind,
        from_id=one.row_id,
        to_id=other.row_id,
        from_row_id=one.row_id,
        to_row_id=other.row_id,
        relation_type="RELATED_TO" if kind == "relation" else "",
        similarity=round(0.75 + drawn.random.random() / 4, 3),
        status="rejected" if number % 5 == 0 else "open",
        reason="Their vectors are near each other.",
    )
    suggestions.insert(connection, noted, format_timestamp(now))


def _insert_cycle(connection: Connection, drawn: _Drawn, number: int, now: datetime) -> None:
    begun = cycles.begin(
        connection,
        "librarian",
        project_id=drawn.pick(PROJECTS),
        dry_run=number % 7 == 0,
        batch_id=drawn.id("t"),
        question={},
        now=now,
    )
    took = 500 + 3_000 * drawn.random.random()
    cycles.end(connection, begun, status="done", counts=COUNTS, milliseconds=took, now=now)


def _trace_rows(drawn: _Drawn, count: int, now: datetime) -> Iterator[traces.TraceRow]:
    """Yield what calls of the last week took, oldest first."""
    for number in range(count):
        took = drawn.random.lognormvariate(2.2, 0.7)
        operation = drawn.pick(OPERATIONS)
        yield traces.TraceRow(
            at=format_timestamp(now - timedelta(days=7) * (1 - number / count)),
            operation=operation,
            actor=drawn.random.choice(ACTORS),
            project_id=drawn.pick(PROJECTS),
            milliseconds=round(took, 2),
            stages={"embed": took * 0.6, "vector": took * 0.2, "lexical": took * 0.1},
            query=drawn.text(2, 5) if operation == "search_memory" else "",
            hits=drawn.random.randint(0, 10) if operation == "search_memory" else None,
            error="INVALID_INPUT" if drawn.random.random() < 0.01 else "",
        )


def _words(spread: Spread) -> Iterator[str]:
    """Yield words as unequal as real ones, as many as anybody asks for."""
    known: Sequence[str] = vocabulary()
    draw = np.random.default_rng(SEED)
    while True:
        for place in zipf(draw, 10 * spread.entities):
            yield known[place]
