"""Protocols of language models and fact extractors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ..model.facts.extraction import Message, ParsedAnswer, Prompt


class LanguageModel(Protocol):
    """A model that answers a prompt with text."""

    @property
    def name(self) -> str: ...

    def complete(self, prompt: Prompt) -> str:
        """Return the answer; raise LanguageModelUnavailableError if there is none."""
        ...


class Extractor(Protocol):
    """Extracts facts from messages; *model* can merge facts, if there is one."""

    @property
    def name(self) -> str: ...

    @property
    def model(self) -> LanguageModel | None: ...

    def facts(self, messages: Sequence[Message]) -> ParsedAnswer:
        """Return the facts; raise ExtractionError or LanguageModelUnavailableError."""
        ...
