"""Present a function of the Memory to the SDK as a function of the client's arguments."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from ...model.scope import Scope

F = TypeVar("F", bound=Callable[..., Any])


class ScopeArguments:
    """Annotation of a Scope parameter: the arguments of the client, in order, with their types."""

    def __init__(self, **types: Any) -> None:
        self.types = types


def expand_scope(run: F) -> F:
    """Replace the parameter *scope* by its arguments; their defaults are those of its default."""
    if "scope" not in inspect.signature(run).parameters:
        return run
    signature = inspect.signature(run, eval_str=True)
    scope = signature.parameters["scope"]
    types = scope.annotation.__metadata__[0].types

    @functools.wraps(run)
    def call(memory: Any, **given: Any) -> Any:
        values = {name: given.pop(name, getattr(scope.default, name)) for name in types}
        return run(memory, scope=Scope(**values), **given)

    parameters = [
        scope.replace(name=name, annotation=types[name], default=getattr(scope.default, name))
        if parameter is scope
        else parameter
        for parameter in signature.parameters.values()
        for name in (types if parameter is scope else [parameter.name])
    ]
    call.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return call  # type: ignore[return-value]


def without_memory(bound: Callable[..., Any], original: Callable[..., Any]) -> Callable[..., Any]:
    """Give *bound* the signature of *original* but for its first parameter, all by keyword."""
    signature = inspect.signature(original, eval_str=True)
    parameters = [
        parameter.replace(kind=parameter.KEYWORD_ONLY)
        for parameter in list(signature.parameters.values())[1:]
    ]
    bound.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    bound.__annotations__ = {p.name: p.annotation for p in parameters}
    bound.__annotations__["return"] = signature.return_annotation
    return bound
