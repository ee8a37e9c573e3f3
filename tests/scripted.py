"""A language model with scripted answers, and an extractor that uses it."""

from __future__ import annotations

import json
from collections.abc import Sequence

from memory_core.errors import LanguageModelUnavailableError
from memory_core.extract.model_extractor import ModelExtractor
from memory_core.model.facts.extraction import Prompt


class ScriptedModel:
    """Gives the answers one after the other; an exception among them is raised."""

    name = "scripted"

    def __init__(self, *answers: str | Exception) -> None:
        self.asked: list[Prompt] = []
        self._answers = list(answers)

    def complete(self, prompt: Prompt) -> str:
        self.asked.append(prompt)
        answer = self._answers.pop(0) if self._answers else unreachable()
        if isinstance(answer, Exception):
            raise answer
        return answer


def unreachable() -> LanguageModelUnavailableError:
    return LanguageModelUnavailableError("The model did not answer in time.")


def facts(*contents: str) -> str:
    """Return the answer of a model that found these facts."""
    return json.dumps([{"content": content} for content in contents])


def merged(content: str | None) -> str:
    return json.dumps({"content": content})


def scripted(*answers: str | Exception) -> ModelExtractor:
    """Return an extractor whose model gives these answers."""
    return ModelExtractor(ScriptedModel(*answers))


def use(memory, *answers: str | Exception) -> ScriptedModel:
    """Let the memory have a language model, as LLM_PROVIDER would; return it."""
    model = ScriptedModel(*answers)
    memory.__dict__["extractor"] = ModelExtractor(model)
    return model


def contents(memory, scope=None, **wanted) -> Sequence[str]:
    """Return what the facts of a scope say, sorted."""
    return sorted(fact.content for fact in memory.conversation.list_facts(scope, **wanted).facts)
