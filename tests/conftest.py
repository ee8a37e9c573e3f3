from __future__ import annotations

import itertools

import pytest
from support import HandClock, HashingEmbedder

from memory_core import open_memory


@pytest.fixture
def clock():
    return HandClock()


@pytest.fixture
def memory(tmp_path, clock):
    count = itertools.count(1)
    opened = open_memory(
        path=tmp_path / "memory.db",
        embedder=HashingEmbedder(),
        clock=clock,
        ids=lambda: f"id{next(count):05}",
    )
    yield opened
    opened.close()
