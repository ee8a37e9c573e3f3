"""The generated tool list, tools.json.

Loading all tools with the values that they give back, and working out a schema for each, takes
longer than all else that a server does before it answers its first question. So this is done
when a tool changes, by ``python -m memory_core.docs``, and a test compares the two.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import asdict
from functools import cache
from importlib import import_module
from importlib.resources import files
from typing import Any

from .registry import Listing, Tool, listing

FILE = files("memory_core.server") / "tools.json"


@cache
def catalogue() -> tuple[Listing, ...]:
    """Return every tool as it is written down."""
    return tuple(Listing(**each) for each in json.loads(FILE.read_text(encoding="utf-8")))


def function_of(entry: Listing) -> Callable[..., Any]:
    """Import the tool module and return the function of *entry*."""
    family = import_module(f"memory_core.server.tools.{entry.family}")
    function: Callable[..., Any] = getattr(family, entry.name)
    return function


def format_catalogue(tools: Iterable[Tool]) -> str:
    """Return the text that the file should have: a line a tool."""
    lines = [
        json.dumps(asdict(listing(tool)), ensure_ascii=False, separators=(",", ":"))
        for tool in tools
    ]
    return "[\n" + ",\n".join(lines) + "\n]\n"
