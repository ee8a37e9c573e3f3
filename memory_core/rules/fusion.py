"""
From two lists of candidates to one ranking.

1. The blend keeps how far ahead a hit is, which ranks throw away. Cosines are put
   on 0..1 between a fixed floor and the best, bm25 between 0 and the best.
2. A session speaks for its rows by the mean of its best few, absent ones counting 0.
3. Reciprocal rank fusion (Cormack, Clarke and Buettcher, 2009) needs no common
   scale; it is what explicit channel weights ask for.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float64]


def blend_scores(cosine: Scores, bm25: Scores, *, dense: float, floor: float) -> Scores:
    """
    Return ``dense`` parts of cosine and the rest of bm25, row by row.

    NaN stands for a cosine that is not known, 0 for a bm25 that is not. If one
    channel brought nothing at all the other counts in full.
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

    *sizes* says how many rows a session has in all; what has none there, or no
    session, gets 0. A session of fewer rows than *top* is judged by all it has.
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
    """Return the places of *scores* from the best; equals by id, so that order is stable."""
    return np.asarray(np.lexsort((ids, -scores)))


def _scale_cosines(cosine: Scores, floor: float) -> Scores | None:
    known = cosine[~np.isnan(cosine)]
    if not known.size or known.max() <= floor:
        return None
    scaled = (np.nan_to_num(cosine, nan=floor) - floor) / (known.max() - floor)
    return np.asarray(np.clip(scaled, 0.0, 1.0))
