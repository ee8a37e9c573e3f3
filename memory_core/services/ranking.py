"""
Which rows answer a query, and in what order: the work of one read block.

Each channel brings candidates; every candidate then gets its exact cosine and
its bm25, whichever channel brought it, and the sessions that promise most are
looked at whole. What remains is arithmetic (rules/fusion.py).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

import numpy as np
from apsw import Connection
from numpy.typing import NDArray

from ..model.recipe import Recipe
from ..rules.dates import NamedDate, nearness
from ..rules.fusion import Scores, best_first, blend, rrf, session_prior
from ..storage import hits, session_rows
from ..storage.allowed import Ids
from ..storage.embeddings import vectors_of
from ..storage.hits import Candidate
from .channels import Channels

# The card of an entity says who it is; that the query names it is no reason to show it.
_CARD = "entities"


@dataclass(frozen=True)
class Asked:
    """A query, understood."""

    recipe: Recipe
    weights: Mapping[str, float] = field(default_factory=dict)
    named: frozenset[str] = frozenset()
    related: Collection[str] = ()
    dates: Sequence[NamedDate] = ()

    @property
    def by_rank(self) -> bool:
        return bool(self.weights) or self.recipe.fusion == "rrf"


@dataclass(frozen=True)
class Meaning:
    """The vector of a query and the model it is of."""

    vector: NDArray[np.float32]
    model: str


@dataclass(frozen=True)
class Ranking:
    """Rows, best first; the parts of their scores stand in the same order."""

    ids: list[int]
    scores: Scores
    parts: dict[str, Scores]
    rows: list[Candidate]


def rank(
    connection: Connection,
    asked: Asked,
    *,
    found: Channels,
    pool: int,
    meaning: Meaning | None,
    allowed: Ids | None,
) -> Ranking:
    """Return every candidate, best first."""
    ids = list(dict.fromkeys([*found.by_lexical[:pool], *found.by_vector]))
    if asked.by_rank:
        rows = hits.candidates(connection, ids)
        parts = {"fused": _by_rank(asked, found, ids, pool=pool)}
    else:
        rows = hits.candidates(connection, ids)
        if meaning is not None:
            learn_cosines(connection, found, found.pieces_without_cosine(ids), meaning=meaning)
            more = _session_mates(connection, asked, found, rows, meaning=meaning, allowed=allowed)
            rows |= hits.candidates(connection, more)
            ids += more
        parts = _boosted(connection, asked, found, [rows[id] for id in ids])
    scores = np.sum(list(parts.values()), axis=0)
    order = best_first(scores, np.array(ids, np.int64))
    return Ranking(
        ids=[ids[at] for at in order],
        scores=scores[order],
        parts={name: part[order] for name, part in parts.items()},
        rows=[rows[ids[at]] for at in order],
    )


def learn_cosines(
    connection: Connection, found: Channels, pieces: Sequence[int], *, meaning: Meaning
) -> None:
    """Look up the exact cosines of *pieces*; one that has no vector yet stays unknown."""
    if pieces:
        known = vectors_of(connection, meaning.model, np.array(pieces, np.uint64))
        if len(known.ids):
            cosines = known.matrix @ meaning.vector
            found.learn_cosines(zip(known.ids.tolist(), cosines.tolist(), strict=True))


def _by_rank(asked: Asked, found: Channels, ids: Sequence[int], *, pool: int) -> Scores:
    rankings = (
        (asked.weights.get("lexical", 1.0), found.by_lexical[:pool]),
        (asked.weights.get("vector", 1.0), found.by_vector),
    )
    fused = rrf(rankings, k=asked.recipe.rrf_k)
    return np.array([fused[id] for id in ids], np.float64)


def _boosted(
    connection: Connection, asked: Asked, found: Channels, rows: Sequence[Candidate]
) -> dict[str, Scores]:
    recipe = asked.recipe
    ids = [row.id for row in rows]
    fused = blend(
        np.array([found.cosine.get(id, np.nan) for id in ids], np.float64),
        np.array([found.bm25.get(id, 0.0) for id in ids], np.float64),
        dense=recipe.dense,
        floor=recipe.cosine_floor,
    )
    parts = {
        "fused": fused,
        "link": np.array([_link(asked, row) for row in rows], np.float64),
        "date": np.array([_date(asked, row) for row in rows], np.float64),
    }
    sessions = [row.session for row in rows]
    sizes = _sizes(connection, recipe, sessions)
    total = np.sum(list(parts.values()), axis=0)
    prior = session_prior(total, sessions, sizes, top=recipe.session_top)
    return {**parts, "session": recipe.session_boost * prior}


def _session_mates(
    connection: Connection,
    asked: Asked,
    found: Channels,
    rows: Mapping[int, Candidate],
    *,
    meaning: Meaning,
    allowed: Ids | None,
) -> list[int]:
    """Return the rows of the most promising sessions that no channel brought."""
    recipe = asked.recipe
    if not (recipe.session_fetch and recipe.session_boost):
        return []
    known = list(rows.values())
    prior = _boosted(connection, asked, found, known)["session"]
    best: dict[str, None] = {}
    for at in np.argsort(-prior, kind="stable"):
        session = known[at].session
        if prior[at] <= 0 or len(best) == recipe.session_fetch:
            break
        best[session or ""] = None
    members = session_rows.members(connection, list(best)).keys() - rows.keys()
    pieces = _permitted(hits.pieces_of(connection, sorted(members)), allowed)
    learn_cosines(connection, found, pieces, meaning=meaning)
    return [id for id in dict.fromkeys(piece >> 24 for piece in pieces) if id in found.cosine]


def _permitted(pieces: Sequence[int], allowed: Ids | None) -> Sequence[int]:
    if allowed is None or not pieces:
        return pieces
    ids = np.array(pieces, np.uint64)
    return [int(id) for id in ids[np.isin(ids, allowed, assume_unique=True)]]


def _sizes(
    connection: Connection, recipe: Recipe, sessions: Sequence[str | None]
) -> dict[str, int]:
    if not recipe.session_boost:
        return {}
    named = {session for session in sessions if session is not None}
    sizes = session_rows.sizes(connection, named)
    return {name: size for name, size in sizes.items() if size <= recipe.session_rows}


def _link(asked: Asked, row: Candidate) -> float:
    if row.kind == _CARD:
        return 0.0
    if row.subject_id in asked.named:
        return asked.recipe.link_boost
    return asked.recipe.related_boost if row.subject_id in asked.related else 0.0


def _date(asked: Asked, row: Candidate) -> float:
    if not asked.dates:
        return 0.0
    day = date.fromisoformat(row.occurred_at[:10])
    recipe = asked.recipe
    return recipe.date_boost * nearness(day, list(asked.dates), days=recipe.date_days)
