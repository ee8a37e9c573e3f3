"""
Absolute relevance of search hits: the probability that a hit belongs to the question.

Scores rank the hits of one query; their scale differs from query to query. The relevance is a
logistic function of three features that mean the same for all queries: the cosine similarity,
bm25 divided by the highest bm25 that the words of the query allow, and whether the hit belongs to
the entity that the query names. A single statement (a fact or an entry) is often asked for in other
words, at a lower similarity, and has its own offset. `python -m benchmarks.relevance` fits the
constants on one half of the data and measures them on the other.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

# The best hits show whether the memory answers the question at all. Therefore the best of them
# count for two thirds of the relevance of each hit.
_OWN = 0.33
_BEST_OF = 10

# Of fewer passages, the best one is less often similar by chance.
_MANY = 600

# Word frequencies of fewer passages say nothing.
_FEW = 100


@dataclass(frozen=True)
class Calibration:
    """Coefficients of the logistic function."""

    cosine: float
    lexical: float
    linked: float
    statement: float
    intercept: float


# By embedding model: models differ in the scale of their cosines.
_CALIBRATIONS = {"all-MiniLM-L6-v2": Calibration(16.5, 7.0, 3.0, 1.75, -8.75)}
_LEXICAL_ONLY = Calibration(0.0, 12.9, 4.1, 2.0, -6.5)


@dataclass(frozen=True)
class Relevance:
    """Relevances of hits in 0..1, and whether a floor may be applied to them."""

    values: NDArray[np.float64]
    calibrated: bool


def relevance(
    model: str,
    *,
    cosine: NDArray[np.float64],
    lexical: NDArray[np.float64],
    linked: NDArray[np.bool_],
    statement: NDArray[np.bool_],
    passages: int,
) -> Relevance:
    """
    Return the relevance of hits, given best first.

    *model* is the embedding model, "" for keyword search; *passages* is the size of the store. An
    unknown model is measured by its words alone and without a floor, as is keyword search in a
    store that is too small for word frequencies.
    """
    calibration = _CALIBRATIONS.get(model.split("/")[0])
    known = calibration is not None or (not model and passages >= _FEW)
    weights = calibration or _LEXICAL_ONLY
    own = (
        weights.cosine * np.clip(np.nan_to_num(cosine), 0.0, 1.0)
        + weights.lexical * np.clip(lexical, 0.0, 1.0)
        + weights.linked * linked
        + weights.statement * statement
        + weights.intercept
        + _small_store_offset(passages)
    )
    best = own[:_BEST_OF].max(initial=-30.0)
    logits = np.clip(_OWN * own + (1 - _OWN) * best, -30.0, 30.0)
    return Relevance(1 / (1 + np.exp(-logits)), known)


def _small_store_offset(passages: int) -> float:
    return 0.5 * math.log(_MANY / min(max(passages, 6), _MANY))
