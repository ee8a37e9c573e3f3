"""Install the socket guard in every Python process that a test starts."""

from __future__ import annotations

import importlib.util
from pathlib import Path

_found = importlib.util.spec_from_file_location(
    "socket_guard", Path(__file__).parents[1] / "socket_guard.py"
)
assert _found is not None and _found.loader is not None
_guard = importlib.util.module_from_spec(_found)
_found.loader.exec_module(_guard)
_guard.install()
