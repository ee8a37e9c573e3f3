"""Clients over HTTP that are gone in the middle of a call."""

from __future__ import annotations

import sys

import pytest

from benchmarks.faults.vanishing import vanish


@pytest.mark.process
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="counts handles in /proc")
def test_clients_that_vanish_leave_nothing_behind_and_nobody_is_hindered(tmp_path):
    vanished = vanish(tmp_path, 8)

    assert [] == vanished.complaints
    assert 40 == vanished.clients
