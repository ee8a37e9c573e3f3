"""Language models over HTTP."""

from __future__ import annotations

import time
from collections.abc import Callable

from ..errors import ConfigurationError, LanguageModelUnavailableError
from ..model.facts.extraction import Prompt
from ..search.endpoint import Endpoint
from ..settings.language_models import PROVIDER_KEYS, LanguageModelSettingsFields
from .provider_formats import WIRES, Wire

_KEPT = "The conversation was kept: retry later, or extract the facts yourself and submit them."


class HttpModel:
    """A model of one provider."""

    def __init__(self, name: str, wire: Wire, *, model: str, endpoint: Endpoint) -> None:
        self.name = name
        self._wire = wire
        self._model = model
        self._endpoint = endpoint

    def complete(self, prompt: Prompt) -> str:
        """Return the answer; raise LanguageModelUnavailableError if there is none."""
        wire = self._wire
        read = self._endpoint.post(
            wire.path(self._model),
            wire.body(self._model, prompt),
            plainer=wire.plainer(self._model, prompt),
        )
        text = wire.answer(read)
        if not text.strip():
            raise LanguageModelUnavailableError(
                f"{self.name} returned no text: it refused, or its provider stopped it. {_KEPT}"
            )
        return text


def http_model(
    settings: LanguageModelSettingsFields, *, sleep: Callable[[float], None] = time.sleep
) -> HttpModel:
    """Return the configured model; raise ConfigurationError if a setting is missing."""
    provider = settings.llm_provider
    wire = WIRES[provider]
    model = settings.llm_model.strip() or wire.model
    if not model:
        raise ConfigurationError(
            f"LLM_MODEL is not set. Name the model that {provider} is to use, such as llama3.2."
        )
    base_url = settings.llm_base_url or wire.base_url
    # Selecting a provider by name allows its own address only.
    its_own = provider in PROVIDER_KEYS and base_url == wire.base_url
    if provider in PROVIDER_KEYS and settings.llm_allow_remote and base_url.startswith("http://"):
        raise ConfigurationError(
            f"LLM_BASE_URL would carry the key of {provider} in the clear. Give an https address."
        )
    name = f"{provider}/{model}"
    endpoint = Endpoint(
        base_url,
        named=name,
        failure=LanguageModelUnavailableError,
        headers=wire.headers(_key(settings)),
        timeout=settings.llm_timeout,
        may_be_remote=settings.llm_allow_remote or its_own,
        allowed_by="LLM_ALLOW_REMOTE",
        way_out=_KEPT,
        sleep=sleep,
    )
    return HttpModel(name, wire, model=model, endpoint=endpoint)


def _key(settings: LanguageModelSettingsFields) -> str:
    if settings.llm_provider in PROVIDER_KEYS:
        return settings.key_of(settings.llm_provider, settings.llm_api_key)
    return settings.llm_api_key.get_secret_value() if settings.llm_api_key else ""
