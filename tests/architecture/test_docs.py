"""The generated pages, and what the tests must touch."""

from __future__ import annotations

import ast
import functools

import pytest
from architecture.source import ROOT

from memory_core import docs
from memory_core.server import tools as tools
from memory_core.server.calls.registry import TOOLS

# It takes two seconds to write the pages.
pages = functools.cache(docs.pages)


@pytest.mark.parametrize("path", sorted(pages()), ids=lambda path: path.name)
def test_a_generated_page_is_current(path):
    assert pages()[path] == path.read_text(encoding="utf-8")


def test_every_tool_is_called_through_a_client():
    called = {
        argument.value
        for folder in ("acceptance", "server", "end_to_end")
        for path in sorted((ROOT / "tests" / folder).glob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        for argument in node.args[:1]
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
    }

    assert set() == {tool.name for tool in TOOLS} - called


def test_every_tool_has_a_title_and_says_what_it_does():
    poor = [
        tool.name
        for tool in TOOLS
        if not tool.title or not 20 <= len(tool.run.__doc__ or "") <= 400
    ]

    assert [] == poor
