"""
Similarity of the entities of a project, from stored vectors.

The vector of an entity is the vector of its summary text plus the mean of its facts' vectors,
normalised. The summary weighs as much as all facts together, so two entities that share facts still
differ by what they are; facts on different subjects weigh less, since their mean is short. The
maximum over pairs of passages was rejected: one sentence in common would make two entities similar,
and finding it costs a search per passage.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...search.neighbours import Near, Stored, near_pairs
from ...storage.database import Database
from ...storage.graph import entity_vectors as rows
from ...storage.graph.entity_vectors import Card, Pieces
from ...storage.search import embeddings, search_documents

Tick = Callable[[int, int], None]

# Entities read at a time: each block of vectors takes a few megabytes.
_PAGE = 1000

# Neighbours kept per entity; more did not improve the result.
NEAREST = 24


@dataclass(frozen=True)
class Likeness:
    """Row i of the matrix is the vector of cards[i]."""

    cards: list[Card]
    matrix: Stored
    # Active entities without a vector.
    without: frozenset[str]

    @cached_property
    def place(self) -> dict[str, int]:
        return {card.row_id: place for place, card in enumerate(self.cards)}

    def cosine(self, one: str, other: str) -> float | None:
        """Return the similarity of two entities; None if one is missing or has no vector."""
        if one not in self.place or other not in self.place:
            return None
        a, b = (self.matrix[self.place[id]].astype(np.float32) for id in (one, other))
        return float(a @ b)

    def pairs(self, least: float, tick: Tick) -> Near:
        """Return the pairs of entities with at least this similarity."""
        return near_pairs(self.matrix, nearest=NEAREST, least=least, tick=tick)


def gather(db: Database, project_id: str, tick: Tick) -> Likeness:
    """Read the vectors of a project's active entities, a page at a time."""
    with db.read() as connection:
        model = embeddings.standing(connection).model
        total = search_documents.counts(connection, project_id).get("entities", 0)
    kept: list[Card] = []
    blocks: list[Stored] = []
    without: set[str] = set()
    after = ("", "")
    while True:
        with db.read() as connection:
            page = rows.cards(connection, project_id, after=after, limit=_PAGE)
            found = rows.pieces(connection, model, [card.row_id for card in page])
        if not page:
            break
        vectors, there = entity_vectors([card.row_id for card in page], found)
        kept += [card for card, is_there in zip(page, there, strict=True) if is_there]
        without |= {card.row_id for card, is_there in zip(page, there, strict=True) if not is_there}
        blocks.append(vectors[there].astype(np.float16))
        after = (page[-1].name, page[-1].row_id)
        tick(len(kept), total)
    width = max((block.shape[1] for block in blocks), default=0)
    matrix = np.concatenate(
        [np.empty((0, width), np.float16), *(block for block in blocks if len(block))]
    )
    return Likeness(kept, matrix, frozenset(without))


def entity_vectors(
    row_ids: list[str], found: Pieces
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Return one unit vector per entity, and a mask of the entities that have one."""
    place = {row_id: number for number, row_id in enumerate(row_ids)}
    owner = np.array([place[subject] for subject in found.subjects], dtype=np.int64)
    is_card = np.array(
        [row == subject for row, subject in zip(found.row_ids, found.subjects, strict=True)],
        dtype=bool,
    )
    whole = np.zeros((len(row_ids), found.matrix.shape[1]), dtype=np.float32)
    for part in (is_card, ~is_card):
        sums = np.zeros_like(whole)
        np.add.at(sums, owner[part], found.matrix[part])
        counts = np.bincount(owner[part], minlength=len(row_ids))[:, None]
        whole += sums / np.maximum(counts, 1)
    return unit(whole)


def fact_vectors(found: Pieces) -> dict[str, tuple[list[str], NDArray[np.float32]]]:
    """Return the observations of each entity with their unit vectors."""
    by_subject: dict[str, dict[str, list[int]]] = {}
    for number, (subject, row_id) in enumerate(zip(found.subjects, found.row_ids, strict=True)):
        if row_id != subject:
            by_subject.setdefault(subject, {}).setdefault(row_id, []).append(number)
    return {
        subject: (
            sorted(facts),
            unit(np.stack([found.matrix[facts[id]].mean(axis=0) for id in sorted(facts)]))[0],
        )
        for subject, facts in sorted(by_subject.items())
    }


def unit(matrix: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Return the normalised rows, and a mask of the rows that were not zero."""
    norms = np.linalg.norm(matrix, axis=1, keepdims=True)
    there = norms[:, 0] > 1e-6
    return (matrix / np.where(norms > 1e-6, norms, 1)).astype(np.float32), there
