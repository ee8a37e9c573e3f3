"""Messages, extracted facts, and prompts for a language model."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Literal

from pydantic import Field

from ..base import ValidatedInput, Value


class Message(ValidatedInput):
    """A message of a conversation."""

    type_label: ClassVar[str] = "A message"
    accepted_fields: ClassVar[str] = "text fields: content, and optionally role and name"

    role: str = Field("user", description="Role of the speaker: user, assistant, system or tool.")
    content: str = Field(description="Text of the message.")
    name: str = Field("", description="Name of the speaker, if known.")


class ExtractedFact(ValidatedInput):
    """A fact extracted from a conversation, and its source sentence."""

    type_label: ClassVar[str] = "A fact"
    accepted_fields: ClassVar[str] = "content, and optionally category, occurred_at and source"

    content: str = Field(description="The fact as one sentence in the third person.")
    category: str = Field("", description="One of the five entry categories, or empty.")
    occurred_at: datetime | None = Field(None, description="When it was true or happened.")
    source: str = Field("", description="The sentence it was extracted from, if known.")
    message: int = Field(-1, description="Index of the message it was extracted from; -1: unknown.")
    offset: int = Field(-1, description="Offset of the sentence in that message; -1: unknown.")


class Prompt(Value):
    """A prompt for a language model. Untrusted text is only in user, between delimiters."""

    system: str = Field(description="The task and its rules.")
    user: str = Field(description="The input of the task.")
    form: Literal["facts", "statement"] = Field(
        "facts", description="Response schema, for models that support structured output."
    )


class ParsedAnswer(Value):
    """The facts in a language model's answer, and why others were rejected."""

    facts: tuple[ExtractedFact, ...] = Field((), description="The valid facts.")
    refused: tuple[str, ...] = Field((), description="Why each of the other facts was rejected.")
    problem: str = Field("", description="Why the answer is unusable; empty if it is usable.")
