"""Fact extraction by rules, without a model."""

from __future__ import annotations

from collections.abc import Sequence

from ..model.facts.extraction import ExtractedFact, Message, ParsedAnswer
from ..rules.english_facts.facts import extract_facts
from ..rules.facts.conversation import is_user_message
from ..rules.facts.extraction import validate_facts
from .protocols import LanguageModel


class RuleExtractor:
    """Extracts plain statements; offline and deterministic."""

    name = "rules"
    model: LanguageModel | None = None

    def facts(self, messages: Sequence[Message]) -> ParsedAnswer:
        """Return plain statements of users; messages of assistants and tools are ignored."""
        found: list[object] = []
        for number, message in enumerate(messages):
            if is_user_message(message):
                speaker = message.name or "The user"
                found += [
                    ExtractedFact(
                        content=fact.statement,
                        category=fact.category,
                        source=fact.source,
                        message=number,
                        offset=fact.offset,
                    )
                    for fact in extract_facts(message.content, speaker=speaker, wishes=True)
                ]
        return validate_facts(found)
