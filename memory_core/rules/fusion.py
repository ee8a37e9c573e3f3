"""
Score fusion: combine two candidate lists into one ranking.

1. Blending keeps score differences, which ranks discard. Cosine similarities are scaled to 0..1
   between a fixed floor and the best, bm25 scores between 0 and the best.
2. The score of a session is the mean of its best few rows; missing rows count 0.
3. Reciprocal rank fusion (Cormack, Clarke and Buettcher, 2009) needs no common scale; it is used
   when channel weights are given.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float64]


def blend_scores(cosine: Scores, bm25: Scores, *, dense: float, floor: float) -> Scores:
    """
    Return ``dense * cosine + (1 - dense) * bm25`` by row, both scaled.

    Unknown scores are NaN in *cosine* and 0 in *bm25*. If one channel has no result, the other
    counts in full.
    """
    meaning = _scale_cosines(cosine, floor)
    words = bm25 / max(float(bm25.max(initial=0.0)), 1e-9)
    if meaning is None:
        return np.asarray(words)
    if not words.any():
        return meaning
    return np.asarray(dense * meaning + (1 - dense) * words)


def reciprocal_rank_fusion(
    rankings: Iterable[tuple[float, Sequence[int]]], *, k: int
) -> dict[int, float]:
    """Return the sum over *rankings* of weight / (k + rank), by item."""
    scores: dict[int, float] = defaultdict(float)
    for weight, ranking in rankings:
        for rank, item in enumerate(ranking, start=1):
            scores[item] += weight / (k + rank)
    return dict(scores)


def session_prior(
    scores: Scores, sessions: Sequence[str | None], sizes: Mapping[str, int], *, top: int
) -> Scores:
    """
    Return the mean score of the best *top* rows of each row's session.

    *sizes* has the number of rows by session; rows of other sessions, or of none, get 0. A session
    with fewer than *top* rows is averaged over all its rows.
    """
    members: dict[str, list[float]] = defaultdict(list)
    for session, score in zip(sessions, scores.tolist(), strict=True):
        if session is not None and session in sizes:
            members[session].append(score)
    prior: dict[str | None, float] = {
        session: sum(sorted(best, reverse=True)[:top]) / min(top, max(sizes[session], len(best)))
        for session, best in members.items()
    }
    return np.array([prior.get(session, 0.0) for session in sessions], np.float64)


def rank_order(scores: Scores, ids: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the indexes of *scores*, best first; ties are ordered by id."""
    return np.asarray(np.lexsort((ids, -scores)))


def _scale_cosines(cosine: Scores, floor: float) -> Scores | None:
    known = cosine[~np.isnan(cosine)]
    if not known.size or known.max() <= floor:
        return None
    scaled = (np.nan_to_num(cosine, nan=floor) - floor) / (known.max() - floor)
    return np.asarray(np.clip(scaled, 0.0, 1.0))
