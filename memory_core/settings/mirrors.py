"""The settings of a copy of the vectors elsewhere."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field, SecretStr, field_validator

from .language_models import validate_api_key, validate_url


class MirrorSettingsFields(BaseModel):
    """What a person may set about a copy of the vectors elsewhere; a part of Settings."""

    vector_mirror: Literal["none", "upstash", "pinecone"] = Field(
        default="none",
        description="A service that keeps a copy of the vectors for other programs; searches "
        "here never use it.",
    )
    vector_mirror_url: str = Field(
        default="", description="Address of its index, such as UPSTASH_VECTOR_REST_URL."
    )
    vector_mirror_key: SecretStr | None = Field(
        default=None, description="Its key or token, which may write."
    )
    vector_mirror_namespace: str = Field(
        default="memory",
        pattern=r"^[A-Za-z0-9_-]{1,40}$",
        description="Begin of the two namespaces there that belong to this memory alone; they "
        "are emptied when the copy is made anew.",
    )
    vector_mirror_allow_remote: bool = Field(
        default=False, description="Whether VECTOR_MIRROR_URL may name another machine."
    )
    vector_mirror_text: bool = Field(
        default=False,
        description="Whether the texts go there too; otherwise ids and vectors alone.",
    )

    @field_validator("vector_mirror", mode="before")
    @classmethod
    def _mirror_in_small_letters(cls, value: Any) -> Any:
        return value.strip().lower() if isinstance(value, str) else value

    @field_validator("vector_mirror_key")
    @classmethod
    def _key_of_the_mirror(cls, value: SecretStr | None) -> SecretStr | None:
        return validate_api_key(value)

    @field_validator("vector_mirror_url")
    @classmethod
    def _address_of_the_mirror(cls, value: str) -> str:
        return validate_url(value)
