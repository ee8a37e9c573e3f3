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
def test_a_process_begins_with_the_memory_loaded_and_without_threads_of_its_libraries():
    assert (True, False) == answer_of(loaded)


@pytest.mark.process
def test_what_goes_wrong_in_a_process_is_told_where_it_was_begun():
    with pytest.raises(Failed, match="the rope is too short"):
        answer_of(failing)
