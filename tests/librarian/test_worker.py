"""The thread in the background: what it does when, and that there is only one."""

from __future__ import annotations

import threading

import pytest
from librarian.towns import SAILING, group
from support import PATIENCE, HashingEmbedder

from memory_core import ConflictError, open_memory
from memory_core.librarian.worker import LOOK_SECONDS


@pytest.fixture
def other(tmp_path, clock, memory):
    """A second process on the same file, as far as leases can tell."""
    opened = open_memory(path=tmp_path / "memory.db", embedder=HashingEmbedder(), clock=clock)
    yield opened
    opened.close()


def runs(memory, kind):
    return memory.librarian.list_cycles(project_id="*", kind=kind).cycles


def switch(memory, **choices):
    """Choose without starting the thread, so that each step is the test's."""
    memory.discovery.background.on_change.clear()
    return memory.discovery.set_background(**choices)


def test_disabled_worker_discovers_nothing(memory):
    group(memory, SAILING)

    wait = memory.librarian.worker.step()

    assert (LOOK_SECONDS, []) == (wait, runs(memory, "discovery"))
    assert not memory.discovery.background_status().running


def test_enabled_worker_makes_suggestions_at_every_interval(memory, clock):
    group(memory, SAILING)
    switch(memory, enabled=True, interval_seconds=600, similarity_threshold=0.4)

    memory.librarian.worker.step()
    memory.librarian.worker.step()
    clock.advance(seconds=599)
    memory.librarian.worker.step()
    assert 1 == len(runs(memory, "discovery"))
    clock.advance(seconds=1)
    memory.librarian.worker.step()

    assert ["unchanged", "done"] == [run.status for run in runs(memory, "discovery")]
    assert {"librarian"} == {run.actor for run in runs(memory, "discovery")}
    assert 6 == memory.suggestions.list_suggestions().total


def test_status_reflects_the_worker(memory, clock):
    group(memory, SAILING)
    assert not switch(memory, enabled=True).running
    memory.librarian.worker.step()

    status = memory.discovery.background_status()

    assert (True, memory.librarian.worker.lease.holder) == (status.running, status.holder)
    assert (1, 300) == (status.runs, (status.next_at - clock()).total_seconds())
    switch(memory, enabled=False)
    assert (False, None) == (
        memory.discovery.background_status().running,
        memory.discovery.background_status().next_at,
    )


def test_only_one_process_runs_the_worker(memory, other, clock):
    group(memory, SAILING)
    switch(memory, enabled=True, interval_seconds=60)
    memory.librarian.worker.step()
    clock.advance(seconds=60)

    assert LOOK_SECONDS == other.librarian.worker.step()
    assert 1 == len(runs(memory, "discovery"))
    memory.librarian.worker.lease.release()
    other.librarian.worker.step()
    assert other.librarian.worker.lease.holder == memory.discovery.background_status().holder
    assert 2 == len(runs(memory, "discovery"))


def test_another_process_takes_over_after_lease_expiry(memory, other, clock):
    switch(memory, enabled=True)
    memory.librarian.worker.step()
    clock.advance(seconds=99)
    other.librarian.worker.step()
    assert memory.librarian.worker.lease.holder == memory.discovery.background_status().holder
    clock.advance(seconds=2)

    other.librarian.worker.step()

    assert other.librarian.worker.lease.holder == memory.discovery.background_status().holder


def test_manual_cycles_have_precedence(memory):
    group(memory, SAILING)
    switch(memory, enabled=True)
    with memory.job_runs.start_run("librarian", project_id="default"):
        wait = memory.librarian.worker.step()

    assert (LOOK_SECONDS, []) == (wait, runs(memory, "discovery"))


def test_upkeep_runs_every_half_hour(memory, clock):
    memory.graph.create_entity("Ann", "person")
    memory.catch_up()
    memory.graph.delete_entity("ann")
    memory.librarian.worker.step()
    assert [] == runs(memory, "upkeep")
    clock.advance(seconds=1800)
    memory.librarian.worker.step()
    memory.librarian.worker.step()

    (run,) = runs(memory, "upkeep")
    assert ("done", 1) == (run.status, run.counts["vectors"])


def test_entry_upkeep_runs_at_the_configured_interval(memory, clock):
    tags = ["tea", "morning", "drinks", "habit", "kitchen"]
    memory.entries.write_entry("Parcel on Friday", tags, category="other", is_time_sensitive=True)
    for n in (1, 1, 2, 3, 4):
        memory.entries.write_entry(f"Ann drinks tea {n}", tags, category="other")
    memory.entry_settings.choose_setting("dedup_enable", True)
    memory.entry_settings.choose_setting("daemon_interval", 60)

    memory.librarian.worker.step()
    clock.advance(days=3)
    memory.librarian.worker.step()
    clock.advance(seconds=60)
    memory.librarian.worker.step()

    counts = memory.entry_status.status().counts
    last, first = runs(memory, "upkeep")
    assert (4, 1, 0, 1) == (counts.entries, counts.duplicates, counts.expired, counts.groups)
    done = ("entries_expired", "entries_merged", "groups_rebuilt")
    assert [1, 1, 1] == [first.counts[name] for name in done]
    assert [0, 0, 0] == [last.counts.get(name, 0) for name in done]


def test_enabling_starts_the_thread_and_closing_stops_it(tmp_path):
    memory = open_memory(path=tmp_path / "m.db", embedder=HashingEmbedder())
    group(memory, SAILING)
    worked = threading.Event()
    step = memory.librarian.worker.step

    def watched():
        wait = step()
        worked.set()
        return wait

    memory.librarian.worker.step = watched
    memory.discovery.set_background(enabled=True, similarity_threshold=0.4)
    assert worked.wait(PATIENCE)
    assert memory.discovery.background_status().running
    memory.close()

    assert not memory.librarian.worker.running


def test_a_failed_step_does_not_end_the_thread(tmp_path, caplog):
    memory = open_memory(path=tmp_path / "m.db", embedder=HashingEmbedder())
    again = threading.Event()
    looks = []

    def failing():
        looks.append(1)
        if len(looks) > 1:
            again.set()
            return LOOK_SECONDS
        memory.librarian.worker.nudge()
        raise RuntimeError("a bug")

    memory.librarian.worker.step = failing
    memory.librarian.start_worker()

    assert again.wait(PATIENCE)
    memory.close()
    assert "Librarian step failed; continuing" in caplog.text


def test_short_processes_still_run_backup_and_upkeep(memory, clock):
    group(memory, SAILING)
    memory.librarian.worker.step()
    assert [] == memory.upkeep.list_backups()
    clock.advance(minutes=31)
    started_later = open_memory(path=memory.db.path, embedder=HashingEmbedder(), clock=clock)
    memory.librarian.worker.lease.release()

    started_later.librarian.worker.step()
    started_later.librarian.worker.step()

    (run,) = runs(memory, "upkeep")
    assert ("done", 1) == (run.status, run.counts["backups_made"])
    assert 1 == len(memory.upkeep.list_backups())
    started_later.close()


def test_clock_set_back_does_not_delay_jobs(memory, clock):
    group(memory, SAILING)
    switch(memory, enabled=True, interval_seconds=600)
    clock.advance(days=365)
    memory.librarian.worker.step()
    clock.advance(days=-364)

    memory.librarian.worker.step()

    assert 2 == len(runs(memory, "upkeep"))
    assert 2 == len(runs(memory, "discovery"))


def test_clock_set_back_does_not_start_a_second_worker(memory, other, clock):
    memory.librarian.worker.step()
    clock.advance(hours=-1)
    memory.librarian.worker.lease.renew_if_due()

    assert not other.librarian.worker.lease.take()


def test_running_job_keeps_its_lease_when_the_clock_is_set_back(memory, other, clock):
    with memory.job_runs.start_run("librarian", project_id="default") as job_run:
        clock.advance(hours=-1)
        job_run.tick(1, 2)

        with (
            pytest.raises(ConflictError),
            other.job_runs.start_run("librarian", project_id="default"),
        ):
            pass
