from __future__ import annotations

import pytest

from benchmarks.faults.fuzzing import fuzz, schemas


@pytest.mark.slow
def test_no_call_of_any_tool_fails_without_words_or_half_way():
    tally = fuzz(300)

    assert [] == tally.problems
    assert 0 < tally.refused < tally.calls
    assert tally.calls == tally.answered + tally.refused


def test_every_tool_is_among_those_that_are_tried():
    assert {"search_memory", "create_entity", "memory_write", "clear_memory"} <= set(schemas())
