from __future__ import annotations

import ast
import re

import pytest
from architecture.source import (
    CORE,
    LAYERS,
    ROOT,
    core_modules,
    functions,
    imported_at_load,
    imports,
    layer,
    product_modules,
    tree_of,
)

# A library, and the one layer that may use it.
ONLY_IN = {
    "apsw": "storage",
    "mcp": "server",
    "turbovec": "search",
    "torch": "search",
    "transformers": "search",
    "sentence_transformers": "search",
    "onnxruntime": "search",
    "tokenizers": "search",
    "pypdf": "readers",
    "docx": "readers",
    "bs4": "readers",
    "charset_normalizer": "readers",
    "yaml": "readers",
}

# Loaded inside the function that needs them: each costs a start tenths of seconds or more.
HEAVY = {
    "torch",
    "transformers",
    "sentence_transformers",
    "onnxruntime",
    "tokenizers",
    "sklearn",
    "scipy",
    "pandas",
    "networkx",
    "rustworkx",
    "turbovec",
    "pypdf",
    "docx",
    "bs4",
    "charset_normalizer",
    "yaml",
    "semantic_text_splitter",
    "httpx",
}

SQL = re.compile(
    r"\s*(select\s|insert\s+(or\s+\w+\s+)?into\s|update\s+\w+\s+set\s|delete\s+from\s"
    r"|create\s+(table|trigger|index|virtual))",
    re.I,
)


def short(path):
    return str(path.relative_to(ROOT))


def circles_of(graph: dict[str, set[str]]) -> dict[str, set[str]]:
    """Return what of the graph leads back to itself."""
    graph = dict(graph)
    while leaves := [name for name, needs in graph.items() if not needs & graph.keys()]:
        for name in leaves:
            del graph[name]
    return graph


def test_imports_point_down():
    upward = []
    for path in core_modules():
        if path == CORE / "__init__.py":
            continue
        for name in imports(path):
            parts = name.split(".")
            if parts[0] != "memory_core" or len(parts) < 2 or parts[1] not in LAYERS:
                continue
            if LAYERS.index(parts[1]) > LAYERS.index(layer(path)):
                upward.append((short(path), name))

    assert [] == upward


def test_every_module_has_a_layer():
    homes = {layer(path) for path in core_modules()} - {"__init__"}

    assert set() == homes - set(LAYERS)


def test_no_modules_import_each_other():
    graph = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts): set(imports(path))
        for path in core_modules()
    }
    graph = {
        name: {
            other
            for other in graph
            if other != name
            and (other in wanted or any(w.startswith(f"{other}.") for w in wanted))
            and not other.endswith("__init__")
        }
        for name, wanted in graph.items()
    }

    assert {} == circles_of(graph)


@pytest.mark.parametrize("whole", ["memory_core.services", "dashboard"])
def test_sibling_packages_do_not_import_each_other(whole):
    home = ROOT.joinpath(*whole.split("."))
    graph: dict[str, set[str]] = {}
    for path in sorted(home.rglob("*.py")):
        package = path.relative_to(home).parts[0].removesuffix(".py")
        names = [n.removeprefix(f"{whole}.") for n in imports(path) if n.startswith(f"{whole}.")]
        graph.setdefault(package, set()).update({n.split(".")[0] for n in names} - {package})

    assert any(graph.values())
    assert {} == circles_of(graph)


@pytest.mark.parametrize("library", sorted(ONLY_IN))
def test_a_library_is_used_in_one_layer(library):
    strays = [
        short(path)
        for path in core_modules()
        if layer(path) != ONLY_IN[library]
        and any(name.split(".")[0] == library for name in imports(path))
    ]

    assert [] == strays


def test_only_storage_touches_a_connection():
    strays = [
        f"{short(path)}:{node.lineno}"
        for path in core_modules()
        if layer(path) != "storage"
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("execute", "executemany")
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id in ("connection", "db", "cursor")
    ]

    assert [] == strays


def test_sql_lives_in_storage():
    strays = [
        f"{short(path)}:{node.lineno}"
        for path in core_modules()
        if layer(path) != "storage"
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and SQL.match(node.value)
    ]

    assert [] == strays


def test_streamlit_is_imported_only_by_the_dashboard():
    strays = [
        short(path)
        for path in core_modules()
        if {"streamlit", "pyvis", "plotly", "pandas"}
        & {name.split(".")[0] for name in imports(path)}
    ]

    assert [] == strays


def test_dashboard_imports_only_public_names():
    strays = [
        (short(path), name)
        for path in sorted((ROOT / "dashboard").rglob("*.py"))
        for name in imports(path)
        if name.startswith("memory_core.")
        and not name.startswith("memory_core.model")
        and name.split(".")[1] in LAYERS
    ]
    strays += [
        (short(path), name)
        for path in core_modules()
        for name in imports(path)
        if name.split(".")[0] == "dashboard"
    ]

    assert [] == strays


def test_only_settings_read_the_environment():
    strays = [
        f"{short(path)}:{node.lineno}"
        for path in core_modules()
        if layer(path) != "settings"
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Attribute)
        and node.attr in ("environ", "getenv")
        and isinstance(node.value, ast.Name)
        and node.value.id == "os"
    ]

    assert [] == strays


def test_rules_do_not_use_clock_files_or_database():
    allowed = {"errors", "model", "rules"}
    outside = {"os", "sys", "pathlib", "time", "random", "secrets", "uuid", "logging", "socket"}
    strays = [
        (short(path), name)
        for path in core_modules()
        if layer(path) == "rules"
        for name in imports(path)
        if (name.startswith("memory_core.") and name.split(".")[1] not in allowed)
        or name.split(".")[0] in outside
    ]
    strays += [
        (short(path), f"datetime.{node.attr}")
        for path in core_modules()
        if layer(path) == "rules"
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Attribute) and node.attr in ("now", "utcnow", "today")
    ]

    assert [] == strays


def test_importing_the_package_loads_no_heavy_modules():
    strays = [
        (short(path), name) for path in core_modules() for name in imported_at_load(path) & HEAVY
    ]

    assert [] == strays


def test_modules_and_functions_stay_within_size_limits():
    long = [
        (short(path), lines)
        for path in product_modules()
        if (lines := path.read_text(encoding="utf-8").count("\n")) > 450
    ]
    long += [
        (f"{short(path)}:{node.name}", lines)
        for path in product_modules()
        for node in functions(path)
        if (lines := (node.end_lineno or 0) - node.lineno + 1) > 40
    ]

    assert [] == long


def test_only_the_protocol_writes_to_stdout():
    strays = [
        f"{short(path)}:{node.lineno}"
        for path in core_modules()
        if layer(path) not in ("cli", "docs")
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "print"
    ]

    assert [] == strays


def test_broad_excepts_are_only_in_listed_places():
    catching = {
        short(path)
        for path in core_modules()
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.ExceptHandler)
        and (
            node.type is None
            or (isinstance(node.type, ast.Name) and node.type.id in ("Exception", "BaseException"))
        )
    }

    assert catching <= {
        "memory_core/server/calls/registry.py",
        "memory_core/telemetry.py",
        "memory_core/search/lazy.py",
        "memory_core/search/leased_thread.py",
    }
