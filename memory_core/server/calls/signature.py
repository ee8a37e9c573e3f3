"""Present a function of the Memory to the SDK as a function of the client's arguments."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any


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
