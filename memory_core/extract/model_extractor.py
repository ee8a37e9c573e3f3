"""Fact extraction by a language model."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import ExtractionError
from ..model.facts.extraction import Message, ParsedAnswer
from ..rules.facts.extraction import extraction_prompt, parse_answer, split_messages, validate_facts
from .protocols import LanguageModel


class ModelExtractor:
    """Extracts the facts of a conversation with *model*, and returns the valid ones."""

    def __init__(self, model: LanguageModel, *, longest: int = 0) -> None:
        """Split conversations longer than *longest* characters into parts; 0: no limit."""
        self.model = model
        self.name = model.name
        self._longest = longest

    def facts(self, messages: Sequence[Message]) -> ParsedAnswer:
        """Return the facts; raise ExtractionError if a response is not a list of facts."""
        if not self._longest:
            return self._ask_model(messages)
        parts = [self._ask_model(part) for part in split_messages(messages, longest=self._longest)]
        # Validated again together, to remove duplicates between parts.
        whole = validate_facts([fact for part in parts for fact in part.facts])
        refused = (*(reason for part in parts for reason in part.refused), *whole.refused)
        return whole.model_copy(update={"refused": refused})

    def _ask_model(self, messages: Sequence[Message]) -> ParsedAnswer:
        parsed = parse_answer(self.model.complete(extraction_prompt(messages)))
        if parsed.problem:
            raise ExtractionError(
                f"{self.name} returned no facts. {parsed.problem} The conversation was kept: "
                "retry, or extract the facts yourself and submit them."
            )
        return parsed
