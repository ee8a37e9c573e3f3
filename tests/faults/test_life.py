"""A long life in short: handles, threads and caches are bounded; an hour of it is in the soak."""

from __future__ import annotations

import os
import sys
import time
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest
from support import HandClock, HashingEmbedder

from benchmarks.faults import worlds
from benchmarks.faults.checking import complaints
from benchmarks.faults.children import answer_of
from benchmarks.faults.life import live
from memory_core import Settings, open_memory

# What a process of ours may come to hold more, however long it works: threads that are there
# while a model loads, and their connections (three files each).
SPARE_HANDLES, SPARE_THREADS = 8, 2


@pytest.mark.process
def test_handles_and_threads_do_not_leak(tmp_path):
    life = answer_of(partial(live, tmp_path / "memory.db", rounds=60))
    first, last = life.at(0), life.at(1)

    assert [] == life.complaints
    assert last.handles <= first.handles + SPARE_HANDLES
    assert last.threads <= first.threads + SPARE_THREADS


def test_caches_are_bounded(tmp_path):
    most = 20
    memory = open_memory(
        Settings(embedding_cache_size=most),
        path=tmp_path / "memory.db",
        embedder=HashingEmbedder(),
    )
    worlds.fill(memory, 2)
    memory.catch_up()
    for number in range(3 * most):
        memory.search.search_memory(f"question {number}")

    assert most == len(memory.queries)
    memory.close()


def test_change_times_increase_when_the_clock_is_set_back(memory, clock):
    for step in (0, -3600, 86_400, -90_000, 3600, -60):
        clock.advance(seconds=step)
        memory.graph.create_entity(f"Ann {step} {clock.now}", "person")

    report = memory.health.health_report()
    assert 0 == report.journal.backwards
    with memory.db.read() as connection:
        times = [row["at"] for row in connection.execute("select at from changes order by seq")]
    assert sorted(times) == times
    last = memory.graph.delete_entity(memory.graph.list_entities().entities[0].id)
    memory.undo.undo(last.batch_id)
    assert 6 == memory.graph.list_entities().total


def test_expiry_uses_the_current_clock(memory, clock):
    bottle = memory.bottles.create_bottle("soon", expires_at=clock.now + timedelta(hours=2)).bottle

    def shown():
        return [each.id for each in memory.bottles.list_bottles().bottles]

    assert [bottle.id] == shown()
    clock.advance(days=1)
    assert [] == shown()
    clock.advance(days=-1)
    assert [bottle.id] == shown()
    clock.advance(hours=-5)
    assert [bottle.id] == shown()
    clock.advance(hours=7, seconds=1)
    assert [] == shown()


# Moments around which clocks in these zones are set forward, back, or by half an hour.
ZONES = ["UTC", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia", "Asia/Kathmandu"]


def seen_in(zone, path):
    """Live through two changes of summer time in a zone; return all that is written of it."""
    os.environ["TZ"] = zone
    time.tzset()
    moments = [datetime(2026, 3, 8, 6, 30, tzinfo=UTC), datetime(2026, 11, 1, 5, 30, tzinfo=UTC)]
    clock = HandClock()
    memory = worlds.open_small(path, clock=clock)
    for moment in sorted([*moments, *(each + timedelta(hours=1) for each in moments)]):
        clock.now = moment
        memory.graph.create_entity(f"at {moment.isoformat()}", "person")
        memory.bottles.create_bottle("soon", expires_at=moment + timedelta(minutes=90))
        memory.upkeep.create_backup()
    clock.now = datetime(2026, 11, 1, 6, 45, tzinfo=UTC)
    left = len(memory.bottles.list_bottles(limit=50).bottles)
    with memory.db.read() as connection:
        rows = connection.execute("select distinct at from changes order by seq").fetchall()
    names = [copy.name for copy in memory.upkeep.list_backups()]
    memory.close()
    return left, [row["at"] for row in rows], names


@pytest.mark.process
@pytest.mark.skipif(sys.platform == "win32", reason="zones by TZ")
def test_time_zones_do_not_affect_stored_times(tmp_path):
    said = []
    for zone in ZONES:
        path = tmp_path / zone.replace("/", "-") / "memory.db"
        path.parent.mkdir()
        said.append(answer_of(seen_in, zone, path))
        assert [] == complaints(path)

    left, times, names = said[0]
    assert [said[0]] * len(ZONES) == said
    assert (2, 4) == (left, len(names))
    assert "2026-03-08T06:30:00.000000Z" == times[0]


def test_wrong_system_clock_is_reported_and_repaired(memory, clock):
    clock.advance(days=3650)
    memory.graph.create_entity("Ann", "person")
    clock.now = datetime(2026, 1, 1, tzinfo=UTC)

    before = memory.health.health_report()
    memory.health.checkup(repair=True)

    assert any("in the future" in problem.what for problem in before.problems)
    assert [] == memory.health.health_report().problems
