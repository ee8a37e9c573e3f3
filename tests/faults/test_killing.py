from __future__ import annotations

import os
import sys

import pytest

from benchmarks.faults.acts import ACTS
from benchmarks.faults.killing import kill_often

pytestmark = pytest.mark.process

# Kills here, where each is looked at from all sides; the rest of the thousand are in the soak.
TIMES = {"write": 20, "librarian": 1}


@pytest.mark.skipif(sys.platform == "win32", reason="kills by signal")
@pytest.mark.parametrize("name", [act.name for act in ACTS])
def test_acknowledged_writes_survive_a_kill_and_others_can_be_retried(name):
    kills = kill_often(name, TIMES.get(name, 2), seed=os.getpid())

    assert [] == kills.complaints
    assert TIMES.get(name, 2) == kills.killed
    # Of the writers none came to an end, and something was promised before that.
    assert name != "write" or 20 == kills.before_the_end
    assert name != "write" or kills.acknowledged > 20
