"""Ranking parameters of a search."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ..base import Value

Fusion = Literal["blend", "rrf"]
NamesOut = Literal["no", "removed", "first_person"]


class Recipe(Value):
    """
    Weights of a search, measured on public conversations (docs/benchmarks.md).

    The score of a row is ``dense * cosine + (1 - dense) * bm25``, both scaled to 0..1, plus the
    boosts. For facts with few full-text matches, part of the bm25 weight moves to the cosine
    (rules/text/coverage.py).
    """

    fusion: Fusion = Field(
        "blend", description="blend: of scores, with boosts; rrf: of ranks, without boosts."
    )
    dense: float = Field(
        0.6,
        ge=0,
        le=1,
        description="Weight of the cosine similarity in the blend; bm25 gets the rest.",
    )
    cosine_floor: float = Field(
        -0.1,
        ge=-1,
        le=0.9,
        description="Cosine similarity that maps to 0 in the blend; the best maps to 1.",
    )
    lexical_least: float = Field(
        0.5,
        ge=0,
        le=1,
        description="Minimum share of the bm25 weight, for facts whose best row has low "
        "coverage; 1: off.",
    )
    covers_little: float = Field(
        0.3, ge=0, le=1, description="Query coverage, weighted by rarity, that counts as low."
    )
    covers_enough: float = Field(
        0.6, ge=0, le=1, description="Query coverage from which bm25 has its full weight."
    )
    own_weight: float = Field(1.0, ge=0, le=10, description="bm25 weight of a row's own text.")
    day_weight: float = Field(0.3, ge=0, le=10, description="bm25 weight of the words of its date.")
    context_weight: float = Field(
        0.4, ge=0, le=10, description="bm25 weight of the text of its neighbours in the session."
    )
    link_boost: float = Field(
        0.35, ge=0, le=5, description="Boost for rows of the only entity the query names."
    )
    related_boost: float = Field(
        0.05, ge=0, le=5, description="Boost for rows of entities related to that entity."
    )
    date_boost: float = Field(
        0.2, ge=0, le=5, description="Boost for rows of a date the query names."
    )
    date_days: float = Field(
        10.0, gt=0, le=1000, description="Days after which the date boost falls to 37 %."
    )
    session_boost: float = Field(
        0.1,
        ge=0,
        le=5,
        description="Share of the mean score of its session's best rows added to a row.",
    )
    session_top: int = Field(
        5, ge=1, le=40, description="Number of best rows that make up a session's score."
    )
    session_rows: int = Field(
        48, ge=0, le=1000, description="Sessions with more rows get no session boost."
    )
    salience_boost: float = Field(
        0.0,
        ge=0,
        le=5,
        description="Share of its entity's salience (use, age and degree) added to a row; 0: off.",
    )
    names_out: NamesOut = Field(
        "first_person",
        description="Names in the embedded query: kept, removed, or people replaced by I and my.",
    )
    pool: int = Field(100, ge=10, le=2000, description="Number of candidates per channel.")
    large_pool: int = Field(
        100, ge=10, le=5000, description="Number of candidates per channel in a large store."
    )
    large_store: int = Field(
        20_000, ge=0, le=100_000_000, description="Number of passages from which a store is large."
    )
    lexical_reach: int = Field(
        200,
        ge=10,
        le=10_000,
        description="Number of full-text hits whose bm25 score is used in the blend.",
    )
    rrf_k: int = Field(60, ge=1, le=1000, description="Constant k of reciprocal rank fusion.")
    common_share: float = Field(
        0.25, gt=0, le=1, description="Words in more than this share of a large store are ignored."
    )
    query_terms: int = Field(
        256, ge=1, le=1000, description="Maximum number of distinct query words."
    )

    def bm25_weights(self) -> tuple[float, float, float]:
        return self.own_weight, self.day_weight, self.context_weight
