"""
One vector in place of six.

The mean of the cosines of a query with n unit vectors is its dot product with their sum
over n. Scaled to length 1, that mean is a direction, and how long it was is kept beside
it: the cosine with the direction, times that length, is the mean of the n cosines again.
So one dot product gives both scores, and one row an entry is enough.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def merge_vectors(vectors: NDArray[Any]) -> tuple[NDArray[Any], float]:
    """Return the mean of unit vectors at length 1, and the length it had, 0 to 1."""
    mean = vectors.mean(axis=0)
    norm = float(np.linalg.norm(mean))
    # Vectors that cancel out have no direction; any one is as good, at length 0.
    return (mean / norm, norm) if norm else (vectors[0], 0.0)


def merged_scores(cosine: float, norm: float) -> tuple[float, float]:
    """Return score and score_merged of a query whose cosine with the direction is known."""
    score = min(max(cosine, 0.0), 1.0)
    return score, score * norm
