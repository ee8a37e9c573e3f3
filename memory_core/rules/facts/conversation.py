"""Parsing and validation of conversations, facts and metadata from callers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from pydantic import JsonValue

from ...errors import ValidationError
from ...model.facts.extraction import ExtractedFact, Message
from ...model.facts.facts import FactOutcome, JobStatus
from .. import limits

# Limits of one conversation, which must fit the context of a model.
MAX_MESSAGES = 500
MAX_CHARACTERS = 400_000

# A verbatim message is stored as one fact; it and its metadata must fit a tool result.
MAX_VERBATIM = 8_000
MAX_METADATA = 2_000

# Fields of chat completion messages that are ignored, and roles of programs and models.
_IGNORED_FIELDS = {
    *("tool_calls", "tool_call_id", "function_call", "refusal", "annotations", "audio"),
    *("reasoning_content", "id", "type", "status"),
}
_CALL_FIELDS = ("tool_calls", "function_call")
_TEXT_PARTS = ("text", "input_text", "output_text")
_PROGRAM_ROLES = ("system", "developer", "tool", "function")
_MODEL_ROLES = ("assistant", "model", "ai", "bot")

MessageInput = str | Message | Mapping[str, object]
FactInput = str | ExtractedFact | Mapping[str, object]


def parse_messages(given: MessageInput | Sequence[object]) -> list[Message]:
    """
    Return the messages; raise ValidationError naming the invalid one.

    Accepts chat completion messages; content other than text (images, tool calls) is skipped.
    """
    items = [each for each in as_list(given) if not _is_without_text(each)]
    if not items:
        raise ValidationError("No messages were given. Give at least one message or a string.")
    if len(items) > MAX_MESSAGES:
        raise ValidationError(
            f"{len(items)} messages were given; the maximum is {MAX_MESSAGES}. Split them."
        )
    messages = [_parse_message(number, each) for number, each in enumerate(items, start=1)]
    size = sum(len(message.content) for message in messages)
    if size > MAX_CHARACTERS:
        raise ValidationError(
            f"The messages have {size:,} characters; the maximum is {MAX_CHARACTERS:,}. Split them "
            "into several calls."
        )
    return messages


def as_list(given: object) -> list[object]:
    """Return the input as a list, a single item included; raise ValidationError for other types."""
    if isinstance(given, str | Mapping | Message | ExtractedFact):
        return [given]
    if isinstance(given, bytes) or not isinstance(given, Iterable):
        raise ValidationError(
            f"The input is {given!r:.60}, but must be a string, an object with content, or a list "
            "of these."
        )
    return list(given)


def select_verbatim(messages: Sequence[Message]) -> list[Message]:
    """Return the messages of users: only these may be stored verbatim as facts."""
    if not spoken_messages(messages):
        raise ValidationError(
            "No message of a user or an assistant was given, only of the system or of tools."
        )
    kept = [message for message in messages if is_user_message(message)]
    for message in kept:
        if len(message.content) > MAX_VERBATIM:
            raise ValidationError(
                f"A message has {len(message.content):,} characters; the maximum for verbatim "
                f"messages is {MAX_VERBATIM:,}. Split it, or store it as a document."
            )
    return kept


def spoken_messages(messages: Sequence[Message]) -> list[Message]:
    """Return the messages of people and models, without those of programs."""
    return [message for message in messages if message.role.casefold() not in _PROGRAM_ROLES]


def is_user_message(message: Message) -> bool:
    """Return whether a person wrote the message, not a program or model."""
    return message.role.casefold() not in (*_PROGRAM_ROLES, *_MODEL_ROLES)


def speaker_metadata(message: Message) -> dict[str, JsonValue]:
    """Return the metadata of a message that is stored verbatim."""
    role = {"role": message.role} if message.role.casefold() != "user" else {}
    return {**role, **({"name": message.name} if message.name else {})}


def validate_metadata(given: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """
    Return the metadata stored with each fact; raise ValidationError if it is invalid or too long.
    """
    if not isinstance(given, Mapping):
        raise ValidationError(f"metadata is {given!r:.60}, but must be a JSON object.")
    metadata = limits.validate_properties(given, "metadata")
    size = len(json.dumps(metadata, ensure_ascii=False))
    if size > MAX_METADATA:
        raise ValidationError(
            f"metadata has {size:,} characters as JSON; the maximum is {MAX_METADATA:,}. Store "
            "long text as a document."
        )
    return metadata


def job_status(outcomes: Sequence[FactOutcome]) -> JobStatus:
    """Return the status of a conversation from the outcomes of its facts."""
    if not outcomes:
        return "nothing_memorable"
    if "deferred" in outcomes:
        return "deferred"
    if all(outcome == "duplicate" for outcome in outcomes):
        return "duplicate"
    return "stored"


def _parse_message(number: int, given: object) -> Message:
    what = f"Message {number}"
    if isinstance(given, Message):
        given = given.model_dump()
    if isinstance(given, str):
        given = {"content": given}
    if not isinstance(given, Mapping):
        raise ValidationError(f"{what} is neither a string nor an object with role and content.")
    unknown = sorted(set(map(str, given)) - {"role", "content", "name"} - _IGNORED_FIELDS)
    if unknown:
        raise ValidationError(
            f"{what} has an unknown field {unknown[0]!r}; it accepts role, content and name."
        )
    content, role, name = _text_content(given), given.get("role", "user"), given.get("name") or ""
    if not isinstance(content, str) or not isinstance(role, str) or not isinstance(name, str):
        raise ValidationError(
            f"{what}: role, content and name must be strings, and content is required."
        )
    return Message(
        role=limits.validate_name(f"The role of message {number}", role),
        content=limits.validate_text(what, content),
        name=limits.validate_name(f"The name of message {number}", name) if name.strip() else "",
    )


def _text_content(given: Mapping[str, object]) -> object:
    """Return the content; for a list of parts, the text parts."""
    content = given.get("content")
    if not isinstance(content, list):
        return content
    parts = [
        each if isinstance(each, str) else each.get("text")
        for each in content
        if isinstance(each, str) or (isinstance(each, Mapping) and each.get("type") in _TEXT_PARTS)
    ]
    return "\n".join(each for each in parts if isinstance(each, str))


def _is_without_text(given: object) -> bool:
    """Return whether a message has only tool calls or images."""
    if not isinstance(given, Mapping):
        return False
    content, text = given.get("content"), _text_content(given)
    is_blank = text is None or (isinstance(text, str) and not text.strip())
    has_parts = isinstance(content, list) and bool(content)
    return is_blank and (has_parts or any(given.get(name) for name in _CALL_FIELDS))
