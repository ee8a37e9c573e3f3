"""Facts on their way from a conversation into memory, and what a language model is asked."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Literal

from pydantic import Field

from ..base import ValidatedInput, Value


class Message(ValidatedInput):
    """One turn of a conversation."""

    form: ClassVar[str] = "A message"
    takes: ClassVar[str] = "texts: content, and role and name if they are known"

    role: str = Field("user", description="Who speaks: user, assistant, system or tool.")
    content: str = Field(description="What is said.")
    name: str = Field("", description="Name of who speaks, if it is known.")


class ExtractedFact(ValidatedInput):
    """A statement that stands on its own, and where it was said."""

    form: ClassVar[str] = "A fact"
    takes: ClassVar[str] = "content, and what is known of category, occurred_at and source"

    content: str = Field(description="The fact: one sentence in the third person.")
    category: str = Field("", description="One of the five categories of entries, or empty.")
    occurred_at: datetime | None = Field(None, description="When it was true or happened.")
    source: str = Field("", description="The sentence it was taken from, if that is known.")
    message: int = Field(-1, description="Number of the message it was said in; -1: not known.")
    offset: int = Field(-1, description="Where in that message the sentence begins; -1: not known.")


class Prompt(Value):
    """What a language model is asked. Text of others stands in user alone, fenced."""

    system: str = Field(description="The task and its rules.")
    user: str = Field(description="What the task is about.")
    form: Literal["facts", "statement"] = Field(
        "facts", description="Shape of the answer, for those that can be held to one."
    )


class ParsedAnswer(Value):
    """What came of an answer: the facts that stand, and why anything else does not."""

    facts: tuple[ExtractedFact, ...] = Field((), description="The facts that may be stored.")
    refused: tuple[str, ...] = Field((), description="Why each of the others was left out.")
    problem: str = Field("", description="Why the answer as a whole is no use; empty if it is.")
