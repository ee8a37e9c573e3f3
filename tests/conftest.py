from __future__ import annotations

import itertools

import pytest
import socket_guard
from support import HandClock, HashingEmbedder

from memory_core import open_memory

socket_guard.install()


@pytest.fixture(autouse=True, scope="session")
def children_are_watched(tmp_path_factory):
    """Hold the programs that tests start to the same rule, as far as they inherit it."""
    socket_guard.watch_children(tmp_path_factory.mktemp("guard") / "tried")


@pytest.fixture(autouse=True)
def nothing_leaves_this_machine():
    """Fail a test that tried to reach another one, even where the program lived with it."""
    socket_guard.TRIED.clear()
    yield
    assert [] == [*socket_guard.TRIED, *socket_guard.tried_by_children()]


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
