"""Rank candidates within one read transaction.

Each channel brings candidates; every candidate then gets its exact cosine and
its bm25, whichever channel brought it. What remains is arithmetic
(rules/fusion.py).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime

import numpy as np
from numpy.typing import NDArray

from ...model.search.recipe import Recipe
from ...rules.fusion import Scores, blend_scores, rank_order, reciprocal_rank_fusion, session_prior
from ...rules.text.dates import NamedDate, date_proximity
from ...storage.database import Connection
from ...storage.search import hits
from ...storage.search.embeddings import vectors_of
from ...storage.search.hits import Candidate
from ..graph.salient import saliences
from .channels import Channels

# The summary text of an entity only identifies it, so a match of its name is not boosted.
_CARD = "entities"

# The distance of an exact match to the rows that it passes.
_AHEAD = 0.01

# A running session has no results yet; the summary of a past one may answer a question.
_RUNNING_SESSION, _PAST_SESSION = -2.0, -0.4


@dataclass(frozen=True)
class Asked:
    """A parsed query."""

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
    """The vector of a query and its model."""

    vector: NDArray[np.float32]
    model: str


@dataclass(frozen=True)
class Ranking:
    """Rows, best first, with the components of their scores in the same order."""

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
    now: str,
) -> Ranking:
    """Return every candidate, best first; recency is relative to the timestamp *now*."""
    ids = list(dict.fromkeys([*found.exact, *found.by_lexical[:pool], *found.by_vector]))
    rows = hits.candidates(connection, ids)
    if asked.by_rank:
        parts = {"fused": _by_rank(asked, found, ids, pool=pool)}
    else:
        if meaning is not None:
            learn_cosines(connection, found, found.pieces_without_cosine(ids), meaning=meaning)
        parts = _boost(asked, found, [rows[id] for id in ids])
        if (boost := asked.recipe.salience_boost) > 0:
            parts["salience"] = boost * _salience(connection, [rows[id] for id in ids], now=now)
        parts["exact"] = _lift(
            np.sum(list(parts.values()), axis=0), [found.exact.get(id, 0.0) for id in ids]
        )
    scores = np.sum(list(parts.values()), axis=0)
    order = rank_order(scores, np.array(ids, np.int64))
    return Ranking(
        ids=[ids[at] for at in order],
        scores=scores[order],
        parts={name: part[order] for name, part in parts.items()},
        rows=[rows[ids[at]] for at in order],
    )


def learn_cosines(
    connection: Connection, found: Channels, pieces: Sequence[int], *, meaning: Meaning
) -> None:
    """Look up the exact cosines of *pieces*; one without a vector stays unknown."""
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
    fused = reciprocal_rank_fusion(rankings, k=asked.recipe.rrf_k)
    return np.array([fused[id] for id in ids], np.float64)


def _boost(asked: Asked, found: Channels, rows: Sequence[Candidate]) -> dict[str, Scores]:
    recipe = asked.recipe
    fused = blend_scores(
        np.array([found.cosine.get(row.id, np.nan) for row in rows], np.float64),
        np.array([found.bm25.get(row.id, 0.0) for row in rows], np.float64),
        dense=found.dense(recipe),
        floor=recipe.cosine_floor,
    )
    link = np.array([_link(asked, row) for row in rows], np.float64)
    date = np.array([_date(asked, row) for row in rows], np.float64)
    sizes = {row.session: row.session_size or 0 for row in rows if row.session}
    prior = session_prior(
        fused + link + date,
        [row.session for row in rows],
        {name: size for name, size in sizes.items() if size <= recipe.session_rows},
        top=recipe.session_top,
    )
    return {
        "fused": fused,
        "link": link,
        "date": date,
        "session": recipe.session_boost * prior,
        "bookkeeping": np.array([_bookkeeping(row) for row in rows], np.float64),
    }


def _lift(scores: Scores, exact: Sequence[float]) -> Scores:
    """Return what the rows of an exact match lack to come first, the best match foremost."""
    lift = np.zeros(len(exact))
    top = max((scores[at] for at, match in enumerate(exact) if not match), default=0.0)
    matches = [at for at, match in enumerate(exact) if match]
    for at in sorted(matches, key=lambda at: (exact[at], scores[at])):
        lift[at] = max(0.0, top + _AHEAD - scores[at])
        top = scores[at] + lift[at]
    return lift


def _salience(connection: Connection, rows: Sequence[Candidate], *, now: str) -> Scores:
    """Return the salience, 0 to 1, of the entity of each row; 0 for rows without an entity."""
    subjects = {row.subject_id for row in rows}
    known = saliences(connection, subjects, now=datetime.fromisoformat(now))
    return np.array([known.get(row.subject_id, 0.0) for row in rows], np.float64)


def _link(asked: Asked, row: Candidate) -> float:
    if row.kind == _CARD:
        return 0.0
    if row.subject_id in asked.named:
        return asked.recipe.link_boost
    return asked.recipe.related_boost if row.subject_id in asked.related else 0.0


def _bookkeeping(row: Candidate) -> float:
    """Return the penalty of a session: its record says when work was done, not what is known."""
    if row.session_state == "active":
        return _RUNNING_SESSION
    return _PAST_SESSION if row.session_state and row.kind == _CARD else 0.0


def _date(asked: Asked, row: Candidate) -> float:
    if not asked.dates:
        return 0.0
    day = date.fromisoformat(row.occurred_at[:10])
    recipe = asked.recipe
    return recipe.date_boost * date_proximity(day, list(asked.dates), days=recipe.date_days)
