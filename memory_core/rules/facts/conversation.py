"""Parse conversations and facts from the forms that callers use."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from pydantic import JsonValue

from ...errors import ValidationError
from ...model.facts.extraction import ExtractedFact, Message
from ...model.facts.facts import FactOutcome, JobStatus
from .. import limits

# One conversation, not an archive: a model reads no more at once.
MAX_MESSAGES = 500
MAX_CHARACTERS = 400_000

# What is kept as it was given is one fact, and must fit an answer; as must what goes with it.
MAX_VERBATIM = 8_000
MAX_METADATA = 2_000

# What a transcript of a chat model has beside what was said; who in it is nobody.
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
    Return the messages; raise ValidationError naming the one that is none.

    Of the form that chat models take, what is no text (images, calls of tools) is left out.
    """
    said = [each for each in as_list(given) if not _is_without_text(each)]
    if not said:
        raise ValidationError("There are no messages. Give at least one, or a text.")
    if len(said) > MAX_MESSAGES:
        raise ValidationError(
            f"There are {len(said)} messages and may be {MAX_MESSAGES}. Hand them in in parts."
        )
    read = [_parse_message(number, each) for number, each in enumerate(said, start=1)]
    size = sum(len(message.content) for message in read)
    if size > MAX_CHARACTERS:
        raise ValidationError(
            f"The messages have {size:,} characters; the maximum is {MAX_CHARACTERS:,}. Split them "
            "into several calls."
        )
    return read


def as_list(given: object) -> list[object]:
    """
    Return what was handed in as a list, one thing alone too; raise ValidationError if it is
    neither.
    """
    if isinstance(given, str | Mapping | Message | ExtractedFact):
        return [given]
    if isinstance(given, bytes) or not isinstance(given, Iterable):
        raise ValidationError(
            f"What was said is {given!r:.60}, and must be a text, an object with content, or a "
            "list of those."
        )
    return list(given)


def select_verbatim(said: Sequence[Message]) -> list[Message]:
    """Return the messages that are kept word for word; what a program says is nobody's fact."""
    kept = spoken_messages(said)
    for message in kept:
        if len(message.content) > MAX_VERBATIM:
            raise ValidationError(
                f"A message has {len(message.content):,} characters; one that is kept as it is "
                f"may have {MAX_VERBATIM:,}. Cut it into parts, or keep it as a document."
            )
    if not kept:
        raise ValidationError(
            "There is nothing but messages of the system or of tools. Give what somebody said."
        )
    return kept


def spoken_messages(said: Sequence[Message]) -> list[Message]:
    """Return the messages that somebody, or a model, said; no program's."""
    return [message for message in said if message.role.casefold() not in _PROGRAM_ROLES]


def is_user_message(message: Message) -> bool:
    """Return whether somebody says it of himself; what programs and models say is nobody's word."""
    return message.role.casefold() not in (*_PROGRAM_ROLES, *_MODEL_ROLES)


def speaker_metadata(message: Message) -> dict[str, JsonValue]:
    """Return what a message that is kept word for word is to be remembered with."""
    role = {"role": message.role} if message.role != "user" else {}
    return {**role, **({"name": message.name} if message.name else {})}


def validate_metadata(given: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Return what is kept with each fact; raise ValidationError if it is longer than a note."""
    if not isinstance(given, Mapping):
        raise ValidationError(
            f"metadata is {given!r:.60}, and must be an object of names and values."
        )
    metadata = limits.validate_properties(given, "metadata")
    size = len(json.dumps(metadata, ensure_ascii=False))
    if size > MAX_METADATA:
        raise ValidationError(
            f"metadata has {size:,} characters as JSON; the maximum is {MAX_METADATA:,}. Store "
            "long text as a document."
        )
    return metadata


def job_status(outcomes: Sequence[FactOutcome]) -> JobStatus:
    """Return what a whole conversation came to, by what became of each of its facts."""
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
        raise ValidationError(f"{what} is neither a text nor an object with role and content.")
    unknown = sorted(set(map(str, given)) - {"role", "content", "name"} - _IGNORED_FIELDS)
    if unknown:
        raise ValidationError(f"{what} has {unknown[0]!r}; it may have role, content and name.")
    content, role, name = _text_content(given), given.get("role", "user"), given.get("name") or ""
    if not isinstance(content, str) or not isinstance(role, str) or not isinstance(name, str):
        raise ValidationError(
            f"{what}: role, content and name must be texts, and content must be there."
        )
    return Message(
        role=limits.validate_name(f"The role of message {number}", role),
        content=limits.validate_text(what, content),
        name=limits.validate_name(f"The name of message {number}", name) if name.strip() else "",
    )


def _text_content(given: Mapping[str, object]) -> object:
    """Return the content; of a list of parts, those that are text."""
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
    """Return whether a message says nothing but calls a tool, or shows an image."""
    if not isinstance(given, Mapping):
        return False
    content, said = given.get("content"), _text_content(given)
    nothing = said is None or (isinstance(said, str) and not said.strip())
    shown = isinstance(content, list) and bool(content)
    return nothing and (shown or any(given.get(name) for name in _CALL_FIELDS))
