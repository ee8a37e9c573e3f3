"""The settings of embedding models that are asked over HTTP."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field, SecretStr, field_validator

from .language_models import validate_api_key, validate_url


class EmbeddingSettingsFields(BaseModel):
    """What a person may set about embeddings made elsewhere; a part of Settings."""

    embedding_provider: Literal["local", "openai_compatible", "openai", "voyage", "google"] = Field(
        default="local",
        description="What makes vectors: a model in this process, a server with OpenAI's "
        "interface (Ollama, LM Studio, vLLM), or a provider, to which every text then goes.",
    )
    embedding_base_url: str = Field(
        default="",
        description="Address of its API. Unset: the provider's own; for openai_compatible that of "
        "Ollama, http://127.0.0.1:11434/v1.",
    )
    embedding_api_key: SecretStr | None = Field(
        default=None,
        description="Key for EMBEDDING_PROVIDER. Unset: the provider's own key, such as "
        "OPENAI_API_KEY.",
    )
    embedding_dimensions: int = Field(
        default=0,
        ge=0,
        le=8192,
        description="Numbers of a vector, asked for from a provider whose model can shorten them. "
        "0: as the model has them.",
    )
    embedding_allow_remote: bool = Field(
        default=False,
        description="Whether EMBEDDING_BASE_URL may name another machine, to which texts go.",
    )
    embedding_timeout: int = Field(
        default=30, ge=1, le=600, description="Seconds until a batch of texts is given up."
    )
    voyage_api_key: SecretStr | None = Field(default=None, description="Key of Voyage AI.")

    @field_validator("embedding_provider", mode="before")
    @classmethod
    def _provider_in_one_spelling(cls, value: Any) -> Any:
        return value.strip().lower().replace("-", "_") if isinstance(value, str) else value

    @field_validator("embedding_api_key", "voyage_api_key")
    @classmethod
    def _key_that_fits_a_header(cls, value: SecretStr | None) -> SecretStr | None:
        return validate_api_key(value)

    @field_validator("embedding_base_url")
    @classmethod
    def _address_of_embeddings(cls, value: str) -> str:
        return validate_url(value)
