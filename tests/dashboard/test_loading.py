"""The first visitor of a dashboard does not wait for what every page needs."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import sys
from dashboard.work.loading import SLOW_MODULES, preload_modules
before = [name for name in SLOW_MODULES if name in sys.modules]
preload_modules()
missing = [name for name in SLOW_MODULES if name not in sys.modules]
from plotly import graph_objects
graph_objects.Figure(graph_objects.Bar(y=[1])).to_dict()
loaded = {name.partition(".")[0] for name in sys.modules}
import dashboard.graph.graph_view, dashboard.tables, dashboard.charts, dashboard.layout
late = {name.partition(".")[0] for name in sys.modules} - loaded
print(before, missing, sorted(late))
"""


@pytest.mark.process
def test_what_the_pages_draw_with_is_loaded_before_the_first_visit():
    said = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True
    )

    assert "[] [] []\n" == said.stdout
