"""The context of the current call, and how a call ends with a question to its client."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from mcp.server.mcpserver import Context
from mcp_types import InputRequiredResult

from ...settings import Settings

_calling: ContextVar[Context[Any, Any] | None] = ContextVar("calling", default=None)


class QuestionForClient(Exception):
    """Ends a call with a question, after which the client makes it again. No failure."""

    def __init__(self, result: InputRequiredResult) -> None:
        super().__init__("the client is asked")
        self.result = result


@contextmanager
def called_by(context: Context[Any, Any]) -> Iterator[None]:
    """Set the context of the call that the block works on."""
    token = _calling.set(context)
    try:
        yield
    finally:
        _calling.reset(token)


def caller() -> Context[Any, Any] | None:
    """Return the context of the current call; None if a tool is called as a plain function."""
    return _calling.get()


def default_user(settings: Settings) -> str:
    """
    Return the user of the current call where it names none.

    The only place that decides this: a personal token over HTTP will name its user here.
    """
    return settings.memory_user
