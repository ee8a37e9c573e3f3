"""The settings of search."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, JsonValue, field_validator
from pydantic import ValidationError as PydanticValidationError
from pydantic_settings import NoDecode

from ..model.search.recipe import Recipe
from ..model.search.vectors import BackendKind


class SearchSettingsFields(BaseModel):
    """What a person may set about search; a part of Settings."""

    fusion: Literal["blend", "rrf"] = Field(
        default="blend",
        description="How full text and vectors are joined: score blend or reciprocal rank.",
    )
    recipe: Annotated[dict[str, JsonValue], NoDecode] = Field(
        default={},
        description="Weights of the ranking to change, as a JSON object, such as "
        '{"dense": 0.5, "link_boost": 0.2}; docs/configuration.md lists them.',
    )
    vector_backend: BackendKind = Field(
        default="turbovec",
        description="What holds many vectors: turbovec, exact (every one compared), or sqlite-vec "
        "(the same in a file instead of memory; a package of its own).",
    )
    vector_oversample: int = Field(
        default=5,
        ge=1,
        le=100,
        description="Vector candidates rescored exactly, for each hit asked for.",
    )
    vector_candidates: int = Field(
        default=200, ge=100, le=10_000, description="Vector candidates rescored exactly, at least."
    )
    vector_exact_below: int = Field(
        default=3000,
        ge=0,
        le=1_000_000,
        description="Below this many vectors each one is compared exactly.",
    )
    rerank_candidate_multiplier: int = Field(
        default=3, ge=1, le=50, description="Hits the cross-encoder sees, for each hit asked for."
    )
    memory_user_entity: str = Field(
        default="",
        description="Id of the entity that I and my mean in a query. Unset: no such link.",
    )

    @field_validator("fusion", "vector_backend", mode="before")
    @classmethod
    def _small_letters(cls, value: Any) -> Any:
        return value.strip().lower() if isinstance(value, str) else value

    @field_validator("recipe", mode="before")
    @classmethod
    def _read(cls, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        try:
            return json.loads(value)
        except json.JSONDecodeError as error:
            raise ValueError(f"this is not JSON: {error}") from error

    @field_validator("recipe")
    @classmethod
    def _of_known_weights(cls, value: dict[str, JsonValue]) -> dict[str, JsonValue]:
        if unknown := sorted(value.keys() - Recipe.model_fields.keys()):
            known = ", ".join(Recipe.model_fields)
            raise ValueError(f"there is no weight {', '.join(unknown)}. The weights are {known}")
        try:
            Recipe.model_validate(value)
        except PydanticValidationError as error:
            raise ValueError("; ".join(_format_error(wrong) for wrong in error.errors())) from error
        return value

    def ranking(self) -> Recipe:
        """Return how searches rank: as RECIPE says, the rest as FUSION says and as shipped."""
        return Recipe.model_validate({"fusion": self.fusion, **self.recipe})


def _format_error(wrong: Any) -> str:
    rule = str(wrong["msg"])
    return f"{wrong['loc'][0]} = {wrong['input']!r}: {rule[:1].lower()}{rule[1:]}"
