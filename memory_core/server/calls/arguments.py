"""Validate a client's arguments against a tool's schema.

1. An argument the tool does not know is refused by name: dropping it would answer another question.
2. A list, object, number or boolean may come as JSON text, as some clients send it.
3. Text stays text: ``{"x": 1}``, ``null``, ``123`` and ``true`` arrive as they were written.
4. A word of a fixed list is taken in any letter case.
5. ``null`` and empty text mean "not given", wherever there is a default.
6. An integer has at most 64 bits, as in the database.
7. The one id that a tool takes may have any of ID_NAMES.
"""

from __future__ import annotations

import difflib
import json
import math
from collections.abc import Iterator, Mapping
from typing import Any

from mcp.server.mcpserver.utilities.func_metadata import ArgModelBase
from pydantic import ValidationError as PydanticValidationError

from ...errors import ValidationError

# How much of a refused value is shown back.
SHOWN = 80

_MOST = 2**63 - 1

# The documented name, and those that other versions and programs use for it.
ID_NAMES = ("id", "source_id", "timeline_id", "entry_id")

_KINDS: dict[str, type | tuple[type, ...]] = {"array": list, "object": dict}


def rename_id(arguments: Mapping[str, Any], properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments with an id under the name that the tool has for it."""
    ours = next((name for name in ID_NAMES if name in properties), "")
    theirs = [name for name in ID_NAMES if name in arguments and name not in properties]
    if not ours or ours in arguments or len(theirs) != 1:
        return dict(arguments)
    return {ours if name == theirs[0] else name: value for name, value in arguments.items()}


def validated_arguments(
    arguments: Mapping[str, Any],
    tool: str,
    *,
    model: type[ArgModelBase],
    properties: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the arguments as Python values; raise ValidationError naming every mistake."""
    given = {
        name: _decode_argument(value, properties.get(name, {}))
        for name, value in drop_empty(arguments, properties).items()
    }
    problems = [*_unknown(given, properties)]
    values: dict[str, Any] = {}
    try:
        known = {name: value for name, value in given.items() if name in properties}
        values = model.model_validate(known).model_dump_one_level()
    except PydanticValidationError as error:
        problems += [
            _format_problem(broken, properties) for broken in error.errors(include_url=False)
        ]
    problems += _out_of_range(values or given)
    if problems:
        raise ValidationError("\n".join([f"{tool} was not run:", *(f"- {p}" for p in problems)]))
    return values


def drop_empty(arguments: Mapping[str, Any], properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments without optional ones that are null or empty text."""
    return {
        name: value
        for name, value in arguments.items()
        if not (is_empty(value) and "default" in properties.get(name, {}))
    }


def is_empty(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def _decode_argument(value: Any, schema: Mapping[str, Any]) -> Any:
    """Return *value*, read from JSON text where the schema asks for a list or an object."""
    kind = schema.get("type")
    if isinstance(value, str) and kind in _KINDS:
        value = _from_json(value, _KINDS[kind])
    if isinstance(value, list) and kind == "array":
        return [_decode_argument(item, schema.get("items", {})) for item in value]
    if isinstance(value, str) and "enum" in schema:
        same = [word for word in schema["enum"] if str(word).casefold() == value.casefold()]
        return same[0] if same else value
    if isinstance(value, bool) and kind in ("integer", "number"):
        # Python takes true for 1; a client that sends it has mixed two arguments up.
        return "true" if value else "false"
    return value


def _from_json(text: str, kind: type | tuple[type, ...]) -> Any:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, kind) else text


def _unknown(given: Mapping[str, Any], known: Mapping[str, Any]) -> Iterator[str]:
    for name in sorted(given.keys() - known.keys()):
        close = difflib.get_close_matches(name, known, n=1)
        meant = f" Did you mean {close[0]!r}?" if close else ""
        takes = ", ".join(known) or "none"
        yield f"{_short(name)}: there is no such argument.{meant} Known arguments: {takes}."


def _out_of_range(given: Mapping[str, Any]) -> Iterator[str]:
    for name, value in given.items():
        leaves = list(_leaves(value))
        if any(isinstance(leaf, float) and not math.isfinite(leaf) for leaf in leaves):
            yield f"{name!r}: a number must be finite. Leave out what is infinite or not a number."
        if any(isinstance(leaf, int) and not -_MOST <= leaf <= _MOST for leaf in leaves):
            yield f"{name!r}: an integer must have at most 64 bits. Give a larger one as text."


def _leaves(value: Any) -> Iterator[Any]:
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            waiting += item.values()
        elif isinstance(item, list):
            waiting += item
        else:
            yield item


def _format_problem(broken: Any, properties: Mapping[str, Any]) -> str:
    """Say one broken rule: which argument, what it was, the rule, and what it is for."""
    name = str(broken["loc"][0])
    place = name + "".join(f"[{part!r}]" for part in broken["loc"][1:])
    about = properties.get(name, {}).get("description", "")
    if broken["type"] == "missing":
        return f"{place!r} is required. {about}".strip()
    rule = broken["msg"].removeprefix("Value error, ").removeprefix("Input ")
    return f"{place!r} {rule}; it was {_short(broken['input'])}. {about}".strip()


def _short(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= SHOWN else f"{shown[:SHOWN]}..."
