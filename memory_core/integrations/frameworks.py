"""Tools for LangChain and Pydantic AI; both packages are optional."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ..errors import MemoryCoreError, UnavailableError
from .agent_memory import AgentMemory
from .function_calling import NAMES, documentation

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool
    from pydantic_ai import Tool


def langchain_tools(agent: AgentMemory) -> list[BaseTool]:
    """
    Return remember and recall as LangChain tools; raise UnavailableError without langchain-core.
    """
    tools = _package("langchain_core.tools", "langchain-core")
    return [
        tools.StructuredTool.from_function(
            _refusing(getattr(agent, name), tools.ToolException),
            name=name,
            description=documentation(name),
            handle_tool_error=True,
        )
        for name in NAMES
    ]


def pydantic_ai_tools(agent: AgentMemory) -> list[Tool[Any]]:
    """
    Return remember and recall as Pydantic AI tools; raise UnavailableError without that package.
    """
    library = _package("pydantic_ai", "pydantic-ai-slim")
    return [
        library.Tool(
            _refusing(getattr(agent, name), library.ModelRetry),
            takes_ctx=False,
            name=name,
            description=documentation(name),
        )
        for name in NAMES
    ]


def _package(module: str, package: str) -> ModuleType:
    import importlib

    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise UnavailableError(
            f"These tools need the package {package}, which cannot be imported ({error}). "
            f"Install it: pip install {package}."
        ) from error


def _refusing(
    run: Callable[..., dict[str, Any]], refusal: type[Exception]
) -> Callable[..., dict[str, Any]]:
    """Let a refusal of the memory reach the model in its framework's own way."""

    @functools.wraps(run)
    def call(*given: Any, **named: Any) -> dict[str, Any]:
        try:
            return run(*given, **named)
        except MemoryCoreError as error:
            raise refusal(f"{error.code}: {error}") from error

    return call
