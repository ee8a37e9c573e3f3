"""Vocabulary of code, tests and docs."""

from __future__ import annotations

import ast
import re
from functools import cache

from architecture.source import ROOT

# Words that no codebase of this field uses in this sense; CONTRIBUTING.md refers to this list.
WORDS = re.compile(
    r"\b(anew|whoever|whatever|whomever|somebody|nobody|alike|mend(s|ed|ing)?|ways? out|for ever"
    r"|shall|likewise|at length|hinder(s|ed)?|told|beside|doors?)\b",
    re.IGNORECASE,
)
OPENERS = ("What", "Which", "Who", "How", "Whether")
FOLDERS = ("memory_core", "dashboard", "tests", "benchmarks", "docs", "deploy")
MOST_PER_1000_LINES = 0.5


@cache
def texts() -> dict[str, str]:
    """Return the text of every Python and Markdown file that is part of the project."""
    files = [*ROOT.glob("*.md"), *ROOT.glob("*.py")]
    files += [file for name in FOLDERS for file in (ROOT / name).rglob("*.py")]
    files += [file for name in FOLDERS for file in (ROOT / name).rglob("*.md")]
    return {
        str(file.relative_to(ROOT)): file.read_text(encoding="utf-8")
        for file in files
        if file.name != "test_language.py"
    }


def test_texts_use_standard_terms():
    hits = {name: len(WORDS.findall(text)) for name, text in texts().items()}
    lines = sum(text.count("\n") for text in texts().values())
    worst = sorted(hits, key=lambda name: -hits[name])[:10]

    assert 1000 * sum(hits.values()) / lines <= MOST_PER_1000_LINES, worst


def test_module_docstrings_state_what_the_module_is():
    openers = [
        name
        for name, text in texts().items()
        if name.endswith(".py")
        and (ast.get_docstring(ast.parse(text)) or "").startswith(tuple(f"{o} " for o in OPENERS))
    ]

    assert [] == openers
