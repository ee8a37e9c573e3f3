"""Create the embedder that the settings name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .errors import ConfigurationError, EmbeddingError
from .search.embedder import LazyEmbedder
from .search.endpoint import Endpoint
from .search.models import choose_engine
from .search.providers import PROVIDERS, Provider
from .settings import Settings
from .settings.language_models import PROVIDER_KEYS

if TYPE_CHECKING:
    from .search.remote import RemoteEmbedder

_MEANWHILE = "Until it responds, search uses full text, and new texts are embedded later."

# Timeout of a query in seconds; after that, search uses full text.
_A_QUERY = 10.0


def choose_embedder(settings: Settings) -> LazyEmbedder:
    """
    Return the configured embedder, not loaded yet; nothing is sent.

    Raise ConfigurationError, naming the provider, if a key or a model name is missing.
    """
    if settings.embedding_provider == "local":
        return choose_engine(
            settings.embedding_model,
            settings.embedding_engine,
            allow_download=settings.allow_model_download,
        )
    return _remote(settings, PROVIDERS[settings.embedding_provider])


def _remote(settings: Settings, provider: Provider) -> LazyEmbedder:
    from .search.remote import PAUSE, RemoteEmbedder

    model = _model(settings, provider)
    usual, wished = provider.lengths.get(model, 0), settings.embedding_dimensions
    name, patience = f"{provider.name}/{model}", settings.embedding_timeout
    endpoint = _endpoint(settings, provider, name=name, timeout=patience)
    quick = _endpoint(settings, provider, name=name, timeout=min(patience, _A_QUERY))

    def load() -> RemoteEmbedder:
        return RemoteEmbedder(
            provider,
            model=model,
            fingerprint=f"{_kind(settings, provider)}/{model}",
            endpoint=endpoint,
            quick=quick,
            dimension=wished or usual,
            asked=wished if wished != usual else 0,
        )

    # An endpoint may be started later: a retry is cheap, unlike loading a model.
    return LazyEmbedder(name, load, retry_seconds=PAUSE)


def _model(settings: Settings, provider: Provider) -> str:
    named = settings.embedding_model if "embedding_model" in settings.model_fields_set else ""
    if not (named or provider.model):
        raise ConfigurationError(
            f"EMBEDDING_MODEL is not set. Name the model that {provider.name} is to use, such as "
            "nomic-embed-text."
        )
    return named or provider.model


def _endpoint(settings: Settings, provider: Provider, *, name: str, timeout: float) -> Endpoint:
    base_url = settings.embedding_base_url or provider.base_url
    # Selecting a provider by name allows its own address only.
    its_own = provider.name in PROVIDER_KEYS and base_url == provider.base_url
    allowed = settings.embedding_allow_remote
    if provider.name in PROVIDER_KEYS and allowed and base_url.startswith("http://"):
        raise ConfigurationError(
            f"EMBEDDING_BASE_URL would carry the key of {provider.name} in the clear. Give an "
            "https address."
        )
    return Endpoint(
        base_url,
        named=name,
        failure=EmbeddingError,
        headers=provider.headers(_key(settings, provider)),
        timeout=timeout,
        may_be_remote=allowed or its_own,
        allowed_by="EMBEDDING_ALLOW_REMOTE",
        way_out=_MEANWHILE,
    )


def _key(settings: Settings, provider: Provider) -> str:
    if provider.name in PROVIDER_KEYS:
        return settings.key_of(provider.name, settings.embedding_api_key)
    # A local server may provide both; its key is not sent to any other address.
    same = settings.llm_provider == provider.name and (
        settings.llm_base_url == settings.embedding_base_url
    )
    key = settings.embedding_api_key or (settings.llm_api_key if same else None)
    return key.get_secret_value() if key else ""


def _kind(settings: Settings, provider: Provider) -> str:
    """
    Return the kind of server, for the model's identity: another server may have other weights.
    """
    if provider.name in PROVIDER_KEYS:
        return provider.name
    return f"{provider.name}-{'remote' if settings.embedding_allow_remote else 'local'}"
