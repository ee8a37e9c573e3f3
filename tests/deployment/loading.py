"""Load the image's entry point as a module."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

PLACE = Path(__file__).parents[2] / "deploy" / "entrypoint.py"


def _loaded():
    spec = importlib.util.spec_from_file_location("entrypoint", PLACE)
    module = importlib.util.module_from_spec(spec)
    # Its dataclasses look their module up by name.
    sys.modules["entrypoint"] = module
    spec.loader.exec_module(module)
    return module


entrypoint = _loaded()
