"""All ranking weights and sizes, in one value."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ..base import Value

Fusion = Literal["blend", "rrf"]
NamesOut = Literal["no", "removed", "first_person"]


class Recipe(Value):
    """
    Weights of a search, measured on public conversations (docs/benchmarks.md).

    A row's score is ``dense * cosine + (1 - dense) * bm25``, both put on a scale
    of 0 to 1, plus what the boosts add. Where facts are asked for and full text
    found little (rules/coverage.py), some of bm25's share goes to the cosine.
    """

    fusion: Fusion = Field(
        "blend", description="blend: of scores, with boosts; rrf: of ranks, without."
    )
    dense: float = Field(
        0.6, ge=0, le=1, description="Share of the cosine in the blend; the rest is bm25's."
    )
    cosine_floor: float = Field(
        -0.1, ge=-1, le=0.9, description="The cosine that counts as 0 in the blend; the best is 1."
    )
    lexical_least: float = Field(
        0.5,
        ge=0,
        le=1,
        description="What is left of bm25's share of facts whose best covers little; 1: off.",
    )
    covers_little: float = Field(
        0.3, ge=0, le=1, description="Share of the query, by rarity, that is little to cover."
    )
    covers_enough: float = Field(
        0.6, ge=0, le=1, description="Share from which bm25 has all of its own."
    )
    own_weight: float = Field(1.0, ge=0, le=10, description="bm25 weight of a row's own words.")
    day_weight: float = Field(0.3, ge=0, le=10, description="bm25 weight of the words of its day.")
    context_weight: float = Field(
        0.4, ge=0, le=10, description="bm25 weight of the words of its neighbours in the session."
    )
    link_boost: float = Field(
        0.35, ge=0, le=5, description="Added to rows filed under the one entity the query names."
    )
    related_boost: float = Field(
        0.05, ge=0, le=5, description="Added to rows of entities related to the one it names."
    )
    date_boost: float = Field(
        0.2, ge=0, le=5, description="Added to rows of a day that the query names."
    )
    date_days: float = Field(
        10.0, gt=0, le=1000, description="Days after which the date boost is down to 37 %."
    )
    session_boost: float = Field(
        0.1, ge=0, le=5, description="Share of the mean of its session's best rows that a row gets."
    )
    session_top: int = Field(5, ge=1, le=40, description="How many best rows speak for a session.")
    session_rows: int = Field(
        48, ge=0, le=1000, description="Sessions of more rows get no session boost."
    )
    salience_boost: float = Field(
        0.0,
        ge=0,
        le=5,
        description="Share of its entity's salience (use, age and degree) that a row gets; 0: off.",
    )
    names_out: NamesOut = Field(
        "first_person",
        description="Names in what is embedded of a query: kept, left out, or I and my for people.",
    )
    pool: int = Field(100, ge=10, le=2000, description="Candidates that each channel brings.")
    large_pool: int = Field(100, ge=10, le=5000, description="The same in a large store.")
    large_store: int = Field(
        20_000, ge=0, le=100_000_000, description="Pieces from which a store is large."
    )
    lexical_reach: int = Field(
        200, ge=10, le=10_000, description="Full-text hits whose bm25 is known to the blend."
    )
    rrf_k: int = Field(60, ge=1, le=1000, description="Constant of reciprocal rank fusion.")
    common_share: float = Field(
        0.25, gt=0, le=1, description="Words in more than this share of a large store are dropped."
    )
    query_terms: int = Field(256, ge=1, le=1000, description="Distinct words of a query looked up.")

    def bm25_weights(self) -> tuple[float, float, float]:
        return self.own_weight, self.day_weight, self.context_weight
