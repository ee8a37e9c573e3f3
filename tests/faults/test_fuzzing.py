from __future__ import annotations

import pytest

from benchmarks.faults.fuzzing import fuzz, schemas


@pytest.mark.slow
def test_fuzzed_tool_calls_fail_cleanly_and_atomically():
    tally = fuzz(300)

    assert [] == tally.problems
    assert 0 < tally.refused < tally.calls
    assert tally.calls == tally.answered + tally.refused


def test_every_tool_is_fuzzed():
    assert {"search_memory", "create_entity", "memory_write", "clear_memory"} <= set(schemas())
