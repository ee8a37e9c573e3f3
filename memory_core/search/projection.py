"""Two-dimensional projection and cohesion of vectors for charts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Plane = NDArray[np.float32]


def plane(matrix: NDArray[np.float16]) -> tuple[Plane, float]:
    """
    Return the projection of each row onto the plane of greatest variance, and the explained share.

    Deterministic: the sign of an axis makes its greatest weight positive.
    """
    count = len(matrix)
    if count < 2:
        return np.zeros((count, 2), dtype=np.float32), 1.0
    centred = matrix.astype(np.float32)
    centred -= centred.mean(axis=0)
    values, vectors = np.linalg.eigh((centred.T @ centred).astype(np.float64))
    axes = vectors[:, [-1, -2]] if vectors.shape[1] > 1 else np.pad(vectors, ((0, 0), (0, 1)))
    signs = np.sign(axes[np.abs(axes).argmax(axis=0), [0, 1]])
    total = float(values.clip(0).sum())
    share = float(values[-2:].clip(0).sum()) / total if total > 0 else 1.0
    return (centred @ (axes * np.where(signs == 0, 1, signs))).astype(np.float32), share


def cohesion(matrix: NDArray[np.float16], rows: Sequence[int]) -> float:
    """Return the mean pairwise cosine of some rows, which are unit vectors."""
    count = len(rows)
    if count < 2:
        return 1.0
    whole = matrix[list(rows)].astype(np.float64)
    # Computed from the length of the sum, without listing the pairs.
    together = float(np.square(whole.sum(axis=0)).sum())
    alone = float(np.square(whole).sum())
    return (together - alone) / (count * (count - 1))
