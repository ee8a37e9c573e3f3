"""Build search results from a ranking: values with names, passages and provenance."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...model.search.recipe import Recipe
from ...model.search.results import (
    ContextRow,
    Explanation,
    HitDocument,
    HitEntity,
    HitEntry,
    Kind,
    Passage,
    SearchHit,
)
from ...storage.database import Connection
from ...storage.graph import session_rows
from ...storage.search import hits
from .channels import Channels
from .ranking import Ranking

# Public kind of a row, by table.
KINDS: Mapping[Kind, str] = {
    "entity": "entities",
    "observation": "observations",
    "document": "chunks",
    "entry": "entries",
    "fact": "facts",
    "bottle": "bottles",
}
# A chunk of an entry is shown as the entry.
_KIND_OF: Mapping[str, Kind] = {
    **{table: kind for kind, table in KINDS.items()},
    "context_chunks": "entry",
}

PASSAGES = 3
# Characters of JSON for the properties of an entity in a hit.
_PROPERTIES = 600


@dataclass(frozen=True)
class Place:
    """A row of a ranking: its position, and the positions of the other rows of its group."""

    at: int
    others: tuple[int, ...] = ()


def places(ranking: Ranking, *, limit: int, by_entity: bool) -> list[Place]:
    """Return the first *limit* rows, or the best row of each of the first *limit* entities."""
    if not by_entity:
        return [Place(at) for at in range(min(limit, len(ranking.ids)))]
    groups: dict[str, list[int]] = {}
    for at, row in enumerate(ranking.rows):
        groups.setdefault(row.subject_id, []).append(at)
    return [Place(first, tuple(others)) for first, *others in list(groups.values())[:limit]]


def answer(
    connection: Connection,
    ranking: Ranking,
    *,
    places: Sequence[Place],
    relevances: NDArray[np.float64],
    found: Channels,
    recipe: Recipe,
    explain: bool,
    context: int,
    now: str,
) -> list[SearchHit]:
    """Return the rows at *places* as hits, with the *context* rows around each."""
    pieces = {place.at: _pieces(ranking, place, found, recipe) for place in places}
    sources = _Sources(
        connection,
        [ranking.ids[place.at] for place in places],
        [piece for chosen in pieces.values() for piece, _ in chosen],
    )
    return [
        sources.hit(
            ranking.ids[place.at],
            score=round(float(ranking.scores[place.at]), 6),
            relevance=round(float(relevances[place.at]), 4),
            passages=sources.quote_passages(pieces[place.at]),
            explain=_explain(ranking, place.at, found) if explain else None,
            context=_context(connection, ranking.ids[place.at], context, now=now),
        )
        for place in places
        if ranking.ids[place.at] in sources.rows
    ]


class _Sources:
    """Database records of the rows of one result page, read in one query per table."""

    def __init__(self, connection: Connection, ids: Sequence[int], pieces: Sequence[int]) -> None:
        self.rows = hits.load_hits(connection, ids)
        by_kind: dict[str, list[str]] = {}
        for row in self.rows.values():
            by_kind.setdefault(row["kind"], []).append(row["row_id"])
        subjects = {row["subject_id"] for row in self.rows.values()}
        self._entities = hits.entities(connection, subjects)
        self._observations = hits.observations(connection, by_kind.get("observations", ()))
        self._chunks = hits.chunks(connection, by_kind.get("chunks", ()))
        self._entries = hits.entries(connection, subjects)
        self._bottles = hits.bottles(connection, by_kind.get("bottles", ()))
        self._context = hits.context_chunks(connection, by_kind.get("context_chunks", ()))
        self._passages = hits.passages(connection, pieces)

    def quote_passages(self, pieces: Sequence[tuple[int, float]]) -> list[Passage]:
        return [
            Passage(
                text=self._passages[piece]["text"],
                start=self._passages[piece]["start"],
                score=round(score, 4),
            )
            for piece, score in pieces
            if piece in self._passages
        ]

    def hit(self, id: int, **shown: Any) -> SearchHit:
        row = self.rows[id]
        entity = self._entities.get(row["subject_id"])
        entry = self._entries.get(row["subject_id"])
        part = self._context.get(row["row_id"])
        own = self._own(row["row_id"]) or part or entity or entry or {}
        is_fact = entry is not None and entry["form"] == "fact"
        return SearchHit(
            row_id=row["row_id"],
            table=row["kind"],
            kind="fact" if is_fact else _KIND_OF[row["kind"]],
            id=_id(row, entity, entry),
            project_id=row["project_id"],
            entity=_entity(entity) if entity else None,
            document=_document(self._chunks.get(row["row_id"])),
            entry=_entry(entry, part) if entry else None,
            occurred_at=row["occurred_at"] or None,
            created_at=own.get("created_at"),
            session_id=row["session_id"],
            status=_status(row, own),
            retrieval_count=row["retrievals"],
            **shown,
        )

    def _own(self, row_id: str) -> Mapping[str, Any] | None:
        return (
            self._observations.get(row_id) or self._chunks.get(row_id) or self._bottles.get(row_id)
        )


def _pieces(
    ranking: Ranking, place: Place, found: Channels, recipe: Recipe
) -> list[tuple[int, float]]:
    best = found.best_pieces(ranking.ids[place.at], recipe, most=PASSAGES)
    others = [found.best_pieces(ranking.ids[at], recipe, most=1) for at in place.others[:PASSAGES]]
    return [*best, *(piece for other in others for piece in other)]


def _explain(ranking: Ranking, at: int, found: Channels) -> Explanation:
    id = ranking.ids[at]
    return Explanation(
        lexical_rank=_place(id, found.by_lexical),
        lexical_score=round(found.bm25.get(id, 0.0), 4),
        lexical_share=round(found.bm25.get(id, 0.0) / found.attainable, 4),
        lexical_trust=round(found.trust, 4),
        vector_rank=_place(id, found.by_vector),
        vector_score=round(found.cosine.get(id, 0.0), 4),
        **{name: round(float(part[at]), 6) for name, part in ranking.parts.items()},
    )


def _place(id: int, ranking: Sequence[int]) -> int:
    return ranking.index(id) + 1 if id in ranking else 0


def _context(connection: Connection, id: int, count: int, *, now: str) -> list[ContextRow]:
    if not count:
        return []
    return [
        ContextRow(
            id=row["row_id"],
            offset=offset,
            text=row["text"],
            occurred_at=row["occurred_at"] or None,
        )
        for offset, row in session_rows.around(connection, id, count=count, now=now)
    ]


def _entity(row: Mapping[str, Any]) -> HitEntity:
    properties = row["properties"]
    return HitEntity(
        id=row["key"],
        name=row["name"],
        node_type=row["node_type"],
        status=row["status"],
        properties=json.loads(properties) if len(properties) <= _PROPERTIES else {},
    )


def _document(chunk: Mapping[str, Any] | None) -> HitDocument | None:
    if chunk is None:
        return None
    return HitDocument(id=chunk["document_id"], title=chunk["title"], position=chunk["position"])


def _entry(row: Mapping[str, Any], part: Mapping[str, Any] | None) -> HitEntry:
    return HitEntry(
        id=row["id"],
        summary=row["summary"],
        tags=json.loads(row["tags"]),
        category=row["category"],
        position=part["position"] if part else -1,
    )


def _id(
    row: Mapping[str, Any], entity: Mapping[str, Any] | None, entry: Mapping[str, Any] | None
) -> str:
    """Return the public id of the row, or of the record that it is a part of."""
    if entity and row["kind"] == KINDS["entity"]:
        return str(entity["key"])
    return str(entry["id"] if entry else row["row_id"])


def _status(row: Mapping[str, Any], own: Mapping[str, Any]) -> str:
    if own.get("status", "active") != "active":
        return str(own["status"])
    return "active" if row["active"] else "archived"
