"""Many processes on one memory at once; eight writers of five hundred are in the soak."""

from __future__ import annotations

import pytest

from benchmarks.faults.crowd import gather

WRITERS, WRITES = 8, 40


@pytest.mark.process
def test_twelve_concurrent_processes_lose_and_duplicate_nothing(tmp_path):
    crowd = gather(tmp_path / "memory.db", writers=WRITERS, writes=WRITES)

    assert [] == crowd.complaints
    assert WRITERS * WRITES == crowd.promised
    assert crowd.cycles > 0
    assert crowd.reindexed > 0
