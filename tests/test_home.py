from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from memory_core import Settings

ROOT = Path(__file__).parents[1]


@pytest.mark.process
def test_invalid_paths_are_not_in_the_home_folder(tmp_path_factory):
    asked = "from memory_core import Settings; print(Settings.load().database_path())"
    child = subprocess.run(
        [sys.executable, "-c", asked], capture_output=True, text=True, cwd=ROOT, check=True
    )

    for place in (Settings().database_path(), Path(child.stdout.strip())):
        assert place.is_relative_to(tmp_path_factory.getbasetemp())
