"""Settings of vector mirrors."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field, SecretStr, field_validator

from .language_models import validate_api_key, validate_url


class MirrorSettingsFields(BaseModel):
    """Fields of Settings for a vector mirror."""

    vector_mirror: Literal["none", "upstash", "pinecone"] = Field(
        default="none",
        description="External service that mirrors the vectors for other programs; not used by "
        "search.",
    )
    vector_mirror_url: str = Field(
        default="", description="URL of its index, such as UPSTASH_VECTOR_REST_URL."
    )
    vector_mirror_key: SecretStr | None = Field(
        default=None, description="API key or token with write access."
    )
    vector_mirror_namespace: str = Field(
        default="memory",
        pattern=r"^[A-Za-z0-9_-]{1,40}$",
        description="Prefix of the two namespaces reserved for this memory; a rebuild empties "
        "them.",
    )
    vector_mirror_allow_remote: bool = Field(
        default=False, description="Allow VECTOR_MIRROR_URL to point to another machine."
    )
    vector_mirror_text: bool = Field(
        default=False,
        description="Mirror the texts as well; otherwise only IDs and vectors.",
    )

    @field_validator("vector_mirror", mode="before")
    @classmethod
    def _normalize_mirror(cls, value: Any) -> Any:
        return value.strip().lower() if isinstance(value, str) else value

    @field_validator("vector_mirror_key")
    @classmethod
    def _validate_mirror_key(cls, value: SecretStr | None) -> SecretStr | None:
        return validate_api_key(value)

    @field_validator("vector_mirror_url")
    @classmethod
    def _validate_mirror_url(cls, value: str) -> str:
        return validate_url(value)
