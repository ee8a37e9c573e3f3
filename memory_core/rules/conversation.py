"""What callers hand in as a conversation or as facts, read into values or refused by name."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from ..errors import Invalid
from ..model.conversation import FactOutcome, JobStatus
from ..model.extraction import Message
from . import limits

# One conversation, not an archive: a model reads no more at once.
MESSAGES = 500
CHARACTERS = 400_000

# What is kept as it was given is one fact, and must fit an answer; as must what goes with it.
AS_GIVEN = 8_000
METADATA = 2_000

Given = str | Message | Mapping[str, object]


def messages(given: Given | Sequence[object]) -> list[Message]:
    """Return the messages; raise Invalid naming the one that is none."""
    several = [given] if isinstance(given, str | Message | Mapping) else list(given)
    if not several:
        raise Invalid("There are no messages. Give at least one, or a text.")
    if len(several) > MESSAGES:
        raise Invalid(
            f"There are {len(several)} messages and may be {MESSAGES}. Hand them in in parts."
        )
    read = [_message(number, each) for number, each in enumerate(several, start=1)]
    size = sum(len(message.content) for message in read)
    if size > CHARACTERS:
        raise Invalid(
            f"The messages have {size:,} characters and may have {CHARACTERS:,}. Hand them in in "
            "parts."
        )
    return read


def as_given(said: Sequence[Message]) -> list[Message]:
    """Return the messages that are kept word for word; what a system says is nobody's fact."""
    kept = [message for message in said if message.role != "system"]
    for message in kept:
        if len(message.content) > AS_GIVEN:
            raise Invalid(
                f"A message has {len(message.content):,} characters; one that is kept as it is "
                f"may have {AS_GIVEN:,}. Cut it into parts, or keep it with add_knowledge."
            )
    if not kept:
        raise Invalid("There is nothing but system messages. Give what somebody said.")
    return kept


def carried_metadata(given: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Return what is kept with each fact; raise Invalid if it is longer than a note."""
    metadata = limits.properties(given, "metadata")
    size = len(json.dumps(metadata, ensure_ascii=False))
    if size > METADATA:
        raise Invalid(
            f"metadata has {size:,} characters as JSON and may have {METADATA:,}. Keep long text "
            "with add_knowledge."
        )
    return metadata


def status_of(outcomes: Sequence[FactOutcome]) -> JobStatus:
    """Return what a whole conversation came to, by what became of each of its facts."""
    if not outcomes:
        return "nothing_memorable"
    if "deferred" in outcomes:
        return "deferred"
    if all(outcome == "duplicate" for outcome in outcomes):
        return "duplicate"
    return "stored"


def _message(number: int, given: object) -> Message:
    what = f"Message {number}"
    if isinstance(given, Message):
        given = given.model_dump()
    if isinstance(given, str):
        given = {"content": given}
    if not isinstance(given, Mapping):
        raise Invalid(f"{what} is neither a text nor an object with role and content.")
    unknown = sorted(set(map(str, given)) - {"role", "content", "name"})
    if unknown:
        raise Invalid(f"{what} has {unknown[0]!r}; it may have role, content and name.")
    content, role, name = given.get("content"), given.get("role", "user"), given.get("name") or ""
    if not isinstance(content, str) or not isinstance(role, str) or not isinstance(name, str):
        raise Invalid(f"{what}: role, content and name must be texts, and content must be there.")
    return Message(
        role=limits.required_name(f"The role of message {number}", role),
        content=limits.required_text(what, content),
        name=limits.required_name(f"The name of message {number}", name) if name.strip() else "",
    )
