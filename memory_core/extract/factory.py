"""Choose the fact extractor from the settings."""

from __future__ import annotations

from ..errors import ConfigurationError, LanguageModelUnavailableError
from ..model.facts.extraction import Prompt
from ..settings.language_models import LanguageModelSettingsFields
from .http_model import http_model
from .model_extractor import ModelExtractor
from .protocols import Extractor, LanguageModel
from .provider_formats import WIRES
from .rule_extractor import RuleExtractor

# About 4,000 tokens. Local servers often have a context of 8,000, response included, and
# silently drop the beginning of longer prompts.
_OWN_READS = 16_000


def choose_extractor(settings: LanguageModelSettingsFields) -> Extractor | None:
    """
    Return the configured extractor; None if there is none, or if clients provide one.

    A model without its key or name counts as one that does not respond: no other part depends on
    it, and conversations are kept.
    """
    if settings.llm_provider == "rules":
        return RuleExtractor()
    if settings.llm_provider not in WIRES:
        return None
    model: LanguageModel
    try:
        model = http_model(settings)
    except ConfigurationError as error:
        model = _Missing(settings.llm_provider, str(error))
    is_own = settings.llm_provider == "openai_compatible"
    return ModelExtractor(model, longest=_OWN_READS if is_own else 0)


class _Missing:
    def __init__(self, name: str, reason: str) -> None:
        self.name = name
        self._reason = reason

    def complete(self, prompt: Prompt) -> str:
        raise LanguageModelUnavailableError(self._reason)
