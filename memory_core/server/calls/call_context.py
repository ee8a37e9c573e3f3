"""Whose call is being worked on, and the one way in which a call ends with a question."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from mcp.server.mcpserver import Context
from mcp_types import InputRequiredResult

_calling: ContextVar[Context[Any, Any] | None] = ContextVar("calling", default=None)


class QuestionForClient(Exception):
    """Ends a call with a question, after which the client makes it again. No failure."""

    def __init__(self, result: InputRequiredResult) -> None:
        super().__init__("the client is asked")
        self.result = result


@contextmanager
def called_by(context: Context[Any, Any]) -> Iterator[None]:
    """Say whose call the block works on."""
    token = _calling.set(context)
    try:
        yield
    finally:
        _calling.reset(token)


def caller() -> Context[Any, Any] | None:
    """Return whose call is worked on; nobody's where a tool is called as a plain function."""
    return _calling.get()
