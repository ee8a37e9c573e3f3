"""A question that somebody keeps, with everything that bears on its answer."""

from __future__ import annotations

from datetime import date

from pydantic import Field

from ..base import Value
from .recipe import Recipe
from .results import Kind, Rerank


class SearchSettings(Value):
    """Filters, ranking and size of a search."""

    node_types: tuple[str, ...] = Field((), description="Only of entities of these types.")
    kinds: tuple[Kind, ...] = Field((), description="Only of these kinds of row.")
    since: date | None = Field(None, description="Only from this day on.")
    rerank: Rerank = Field("auto", description="Whether the cross-encoder has the last word.")
    limit: int = Field(10, ge=1, le=100, description="How many rows at most.")
    include_archived: bool = Field(False, description="Archived and superseded rows too.")
    weights: tuple[tuple[str, float], ...] = Field(
        (), description="Weight of each channel, if ranks are joined; none: as set."
    )
    recipe: Recipe | None = Field(None, description="Ranking to try; none: as set.")


class SavedSearch(Value):
    """A question under a name."""

    name: str = Field(description="What it is called, once in a project.")
    project_id: str = Field(description='The project it is asked in; "*" is all of them.')
    query: str = Field(description="The question.")
    settings: SearchSettings = Field(SearchSettings(), description="How it is asked.")
