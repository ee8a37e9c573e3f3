"""One version for the package, the server, the bundle and the package metadata."""

from __future__ import annotations

import ast
import tomllib

from architecture.source import ROOT, core_modules, tree_of

from memory_core import settings
from memory_core._version import VERSION


def test_the_build_reads_the_version_from_the_package():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))

    assert "version" in project["project"]["dynamic"]
    assert "version" not in project["project"]
    assert "memory_core/_version.py" == project["tool"]["hatch"]["version"]["path"]
    assert VERSION == settings.VERSION


def test_no_other_module_writes_the_version_out():
    elsewhere = [
        str(path.relative_to(ROOT))
        for path in core_modules()
        if path.name != "_version.py"
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Constant) and node.value == VERSION
    ]

    assert [] == elsewhere
