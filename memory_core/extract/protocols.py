"""What answers a prompt, and what finds facts in a conversation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ..model.facts.extraction import Message, Parsed, Prompt


class LanguageModel(Protocol):
    """Whatever answers a prompt in text."""

    @property
    def name(self) -> str: ...

    def complete(self, prompt: Prompt) -> str:
        """Return the answer; raise LanguageModelUnavailableError if there is none."""
        ...


class Extractor(Protocol):
    """Whatever finds facts in messages; model is the one that can merge them, if any."""

    @property
    def name(self) -> str: ...

    @property
    def model(self) -> LanguageModel | None: ...

    def facts(self, messages: Sequence[Message]) -> Parsed:
        """Return the facts; raise ExtractionError or LanguageModelUnavailableError."""
        ...
