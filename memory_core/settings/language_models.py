"""The settings of language models, and the keys of the providers that serve any model."""

from __future__ import annotations

from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, Field, SecretStr, field_validator

from ..errors import ConfigurationError

# Where the key of each provider is looked for, whatever it is used for.
PROVIDER_KEYS = {
    "openai": "openai_api_key",
    "anthropic": "anthropic_api_key",
    "google": "google_api_key",
    "voyage": "voyage_api_key",
}


class LanguageModelSettingsFields(BaseModel):
    """What a person may set about language models; a part of Settings."""

    llm_provider: Literal[
        "none", "openai_compatible", "openai", "anthropic", "google", "sampling", "rules"
    ] = Field(
        default="none",
        description="What finds facts in conversations: a model at an address of yours or of a "
        "provider, sampling (the assistant's own model), rules (no model), or none.",
    )
    llm_model: str = Field(
        default="", description="Name of the language model. Unset: one the provider is known for."
    )
    llm_base_url: str = Field(
        default="",
        description="Address of its API. Unset: the provider's own; for openai_compatible that of "
        "Ollama, http://127.0.0.1:11434/v1.",
    )
    llm_api_key: SecretStr | None = Field(
        default=None, description="Key for LLM_PROVIDER. Unset: the provider's own key, below."
    )
    llm_allow_remote: bool = Field(
        default=False,
        description="Whether LLM_BASE_URL may name another machine, to which conversations go.",
    )
    llm_timeout: int = Field(
        default=60,
        ge=1,
        le=600,
        description="Seconds until an answer of the language model is given up.",
    )
    openai_api_key: SecretStr | None = Field(
        default=None, description="Key of OpenAI, for language and for embeddings."
    )
    anthropic_api_key: SecretStr | None = Field(default=None, description="Key of Anthropic.")
    google_api_key: SecretStr | None = Field(
        default=None, description="Key of Google's models, for language and for embeddings."
    )

    @field_validator("llm_provider", mode="before")
    @classmethod
    def _one_spelling(cls, value: Any) -> Any:
        return value.strip().lower().replace("-", "_") if isinstance(value, str) else value

    @field_validator("llm_api_key", "openai_api_key", "anthropic_api_key", "google_api_key")
    @classmethod
    def _sendable_key(cls, value: SecretStr | None) -> SecretStr | None:
        return validate_api_key(value)

    @field_validator("llm_base_url")
    @classmethod
    def _an_address(cls, value: str) -> str:
        return validate_url(value)

    def key_of(self, provider: str, own: SecretStr | None = None) -> str:
        """
        Return the key to show *provider*: *own* of the role that asks, or else its general one.

        LLM_API_KEY serves other roles too if it is for the same provider. Raise
        ConfigurationError, which names the provider, if there is none.
        """
        name = PROVIDER_KEYS[provider]
        theirs: SecretStr | None = getattr(self, name)
        shared = self.llm_api_key if self.llm_provider == provider else None
        key = own or theirs or shared
        if key is None or not key.get_secret_value():
            raise ConfigurationError(
                f"There is no key for {provider}. Set {name.upper()}, or choose another provider."
            )
        return key.get_secret_value()


def validate_api_key(value: SecretStr | None) -> SecretStr | None:
    """Return a key without blanks around it; raise ValueError if no header can hold it."""
    secret = value.get_secret_value() if value else ""
    if not secret.isascii() or not secret.isprintable() or " " in secret.strip():
        raise ValueError("a key is made of printable ASCII characters without spaces")
    return SecretStr(secret.strip()) if value else None


def validate_url(value: str) -> str:
    """Return an API's address without a slash at its end; raise ValueError if it is none."""
    text = value.strip().rstrip("/")
    if not text:
        return ""
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("an address begins with http:// or https:// and a host")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ValueError("an address holds no key, no user and no query")
    _ = parts.port  # Raises ValueError for what is no port.
    return text
