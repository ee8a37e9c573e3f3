"""Weight of full text for one query, by how much of it the best hit covers.

bm25 is put on a scale by its best row, whatever that row is. Of a question in
other words than the answer's, one chance word is then all that full text
found, and would count as much as a whole sentence. So it counts the less, the
less of the query its best row covers: by how rare the words are, since the
name that every row has covers nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence


def rarity(count: int, *, of: int) -> float:
    """Return how much a word tells that *count* of *of* rows have; never less than 0."""
    return math.log1p((max(of, count) - count + 0.5) / (count + 0.5))


def lexical_trust(
    rarities: Sequence[float],
    covered: Sequence[bool],
    *,
    least: float,
    little: float,
    enough: float,
) -> float:
    """
    Return *least* where the best row covers *little* of a query, 1 where it covers *enough*.

    Between the two it rises evenly. Two words as rare as the query's rarest are
    enough too, however long the query: that both are there is no chance.
    """
    whole, rarest = sum(rarities), max(rarities, default=0.0)
    if rarest <= 0:
        return 1.0
    found = sum(each for each, has in zip(rarities, covered, strict=True) if has)
    by_share = (found / whole - little) / max(enough - little, 1e-9)
    by_words = found / rarest - 1
    return least + (1 - least) * min(1.0, max(0.0, by_share, by_words))
