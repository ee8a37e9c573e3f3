"""Settings of search."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, JsonValue, field_validator
from pydantic import ValidationError as PydanticValidationError
from pydantic_settings import NoDecode

from ..model.search.recipe import Recipe
from ..model.search.vectors import BackendKind


class SearchSettingsFields(BaseModel):
    """Fields of Settings for search."""

    fusion: Literal["blend", "rrf"] = Field(
        default="blend",
        description="How full-text and vector results are combined: score blend or reciprocal "
        "rank fusion.",
    )
    recipe: Annotated[dict[str, JsonValue], NoDecode] = Field(
        default={},
        description='Ranking weights to override, as a JSON object such as {"dense": 0.5, '
        '"link_boost": 0.2}; docs/configuration.md lists them.',
    )
    vector_backend: BackendKind = Field(
        default="turbovec",
        description="Vector index: turbovec, exact (brute force in memory), or sqlite-vec "
        "(brute force in a file; needs an extra package).",
    )
    vector_oversample: int = Field(
        default=5,
        ge=1,
        le=100,
        description="Vector candidates rescored exactly, per requested hit.",
    )
    vector_candidates: int = Field(
        default=200,
        ge=100,
        le=10_000,
        description="Minimum number of vector candidates rescored exactly.",
    )
    vector_exact_below: int = Field(
        default=3000,
        ge=0,
        le=1_000_000,
        description="Number of vectors below which search is exact.",
    )
    rerank_candidate_multiplier: int = Field(
        default=3, ge=1, le=50, description="Hits reranked by the cross-encoder, per requested hit."
    )
    memory_user_entity: str = Field(
        default="",
        description="ID of the entity that I and my refer to in a query. Unset: none.",
    )

    @field_validator("fusion", "vector_backend", mode="before")
    @classmethod
    def _lower_case_search_options(cls, value: Any) -> Any:
        return value.strip().lower() if isinstance(value, str) else value

    @field_validator("recipe", mode="before")
    @classmethod
    def _parse_recipe(cls, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        try:
            return json.loads(value)
        except json.JSONDecodeError as error:
            raise ValueError(f"invalid JSON: {error}") from error

    @field_validator("recipe")
    @classmethod
    def _validate_recipe(cls, value: dict[str, JsonValue]) -> dict[str, JsonValue]:
        if unknown := sorted(value.keys() - Recipe.model_fields.keys()):
            known = ", ".join(Recipe.model_fields)
            raise ValueError(f"unknown weights: {', '.join(unknown)}. Valid weights: {known}")
        try:
            Recipe.model_validate(value)
        except PydanticValidationError as error:
            raise ValueError("; ".join(_format_error(each) for each in error.errors())) from error
        return value

    def ranking(self) -> Recipe:
        """Return the ranking parameters: RECIPE, then FUSION, then the defaults."""
        return Recipe.model_validate({"fusion": self.fusion, **self.recipe})


def _format_error(error: Any) -> str:
    rule = str(error["msg"])
    return f"{error['loc'][0]} = {error['input']!r}: {rule[:1].lower()}{rule[1:]}"
