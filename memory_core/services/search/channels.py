"""Candidates of all search channels, by row."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from ...model.search.recipe import Recipe

PieceHits = Sequence[tuple[int, float]]

# The number of a piece takes the lower bits of its id.
_BITS = 24


class Channels:
    """
    The bm25 and the cosine of rows and of their pieces, as far as they are known.

    A row has the score of its best piece. *trust* says how much of bm25's share of
    a score is left to it for this query.
    """

    def __init__(self, lexical: PieceHits, vector: PieceHits, *, trust: float = 1.0) -> None:
        self.trust = trust
        self.bm25: dict[int, float] = {}
        self.cosine: dict[int, float] = {}
        self._pieces: dict[int, dict[int, list[float]]] = defaultdict(dict)
        for piece, score in lexical:
            self.bm25.setdefault(piece >> _BITS, score)
            self._of(piece)[0] = score
        self.by_lexical = list(self.bm25)
        self.learn_cosines(vector)
        self.by_vector = list(self.cosine)

    def learn_cosines(self, found: Iterable[tuple[int, float]]) -> None:
        """Add cosines of pieces."""
        for piece, cosine in found:
            row = piece >> _BITS
            self.cosine[row] = max(cosine, self.cosine.get(row, -1.0))
            self._of(piece)[1] = cosine

    def pieces_without_cosine(self, rows: Iterable[int]) -> list[int]:
        """Return the matching pieces of those *rows* of which no cosine is known."""
        return [piece for row in rows if row not in self.cosine for piece in self._pieces[row]]

    def dense(self, recipe: Recipe) -> float:
        """Return the cosine's share of a score; what bm25 is not trusted with is added to it."""
        return 1 - (1 - recipe.dense) * self.trust

    def best_pieces(self, row: int, recipe: Recipe, *, most: int) -> list[tuple[int, float]]:
        """Return the pieces of a row that matched best, scored as rows are."""
        top_bm25 = max(self.bm25.values(), default=0.0) or 1.0
        dense = self.dense(recipe)
        scored = [
            (piece, dense * max(cosine, 0.0) + (1 - dense) * bm25 / top_bm25)
            for piece, (bm25, cosine) in self._pieces[row].items()
        ]
        return sorted(scored, key=lambda piece: (-piece[1], piece[0]))[:most]

    def _of(self, piece: int) -> list[float]:
        return self._pieces[piece >> _BITS].setdefault(piece, [0.0, 0.0])
