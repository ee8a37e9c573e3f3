"""Settings of embedding models."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field, SecretStr, field_validator

from .language_models import validate_api_key, validate_url


class EmbeddingSettingsFields(BaseModel):
    """Fields of Settings for embedding providers."""

    embedding_provider: Literal["local", "openai_compatible", "openai", "voyage", "google"] = Field(
        default="local",
        description="Source of embeddings: local (a model in this process), openai_compatible "
        "(a server such as Ollama, LM Studio or vLLM), or a provider, which then "
        "receives all texts.",
    )
    embedding_base_url: str = Field(
        default="",
        description="Base URL of the API. Unset: the provider's default; for openai_compatible "
        "http://127.0.0.1:11434/v1 (Ollama).",
    )
    embedding_api_key: SecretStr | None = Field(
        default=None,
        description="API key for EMBEDDING_PROVIDER. Unset: the provider's key, such as "
        "OPENAI_API_KEY.",
    )
    embedding_dimensions: int = Field(
        default=0,
        ge=0,
        le=8192,
        description="Vector dimension to request, for models that support shorter vectors. 0: "
        "the model's default.",
    )
    embedding_allow_remote: bool = Field(
        default=False,
        description="Allow EMBEDDING_BASE_URL to point to another machine, which then receives "
        "all texts.",
    )
    embedding_timeout: int = Field(
        default=30, ge=1, le=600, description="Timeout in seconds for one batch of texts."
    )
    voyage_api_key: SecretStr | None = Field(default=None, description="API key for Voyage AI.")

    @field_validator("embedding_provider", mode="before")
    @classmethod
    def _normalize_embedding_provider(cls, value: Any) -> Any:
        return value.strip().lower().replace("-", "_") if isinstance(value, str) else value

    @field_validator("embedding_api_key", "voyage_api_key")
    @classmethod
    def _validate_embedding_keys(cls, value: SecretStr | None) -> SecretStr | None:
        return validate_api_key(value)

    @field_validator("embedding_base_url")
    @classmethod
    def _validate_embedding_url(cls, value: str) -> str:
        return validate_url(value)
