"""Candidates of all search channels, by row."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from ...model.search.recipe import Recipe

PieceHits = Sequence[tuple[int, float]]

# The lower bits of a piece's id are its number.
_BITS = 24


class Channels:
    """
    BM25 scores and cosines of rows and of their passages, as far as known.

    A row has the score of its best passage. *trust* is the part of bm25's weight that is left to it
    for this query; *attainable* is about the BM25 score of a row with all its words.
    *exact* has the rows that the query singles out (exact.py).
    """

    def __init__(
        self,
        lexical: PieceHits,
        vector: PieceHits,
        *,
        trust: float = 1.0,
        attainable: float = 1.0,
    ) -> None:
        self.trust = trust
        self.attainable = attainable
        self.exact: Mapping[int, float] = {}
        self.bm25: dict[int, float] = {}
        self.cosine: dict[int, float] = {}
        self._pieces: dict[int, dict[int, list[float]]] = defaultdict(dict)
        for piece, score in lexical:
            self.bm25.setdefault(piece >> _BITS, score)
            self._of(piece)[0] = score
        self.by_lexical = list(self.bm25)
        self.learn_cosines(vector)
        self.by_vector = list(self.cosine)

    def single_out(self, exact: Mapping[int, float]) -> None:
        """Add the rows that come first; one that no channel found is shown by its first passage."""
        self.exact = exact
        for row in exact:
            if row not in self._pieces:
                self._of(row << _BITS)

    def learn_cosines(self, found: Iterable[tuple[int, float]]) -> None:
        for piece, cosine in found:
            row = piece >> _BITS
            self.cosine[row] = max(cosine, self.cosine.get(row, -1.0))
            self._of(piece)[1] = cosine

    def pieces_without_cosine(self, rows: Iterable[int]) -> list[int]:
        """Return the matching passages of *rows* whose cosine is unknown."""
        return [piece for row in rows if row not in self.cosine for piece in self._pieces[row]]

    def dense(self, recipe: Recipe) -> float:
        """Return the weight of the cosine, including the weight that bm25 is not trusted with."""
        return 1 - (1 - recipe.dense) * self.trust

    def best_pieces(self, row: int, recipe: Recipe, *, most: int) -> list[tuple[int, float]]:
        """Return the passages of a row that matched best, scored like rows."""
        top_bm25 = max(self.bm25.values(), default=0.0) or 1.0
        dense = self.dense(recipe)
        scored = [
            (piece, dense * max(cosine, 0.0) + (1 - dense) * bm25 / top_bm25)
            for piece, (bm25, cosine) in self._pieces[row].items()
        ]
        return sorted(scored, key=lambda piece: (-piece[1], piece[0]))[:most]

    def _of(self, piece: int) -> list[float]:
        return self._pieces[piece >> _BITS].setdefault(piece, [0.0, 0.0])
