"""Parse and validate JSON-RPC messages before the SDK sees them.

The SDK drops a message that it cannot read, and takes a request with an invalid id for a
notification; the client would then wait for an answer that never comes. Every message that is
not valid gets an error here, with the id of its request if that can be determined.
"""

from __future__ import annotations

from typing import Any

from mcp_types import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    RequestId,
    jsonrpc_message_adapter,
)
from pydantic import TypeAdapter, ValidationError

from .surrogates import repair_surrogates

_JSON: TypeAdapter[Any] = TypeAdapter(Any)
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def repair_message(message: bytes) -> bytes:
    """Return *message* as UTF-8 without byte order mark and without halves of surrogate pairs."""
    text = message.removeprefix(_BYTE_ORDER_MARK).decode("utf-8", "replace").encode()
    return repair_surrogates(text)


class InvalidMessageError(Exception):
    """A message that is not valid JSON-RPC, with its answer."""

    def __init__(self, code: int, message: str, *, id: RequestId | None = None) -> None:
        super().__init__(message)
        error = ErrorData(code=code, message=message)
        self.answer = JSONRPCError(jsonrpc="2.0", id=id, error=error)


def parse_message(message: bytes) -> JSONRPCMessage:
    """Return the message that *message* encodes; raise InvalidMessageError if it is not valid."""
    try:
        value = _JSON.validate_json(message)
    except ValidationError as error:
        reason = error.errors(include_url=False, include_input=False)[0]["msg"]
        raise InvalidMessageError(PARSE_ERROR, f"{reason}.") from error
    if isinstance(value, list):
        raise InvalidMessageError(
            INVALID_REQUEST, "JSON-RPC batches are not supported. Send each message alone."
        )
    if not isinstance(value, dict):
        raise InvalidMessageError(INVALID_REQUEST, "A JSON-RPC message must be an object.")
    _validate_fields(value)
    try:
        return jsonrpc_message_adapter.validate_python(value, by_name=False)
    except ValidationError as error:
        place = ".".join(map(str, error.errors()[-1]["loc"][1:]))
        raise InvalidMessageError(INVALID_REQUEST, f"{place!r} is missing or invalid.") from error


def _validate_fields(message: dict[str, Any]) -> None:
    given = message.get("id")
    is_response = "method" not in message and bool(message.keys() & {"result", "error"})
    if "id" in message and not _is_id(given) and not (given is None and is_response):
        raise InvalidMessageError(INVALID_REQUEST, "'id' must be a string or an integer.")
    # The id of a response is one of ours, and must not be reported back as one of the client's.
    id = None if is_response else given
    if message.get("jsonrpc") != "2.0":
        raise InvalidMessageError(INVALID_REQUEST, "'jsonrpc' must be \"2.0\".", id=id)
    if not is_response and not isinstance(message.get("method"), str):
        raise InvalidMessageError(INVALID_REQUEST, "'method' must be a string.", id=id)
    if not isinstance(message.get("params"), dict | None):
        code = INVALID_REQUEST if id is None else INVALID_PARAMS
        raise InvalidMessageError(code, "'params' must be an object.", id=id)


def _is_id(value: Any) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)
