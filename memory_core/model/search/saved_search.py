"""Saved searches: a query with its filters and ranking."""

from __future__ import annotations

from datetime import date

from pydantic import Field

from ..base import Value
from .recipe import Recipe
from .results import Kind, Rerank


class SearchSettings(Value):
    """Filters, ranking and size of a search."""

    node_types: tuple[str, ...] = Field((), description="Only entities of these types.")
    kinds: tuple[Kind, ...] = Field((), description="Only rows of these kinds.")
    since: date | None = Field(None, description="Only from this day.")
    rerank: Rerank = Field("auto", description="Whether the cross-encoder reranks the hits.")
    limit: int = Field(10, ge=1, le=100, description="Maximum number of rows.")
    include_archived: bool = Field(
        False, description="Whether archived and superseded rows are included."
    )
    weights: tuple[tuple[str, float], ...] = Field(
        (), description="Weight of each channel for rank fusion; empty: the default."
    )
    recipe: Recipe | None = Field(None, description="Ranking to try; none: the default.")


class SavedSearch(Value):
    """A named query."""

    name: str = Field(description="Name, unique in a project.")
    project_id: str = Field(description='Project to search; "*" for all projects.')
    query: str = Field(description="The query.")
    settings: SearchSettings = Field(SearchSettings(), description="Search options.")
