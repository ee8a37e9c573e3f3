"""OpenAI-style function calling."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, get_type_hints

from pydantic import BaseModel, ConfigDict, create_model
from pydantic import ValidationError as PydanticValidationError

from ..errors import MemoryCoreError, ValidationError
from .agent_memory import AgentMemory

NAMES = ("remember", "recall")


def chat_tools() -> list[dict[str, Any]]:
    """Return the tools as chat completions take them."""
    return [{"type": "function", "function": _describe(name)} for name in NAMES]


def response_tools() -> list[dict[str, Any]]:
    """Return the tools as the interface of responses takes them."""
    return [{"type": "function", **_describe(name), "strict": False} for name in NAMES]


def run_call(agent: AgentMemory, name: str, arguments: str | Mapping[str, Any]) -> str:
    """
    Run the call a model asked for and return the JSON text to answer it with.

    What the memory refuses, and a call that cannot be read, is an answer too: the model
    can correct it. Anything else is raised.
    """
    try:
        if name not in NAMES:
            raise ValidationError(f"There is no function {name!r}. There are: {', '.join(NAMES)}.")
        given = _parameters(name).model_validate(_parse_arguments(arguments)).model_dump()
        answer = getattr(agent, name)(**given)
    except PydanticValidationError as error:
        answer = {"error": {"code": ValidationError.code, "message": _format_error(name, error)}}
    except MemoryCoreError as error:
        answer = {"error": {"code": error.code, "message": str(error)}}
    return json.dumps(answer, ensure_ascii=False)


def documentation(name: str) -> str:
    """Return the function description for a model."""
    return inspect.getdoc(_function(name)) or ""


def _describe(name: str) -> dict[str, Any]:
    schema = _parameters(name).model_json_schema()
    fields = {
        field: {key: value for key, value in rules.items() if key != "title"}
        for field, rules in schema["properties"].items()
    }
    parameters = {
        "type": "object",
        "properties": fields,
        "required": schema.get("required", []),
        "additionalProperties": False,
    }
    return {"name": name, "description": documentation(name), "parameters": parameters}


@lru_cache
def _parameters(name: str) -> type[BaseModel]:
    function = _function(name)
    hints = get_type_hints(function, include_extras=True)
    fields: dict[str, Any] = {
        parameter.name: (
            hints[parameter.name],
            ... if parameter.default is parameter.empty else parameter.default,
        )
        for parameter in list(inspect.signature(function).parameters.values())[1:]
    }
    return create_model(name, __config__=ConfigDict(extra="forbid"), **fields)


def _function(name: str) -> Callable[..., dict[str, Any]]:
    function: Callable[..., dict[str, Any]] = getattr(AgentMemory, name)
    return function


def _parse_arguments(arguments: str | Mapping[str, Any]) -> Any:
    if not isinstance(arguments, str):
        return arguments
    try:
        return json.loads(arguments or "{}")
    except (ValueError, RecursionError) as error:
        raise ValidationError("The arguments are no JSON object. Send them again.") from error


def _format_error(name: str, error: PydanticValidationError) -> str:
    broken = [
        f"{'.'.join(map(str, each['loc'])) or 'arguments'}: {each['msg']}"
        for each in error.errors(include_url=False, include_input=False)
    ]
    return f"{name} was not run. {'; '.join(broken)}."
