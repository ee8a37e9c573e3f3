"""Tool names in error texts."""

from __future__ import annotations

import ast
import re

from architecture.source import ROOT, core_modules, tree_of

NAMED = re.compile(r"\b[Tt]he tool (\w+_\w+)(?: or (\w+_\w+))?")


def test_error_texts_name_tools_that_exist():
    page = (ROOT / "docs" / "tools.md").read_text(encoding="utf-8")
    tools = re.findall(r"^### (\w+)", page, re.M)

    named = {
        tool
        for path in core_modules()
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        for match in NAMED.finditer(node.value)
        for tool in match.groups()
        if tool
    }

    assert named
    assert [] == sorted(named.difference(tools))
