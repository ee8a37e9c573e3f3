"""
The form of arguments that VellumMem had: one JSON object, written as text, in *data*.

It is read as the arguments of the tool itself, and checked in the same way and by the same
words. source_id, timeline_id, entry_id and id all name the entry.
"""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Callable, Mapping
from typing import Annotated, Any, TypeVar

from mcp.server.mcpserver.utilities.func_metadata import func_metadata
from pydantic import Field

from ...errors import ValidationError
from .arguments import ID_NAMES, drop_empty, rename_id, validated_arguments
from .provided_arguments import given_names, giving
from .results import flat
from .signature import expand_scope, without_memory

F = TypeVar("F", bound=Callable[..., Any])

Data = Annotated[str, Field(description="All arguments as one JSON text instead, in the old form.")]

# Allowed in addition to the compatibility form, which had no scope.
_SCOPE = ("project_id", "user_id", "agent_id", "session_id")


def also_in_old_form(run: F) -> F:
    """Let a tool take its arguments as one JSON text *data* as well."""
    run = expand_scope(run)

    @functools.wraps(run)
    def call(memory: Any, data: str = "", **given: Any) -> Any:
        if not data:
            _require_id(run, given)
            return run(memory, **given)
        arguments = _in_scope(given, _parse_data(run, data))
        _require_id(run, arguments)
        with giving(arguments):
            return run(memory, **arguments)

    signature = inspect.signature(run, eval_str=True)
    more = inspect.Parameter("data", inspect.Parameter.KEYWORD_ONLY, default="", annotation=Data)
    parameters = [*signature.parameters.values(), more]
    call.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return call  # type: ignore[return-value]


def _require_id(run: Callable[..., Any], arguments: Mapping[str, Any]) -> None:
    # It has a default only because it may stand in *data*.
    for name in ID_NAMES:
        if name in inspect.signature(run).parameters and not arguments.get(name):
            raise ValidationError(
                f"{run.__name__} was not run:\n- {name!r} is required. Id of the entry."
            )


def _parse_data(run: Callable[..., Any], data: str) -> dict[str, Any]:
    name = run.__name__
    others = sorted(given_names() - {"data", *_SCOPE})
    if others:
        raise ValidationError(
            f"{name} takes either data or {', '.join(others)}. Give one of the two."
        )
    try:
        given = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise ValidationError(
            f"data is not JSON: {error}. Give an object, or single arguments."
        ) from error
    if not isinstance(given, dict):
        raise ValidationError("data must be a JSON object with the arguments of the tool.")
    model, properties = _model(run)
    named = drop_empty(rename_id(given, properties), properties)
    read = validated_arguments(named, name, model=model, properties=properties)
    return {name: value for name, value in read.items() if name in named}


def _in_scope(given: Mapping[str, Any], read: Mapping[str, Any]) -> dict[str, Any]:
    """Return what *data* says, in the scope of the call; an explicit argument has precedence."""
    scope = {name: given[name] for name in _SCOPE if name in given}
    explicit = {name: value for name, value in scope.items() if name in given_names()}
    return {**scope, **read, **explicit}


@functools.cache
def _model(run: Callable[..., Any]) -> tuple[Any, dict[str, Any]]:
    def bound(**arguments: Any) -> Any:
        return arguments

    bound.__name__ = run.__name__
    model = func_metadata(without_memory(bound, run)).arg_model
    return model, flat(model.model_json_schema())["properties"]
