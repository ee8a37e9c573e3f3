from __future__ import annotations

import re
import subprocess
import sys
from enum import Enum

import pytest
from architecture.source import ROOT

import memory_core
from memory_core import errors


def test_public_names_are_those_listed():
    loaded = {name: getattr(memory_core, name) for name in dir(memory_core)}
    helpers = {"TYPE_CHECKING", "import_module"}
    real = sorted(
        name
        for name, value in loaded.items()
        if not name.startswith("_") and not hasattr(value, "__path__")
        if callable(value) or isinstance(value, Enum)
        if name not in helpers
    )

    assert sorted(memory_core.__all__) == memory_core.__all__
    assert real == memory_core.__all__


@pytest.mark.process
def test_importing_the_package_loads_no_library_of_others():
    script = (
        "import sys; import memory_core, memory_core.__main__, memory_core.server.__main__; "
        "print('pydantic' in sys.modules, 'typer' in sys.modules, 'mcp' in sys.modules)"
    )

    ran = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, check=True)

    assert b"False False False" == ran.stdout.strip()


def test_an_unknown_name_of_the_package_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'Memroy'"):
        memory_core.Memroy  # noqa: B018 - reading it is the test


def test_the_error_tree_in_the_docstring_is_the_real_one():
    drawn = re.findall(r"^( *)[*x+-] (\w+)", errors.__doc__, re.M)
    parents: list[tuple[int, str]] = []
    named = []
    for indent, name in drawn:
        while parents and parents[-1][0] >= len(indent):
            parents.pop()
        named.append((name, parents[-1][1] if parents else "Exception"))
        parents.append((len(indent), name))
    real = [
        (name, value.__base__.__name__)
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, Exception)
    ]

    assert real == named


def test_every_error_has_a_code_of_capitals():
    codes = [
        value.code
        for value in vars(errors).values()
        if isinstance(value, type) and issubclass(value, errors.MemoryCoreError)
    ]

    assert all(re.fullmatch(r"[A-Z_]+", code) for code in codes)


def test_every_error_class_ends_in_error():
    named = [name for name, value in vars(errors).items() if isinstance(value, type)]

    assert [] == [name for name in named if not name.endswith("Error") and name in errors.__doc__]


@pytest.mark.parametrize("module", [memory_core, errors])
@pytest.mark.parametrize(
    ("old", "new"),
    [("Invalid", "ValidationError"), ("Refused", "ForbiddenError"), ("NotFound", "NotFoundError")],
)
def test_old_error_names_warn_and_return_the_renamed_class(module, old, new):
    with pytest.warns(DeprecationWarning, match=f"Use {new}"):
        assert getattr(errors, new) is getattr(module, old)


def test_the_old_name_of_track_progress_warns():
    with pytest.warns(DeprecationWarning, match="Use track_progress"):
        assert memory_core.track_progress is memory_core.awaited_by


@pytest.mark.parametrize("module", [memory_core, errors])
def test_an_unknown_name_is_an_attribute_error(module):
    with pytest.raises(AttributeError, match="no attribute 'Missing'"):
        _ = module.Missing
