"""Whatever is asked of any tool, the answer is one a model can act on."""

from __future__ import annotations

from benchmarks.faults.fuzzing import fuzz, schemas


def test_no_call_of_any_tool_fails_without_words_or_half_way():
    """
    No traceback, no hang, and what was refused changed nothing. ``python -m benchmarks.soak``
    does this ten thousand times.
    """
    tally = fuzz(300)

    assert [] == tally.problems
    assert 0 < tally.refused < tally.calls
    assert tally.calls == tally.answered + tally.refused


def test_every_tool_is_among_those_that_are_tried():
    """
    What is drawn comes from what is served.
    """
    assert {"search_memory", "create_entity", "memory_write", "clear_memory"} <= set(schemas())
