"""Facts found by a language model."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import ExtractionFailed
from ..model.extraction import Message, Parsed
from ..rules.extraction import parse, request
from .protocols import LanguageModel


class ModelExtractor:
    """Asks *model* for the facts of a conversation, and keeps those that stand."""

    def __init__(self, model: LanguageModel) -> None:
        self.model = model
        self.name = model.name

    def facts(self, messages: Sequence[Message]) -> Parsed:
        """Return the facts; raise ExtractionFailed if the answer is no list of facts."""
        parsed = parse(self.model.complete(request(messages)))
        if parsed.problem:
            raise ExtractionFailed(
                f"{self.name} gave no facts. {parsed.problem} Nothing was lost: try again, or "
                "extract the facts yourself and submit them."
            )
        return parsed
