"""A way out is called by what there is where it is read: a tool, a command or an option."""

from __future__ import annotations

import ast
import re

from architecture.source import ROOT, core_modules, layer, tree_of

# What every door uses, and so must not speak of one of them.
SHARED = ("rules", "storage", "search", "extract", "readers", "services", "librarian", "memory")

SQL = re.compile(r"\b(select|where|insert|update)\s")


def tools():
    page = (ROOT / "docs" / "tools.md").read_text(encoding="utf-8")
    return [name for name in re.findall(r"^### (\w+)", page, re.M) if "_" in name]


def sentences(path):
    """Yield the texts of a module that a person may read: those with a space and no SQL."""
    docstrings = {
        id(node.value)
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    named = {
        id(argument)
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("named_here", "called")
        for argument in node.args
    }
    for node in ast.walk(tree_of(path)):
        said = node.value if isinstance(node, ast.Constant) else None
        if not isinstance(said, str) or " " not in said or SQL.search(said):
            continue
        if id(node) not in docstrings | named:
            yield said


def test_what_all_doors_share_names_no_tool():
    """
    An error that a command line or a page may show asks named_here() for the name of a way out.
    """
    any_tool = re.compile(r"\b(?:" + "|".join(tools()) + r")\b")

    found = [
        (str(path.relative_to(ROOT)), said)
        for path in core_modules()
        if layer(path) in SHARED
        for said in sentences(path)
        if any_tool.search(said)
    ]

    assert [] == found
