"""Many processes on one memory at once; eight writers of five hundred are in the soak."""

from __future__ import annotations

import pytest

from benchmarks.faults.crowd import gather

WRITERS, WRITES = 8, 40


@pytest.mark.process
def test_nothing_is_lost_or_twice_when_twelve_processes_work_at_once(tmp_path):
    crowd = gather(tmp_path / "memory.db", writers=WRITERS, writes=WRITES)

    assert [] == crowd.complaints
    assert WRITERS * WRITES == crowd.promised
    assert crowd.cycles > 0
    assert crowd.reindexed > 0
