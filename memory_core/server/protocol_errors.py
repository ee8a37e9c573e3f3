"""Protocol errors that state which part of a request is wrong, in bounded text."""

from __future__ import annotations

from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp.types import INVALID_PARAMS
from pydantic import ValidationError

from ..errors import bound_message

# A wrong value breaks one rule for each type that a field may have.
MAX_PROBLEMS = 5


async def explain_errors(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """Name the invalid fields of a request, and bound every error that quotes it."""
    try:
        return await call_next(ctx)
    except ValidationError as error:
        raise MCPError(code=INVALID_PARAMS, message=_describe(ctx.method, error)) from error
    except MCPError as error:
        data = error.error.data
        raise MCPError(
            code=error.error.code,
            message=bound_message(error.error.message),
            data=bound_message(data) if isinstance(data, str) else data,
        ) from error
    except ValueError as error:
        # The SDK reports an unknown prompt and the like as ValueError, and answers with code 0.
        raise MCPError(code=INVALID_PARAMS, message=bound_message(str(error))) from error


def _describe(method: str, error: ValidationError) -> str:
    problems = error.errors(include_url=False, include_input=False)[:MAX_PROBLEMS]
    named = [f"{_place(each['loc'])}: {each['msg']}" for each in problems]
    return bound_message(f"Invalid parameters of {method}. {'; '.join(named)}.")


def _place(parts: tuple[int | str, ...]) -> str:
    return ".".join(str(part)[:100] for part in parts) or "params"
