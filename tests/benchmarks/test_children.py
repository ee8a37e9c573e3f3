"""The processes that faults are tried in."""

from __future__ import annotations

import sys

import pytest

from benchmarks.faults.children import Failed, answer_of


def loaded():
    return "memory_core.memory" in sys.modules, "turbovec" in sys.modules


def failing():
    raise ValueError("the rope is too short")


@pytest.mark.process
@pytest.mark.skipif(sys.platform == "win32", reason="each process imports everything again there")
def test_child_process_starts_with_memory_loaded_and_no_library_threads():
    assert (True, False) == answer_of(loaded)


@pytest.mark.process
def test_child_process_errors_reach_the_parent():
    with pytest.raises(Failed, match="the rope is too short"):
        answer_of(failing)
