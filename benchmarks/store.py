"""
A memory filled through the public write calls and asked through the public search.

The clock stands still, so nothing ages while it is measured. Embeddings can be
kept in a file between runs: then the figures for quality are the same, and the
time of encoding is reported as not measured.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from memory_core.memory import Memory, open_memory
from memory_core.model.graph.entities import NewObservation
from memory_core.model.search.recipe import Recipe
from memory_core.model.search.vectors import ModelIdentity
from memory_core.search.embedder import Embedder
from memory_core.settings import Settings

from .datasets import Conversation, Question, Row, Suite

Scope = Literal["project", "all"]
Vectors = NDArray[np.float32]

# Later than every date in the data sets.
PINNED = datetime(2026, 12, 1, tzinfo=UTC)
# One transaction's worth of rows.
BATCH = 500
# The project of a store that all conversations share.
SHARED = "everything"


@dataclass
class KeptEmbedder:
    """An embedder that keeps each vector in a file and adds up the time of the others."""

    inner: Embedder
    path: Path | None = None
    cpu: float = 0.0
    encoded: int = 0
    reused: int = 0
    _kept: dict[str, Vectors] = field(default_factory=dict)
    _new: bool = False

    def __post_init__(self) -> None:
        if self.path is not None and self.path.exists():
            with np.load(self.path) as kept:
                self._kept = dict(zip(kept["keys"].tolist(), kept["vectors"], strict=True))

    def embed(self, texts: Sequence[str]) -> Vectors:
        keys = [hashlib.blake2b(text.encode("utf-8", "replace")).hexdigest() for text in texts]
        fresh = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._kept}
        self.encoded += len(fresh)
        self.reused += len(texts) - len(fresh)
        made = dict(zip(fresh, self._encode(list(fresh.values())), strict=True))
        if self.path is not None:
            self._kept.update(made)
            self._new = self._new or bool(made)
        vectors = [made[key] if key in made else self._kept[key] for key in keys]
        return np.stack(vectors) if vectors else np.zeros((0, self.identity().dimension), "f4")

    def identity(self) -> ModelIdentity:
        return self.inner.identity()

    def save(self) -> None:
        if self.path is not None and self._new:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            np.savez(self.path, keys=list(self._kept), vectors=np.stack(list(self._kept.values())))

    def _encode(self, texts: list[str]) -> Vectors:
        started = time.process_time()
        try:
            return self.inner.embed(texts) if texts else np.zeros((0, 1), "f4")
        finally:
            self.cpu += time.process_time() - started


@dataclass
class Filed:
    """What became of a suite's rows: which project and which observation."""

    project_of: dict[str, str] = field(default_factory=dict)
    observation_of: dict[tuple[str, str], str] = field(default_factory=dict)
    rows: int = 0
    # Rows whose speaker had said the same before: one observation, filed once.
    repeated: int = 0
    seconds: float = 0.0
    cpu: float = 0.0

    def gold(self, talk: Conversation, question: Question) -> frozenset[str]:
        """Return the observations that a question's gold rows became."""
        return frozenset(self.observation_of[talk.id, row] for row in question.gold)


def open_store(path: Path, embedder: Embedder, settings: Settings) -> Memory:
    """Open a memory whose clock stands still."""
    return open_memory(settings, path=path, embedder=embedder, clock=lambda: PINNED)


def fill(memory: Memory, suite: Suite, scope: Scope) -> Filed:
    """File every row of the suite under its speaker."""
    filed = Filed()
    started, spent = time.perf_counter(), time.process_time()
    for conversation in suite.conversations:
        project = conversation.id if scope == "project" else SHARED
        filed.project_of[conversation.id] = project
        people = {
            name: memory.graph.create_entity(
                name, "person" if name[:1].isupper() else "topic", project_id=project
            ).entity.id
            for name in dict.fromkeys(row.speaker for row in conversation.rows)
        }
        _file(memory, filed, conversation, people)
    filed.seconds = time.perf_counter() - started
    filed.cpu = time.process_time() - spent
    return filed


def recipe_and_settings(options: Sequence[str], **given: object) -> tuple[Recipe, Settings]:
    """Return both from ``name=value`` options; raise ValueError for a name that is in neither."""
    recipe: dict[str, str] = {}
    settings: dict[str, object] = dict(given)
    for option in options:
        name, _, value = option.partition("=")
        if name in Recipe.model_fields:
            recipe[name] = value
        elif name in Settings.model_fields:
            settings[name] = value
        else:
            known = ", ".join(sorted(Recipe.model_fields))
            raise ValueError(f"--config {option}: there is no {name!r}. A recipe has: {known}.")
    chosen = Settings.model_validate(settings)
    # Checked before it is joined, since it came as text; the server's tool reads the settings.
    changed = Recipe.model_validate({**chosen.ranking().model_dump(), **recipe})
    weights = changed.model_dump(exclude_defaults=True)
    return changed, chosen.model_copy(update={"recipe": weights})


def _file(memory: Memory, filed: Filed, talk: Conversation, people: dict[str, str]) -> None:
    for batch in _batches(talk.rows):
        written = memory.observations.add_observations(
            [
                NewObservation(
                    entity_id=people[row.speaker],
                    content=row.text,
                    occurred_at=row.at,
                    session_id=row.session,
                    source=row.id,
                )
                for row in batch
            ],
            project_id=filed.project_of[talk.id],
        )
        for row, made in zip(batch, written.observations, strict=True):
            filed.observation_of[talk.id, row.id] = made.observation.id
        filed.rows += len(batch)
        filed.repeated += written.already_existed


def _batches(rows: Sequence[Row]) -> Iterator[Sequence[Row]]:
    for first in range(0, len(rows), BATCH):
        yield rows[first : first + BATCH]


def settle(memory: Memory) -> None:
    """Embed all that waits, so that every row is found by meaning too."""
    memory.catch_up()
