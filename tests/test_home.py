from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from memory_core import Settings

ROOT = Path(__file__).parents[1]


@pytest.mark.process
def test_what_names_no_place_is_not_the_users_own(tmp_path_factory):
    asked = "from memory_core import Settings; print(Settings.load().database_path())"
    child = subprocess.run(
        [sys.executable, "-c", asked], capture_output=True, text=True, cwd=ROOT, check=True
    )

    for place in (Settings().database_path(), Path(child.stdout.strip())):
        assert place.is_relative_to(tmp_path_factory.getbasetemp())
