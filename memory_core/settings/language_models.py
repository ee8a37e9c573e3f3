"""Settings of language models, and API keys of providers."""

from __future__ import annotations

from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, Field, SecretStr, field_validator

from ..errors import ConfigurationError

# The setting with the API key of each provider, for every purpose.
PROVIDER_KEYS = {
    "openai": "openai_api_key",
    "anthropic": "anthropic_api_key",
    "google": "google_api_key",
    "voyage": "voyage_api_key",
}


class LanguageModelSettingsFields(BaseModel):
    """Fields of Settings for language models."""

    llm_provider: Literal[
        "none", "openai_compatible", "openai", "anthropic", "google", "sampling", "rules"
    ] = Field(
        default="none",
        description="Extracts facts from conversations: openai_compatible (your own server), a "
        "provider, sampling (the assistant's own model), rules (no model), or none.",
    )
    llm_model: str = Field(
        default="", description="Name of the language model. Unset: a default of the provider."
    )
    llm_base_url: str = Field(
        default="",
        description="Base URL of the API. Unset: the provider's default; for openai_compatible "
        "http://127.0.0.1:11434/v1 (Ollama).",
    )
    llm_api_key: SecretStr | None = Field(
        default=None, description="API key for LLM_PROVIDER. Unset: the provider's key, below."
    )
    llm_allow_remote: bool = Field(
        default=False,
        description="Allow LLM_BASE_URL to point to another machine, which then receives "
        "conversations.",
    )
    llm_timeout: int = Field(
        default=60,
        ge=1,
        le=600,
        description="Timeout in seconds for a response of the language model.",
    )
    openai_api_key: SecretStr | None = Field(
        default=None, description="API key for OpenAI (language models and embeddings)."
    )
    anthropic_api_key: SecretStr | None = Field(default=None, description="API key for Anthropic.")
    google_api_key: SecretStr | None = Field(
        default=None, description="API key for Google (language models and embeddings)."
    )

    @field_validator("llm_provider", mode="before")
    @classmethod
    def _normalize_provider(cls, value: Any) -> Any:
        return value.strip().lower().replace("-", "_") if isinstance(value, str) else value

    @field_validator("llm_api_key", "openai_api_key", "anthropic_api_key", "google_api_key")
    @classmethod
    def _validate_keys(cls, value: SecretStr | None) -> SecretStr | None:
        return validate_api_key(value)

    @field_validator("llm_base_url")
    @classmethod
    def _validate_base_url(cls, value: str) -> str:
        return validate_url(value)

    def key_of(self, provider: str, own: SecretStr | None = None) -> str:
        """
        Return the API key for *provider*: *own*, or else the provider's key, or else LLM_API_KEY if
        it is for the same provider.

        Raise ConfigurationError if there is none.
        """
        name = PROVIDER_KEYS[provider]
        provider_key: SecretStr | None = getattr(self, name)
        shared_key = self.llm_api_key if self.llm_provider == provider else None
        key = own or provider_key or shared_key
        if key is None or not key.get_secret_value():
            raise ConfigurationError(
                f"No API key for {provider}. Set {name.upper()}, or choose another provider."
            )
        return key.get_secret_value()


def validate_api_key(value: SecretStr | None) -> SecretStr | None:
    """
    Return a key without surrounding whitespace; raise ValueError if it cannot be sent in a header.
    """
    secret = value.get_secret_value() if value else ""
    if not secret.isascii() or not secret.isprintable() or " " in secret.strip():
        raise ValueError("a key must consist of printable ASCII characters without spaces")
    return SecretStr(secret.strip()) if value else None


def validate_url(value: str) -> str:
    """Return the URL of an API without trailing slashes; raise ValueError if it is invalid."""
    text = value.strip().rstrip("/")
    if not text:
        return ""
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("a URL must begin with http:// or https:// and a host")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ValueError("a URL must not contain credentials, a query or a fragment")
    _ = parts.port  # Raises ValueError if invalid.
    return text
