"""Tool results: structured content and the same as compact text."""

from __future__ import annotations

import functools
import json
from collections.abc import Sequence
from typing import Any

from mcp.server.mcpserver.utilities.func_metadata import FuncMetadata
from mcp.types import CallToolResult, TextContent
from pydantic import TypeAdapter

from ...context import Redaction
from .fitting import drop_items, shorten

# A token of English, code or Chinese is close to four bytes of UTF-8.
BYTES_PER_TOKEN = 4

_NAMED = ("properties", "$defs")


def answer(
    result: Any,
    metadata: FuncMetadata,
    *,
    budget: int,
    cut: bool,
    drops: bool = True,
    redacted: Sequence[Redaction] = (),
    notice: str = "",
) -> CallToolResult:
    """
    Return *result* for the wire. Redactions are listed next to it.

    With *cut*, for tools that read, long values are shortened to the token budget; TooLargeError
    is raised if that is not enough and *drops* is false, else items are left out. What was written
    is never reported as a failure: its answer loses only its text.
    """
    structured = _dump_result(result, metadata)
    if redacted and not cut:
        structured["redacted"] = [str(each) for each in redacted]
    if notice and "notice" in structured:
        structured["notice"] = f"{structured['notice']} {notice}".strip()
    text = _text_of(structured)
    tokens = _tokens(text)
    if tokens > budget and cut:
        structured = _fit(structured, budget, drops=drops)
        text = _text_of(structured)
    elif tokens > budget:
        text = f"Done. The answer of about {tokens} tokens is in the structured content."
    return CallToolResult(
        content=[TextContent(type="text", text=text)], structured_content=structured
    )


class TooLargeError(Exception):
    """A page is over the token budget; a smaller one may fit."""


def _fit(structured: dict[str, Any], budget: int, *, drops: bool) -> dict[str, Any]:
    def fits(value: dict[str, Any]) -> bool:
        return _tokens(_text_of(value)) <= budget

    shortened = shorten(structured, fits)
    if fits(shortened):
        return shortened
    if not drops:
        raise TooLargeError
    return drop_items(shortened, fits)


def _text_of(structured: dict[str, Any]) -> str:
    shown = {name: _without_empty(child) for name, child in structured.items()}
    return json.dumps(shown, ensure_ascii=False, separators=(",", ":"))


def _tokens(text: str) -> int:
    return len(text.encode("utf-8", "replace")) // BYTES_PER_TOKEN


def flat(schema: dict[str, Any], *, without: tuple[str, ...] = ("title",)) -> dict[str, Any]:
    """
    Return a schema without the titles that repeat each field's name: they cost tokens.

    Empty text means "not given" and is no choice; some providers refuse it in an enum.
    """
    return {
        key: {name: flat(child, without=without) for name, child in value.items()}
        if key in _NAMED
        else _bare([each for each in value if each != ""] if key == "enum" else value, without)
        for key, value in schema.items()
        if key not in without
    }


def terse(schema: dict[str, Any]) -> dict[str, Any]:
    """Return an output schema without words: names and types tell a program what it needs."""
    return flat(schema, without=("title", "description"))


def telling_redactions(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of what is written: it may say what was redacted before it was stored."""
    redacted_schema = {"redacted": {"type": "array", "items": {"type": "string"}}}
    return {**schema, "properties": {**schema.get("properties", {}), **redacted_schema}}


def _dump_result(result: Any, metadata: FuncMetadata) -> dict[str, Any]:
    if metadata.output_model is None:
        raise TypeError("a tool returns a value with an output schema")
    adapter = _adapter(metadata.output_model)
    value = adapter.validate_python({"result": result} if metadata.wrap_output else result)
    dumped: dict[str, Any] = adapter.dump_python(value, mode="json")
    return dumped


@functools.cache
def _adapter(model: Any) -> TypeAdapter[Any]:
    return TypeAdapter(model)


def _without_empty(value: Any) -> Any:
    """Leave out what says nothing below the top: null, empty text, empty lists and objects."""
    if isinstance(value, dict):
        kept = {name: _without_empty(child) for name, child in value.items()}
        return {name: child for name, child in kept.items() if child not in (None, "", [], {})}
    if isinstance(value, list):
        return [_without_empty(item) for item in value]
    return value


def _bare(value: Any, without: tuple[str, ...]) -> Any:
    if isinstance(value, dict):
        return flat(value, without=without)
    return [_bare(item, without) for item in value] if isinstance(value, list) else value
