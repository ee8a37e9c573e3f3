"""Source files, layers and imports for the architecture tests."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
CORE = ROOT / "memory_core"

LAYERS = [
    "_version",
    "installation",
    "errors",
    "home_folder",
    "clock",
    "ids",
    "context",
    "threads",
    "model",
    "rules",
    "log_redaction",
    "settings",
    "storage",
    "telemetry",
    "search",
    "extract",
    "readers",
    "services",
    "librarian",
    "validation",
    "embedder_factory",
    "mirror_factory",
    "ontology_loader",
    "lazy_attribute",
    "components",
    "memory",
    "integrations",
    "server",
    "cli",
    "docs",
    "__main__",
]


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def core_modules() -> list[Path]:
    return sorted(CORE.rglob("*.py"))


def product_modules() -> list[Path]:
    """Return every Python file that is not a test."""
    outside = [ROOT / "main.py", ROOT / "launch.py"]
    folders = [ROOT / "dashboard", ROOT / "benchmarks"]
    return [
        *core_modules(),
        *(path for path in outside if path.exists()),
        *(path for folder in folders for path in sorted(folder.rglob("*.py"))),
    ]


def layer(path: Path) -> str:
    return path.relative_to(CORE).parts[0].removesuffix(".py")


def imports(path: Path) -> Iterator[str]:
    """Yield the full name of everything that a module imports, wherever in it."""
    inside = path.relative_to(ROOT).parent.parts
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.ImportFrom):
            base = inside[: len(inside) - node.level + 1] if node.level else ()
            name = ".".join((*base, *(node.module or "").split("."))).strip(".")
            yield from (f"{name}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def imported_at_load(path: Path) -> set[str]:
    """Return the top packages that loading a module loads, type checking aside."""
    found: set[str] = set()
    todo: list[ast.stmt] = list(tree_of(path).body)
    while todo:
        node = todo.pop()
        if isinstance(node, ast.ImportFrom) and not node.level:
            found.add((node.module or "").split(".")[0])
        elif isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.Try):
            todo += [*node.body, *node.orelse, *node.finalbody]
            todo += [statement for handler in node.handlers for statement in handler.body]
    return found


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node
