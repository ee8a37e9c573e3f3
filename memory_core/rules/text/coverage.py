"""
Weight of the full-text channel by query coverage.

bm25 scores are scaled by their best row. For a question phrased differently from its answer, one
chance word would count as much as a full match. Therefore the weight decreases with the coverage of
the query by the best row, weighted by word rarity.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

# A row is found by one word at least.
_LEAST_COVERAGE = 0.001


def rarity(count: int, *, of: int) -> float:
    """Return the rarity of a word that *count* of *of* rows contain; at least 0."""
    return math.log1p((max(of, count) - count + 0.5) / (count + 0.5))


def query_coverage(rarities: Sequence[float], covered: Sequence[bool]) -> float:
    """Return the share of a query that a row covers, by the rarity of its words; more than 0."""
    whole = sum(rarities)
    found = sum(each for each, has in zip(rarities, covered, strict=True) if has)
    return max(found / whole, _LEAST_COVERAGE) if whole > 0 else 1.0


def lexical_trust(
    rarities: Sequence[float],
    covered: Sequence[bool],
    *,
    least: float,
    little: float,
    enough: float,
) -> float:
    """
    Return *least* if the best row covers at most *little* of a query, 1 from *enough* on.

    It is linear in between. Two words as rare as the rarest of the query are enough as well,
    however long the query: both together are no coincidence.
    """
    whole, rarest = sum(rarities), max(rarities, default=0.0)
    if rarest <= 0:
        return 1.0
    found = sum(each for each, has in zip(rarities, covered, strict=True) if has)
    by_share = (found / whole - little) / max(enough - little, 1e-9)
    by_words = found / rarest - 1
    return least + (1 - least) * min(1.0, max(0.0, by_share, by_words))
