"""
One vector instead of six.

The mean cosine similarity of a query to n unit vectors is its dot product with their sum, divided
by n. The sum is stored as a unit vector together with the length of the mean: cosine times length
is the mean again. So one dot product yields both scores, with one row per entry.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def merge_vectors(vectors: NDArray[Any]) -> tuple[NDArray[Any], float]:
    """Return the normalized mean of unit vectors, and the length of the mean, 0 to 1."""
    mean = vectors.mean(axis=0)
    norm = float(np.linalg.norm(mean))
    # Vectors that cancel out have no direction: use any, with length 0.
    return (mean / norm, norm) if norm else (vectors[0], 0.0)


def merged_scores(cosine: float, norm: float) -> tuple[float, float]:
    """Return score and score_merged for the cosine similarity of a query to the merged vector."""
    score = min(max(cosine, 0.0), 1.0)
    return score, score * norm
