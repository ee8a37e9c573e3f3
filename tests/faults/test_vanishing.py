"""Clients over HTTP that are gone in the middle of a call."""

from __future__ import annotations

import sys

import pytest

from benchmarks.faults.vanishing import vanish


@pytest.mark.process
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="counts handles in /proc")
def test_vanished_clients_leave_no_locks_or_partial_writes(tmp_path):
    vanished = vanish(tmp_path, 8)

    assert [] == vanished.complaints
    assert 40 == vanished.clients
