"""Copies that the clock asks for, those before what cannot be taken back, and making room."""

from __future__ import annotations

import os

import apsw
import pytest

from memory_core import StorageError
from memory_core.services.maintenance.upkeep import Upkeep
from memory_core.storage.files import backups, temporary


@pytest.fixture
def upkeep(memory):
    """Upkeep that keeps three of a sort and copies once a day."""
    return Upkeep(memory.db, keep=3, interval_hours=24)


def write(memory, clock, **later):
    clock.advance(**later)
    memory.graph.create_entity(f"Ann {clock.now:%d %H %M}", "person")


def test_scheduled_backup_runs_daily_if_data_changed(memory, clock, upkeep):
    nothing_yet = upkeep.backup_if_due()
    write(memory, clock)
    first = upkeep.backup_if_due()
    write(memory, clock, hours=23)
    too_soon = upkeep.backup_if_due()
    clock.advance(hours=1)
    a_day_later = upkeep.backup_if_due()
    clock.advance(days=30)
    nothing_written = upkeep.backup_if_due()

    assert [0, 1, 0, 1, 0] == [nothing_yet, first, too_soon, a_day_later, nothing_written]
    assert all(path.stem.endswith("-scheduled") for path in upkeep.list_backups())


def test_zero_interval_disables_scheduled_backups(memory, clock):
    write(memory, clock)

    assert 0 == Upkeep(memory.db, interval_hours=0).backup_if_due()


def test_operation_backups_do_not_rotate_scheduled_ones(memory, clock, upkeep):
    for _ in range(4):
        write(memory, clock, days=1)
        upkeep.backup_if_due()
    for _ in range(5):
        clock.advance(minutes=1)
        upkeep.backup_before("purge")

    names = [path.stem for path in upkeep.list_backups()]
    assert 3 == sum(name.endswith("-scheduled") for name in names)
    assert 3 == sum(name.endswith("-before-purge") for name in names)


@pytest.mark.parametrize("other", ["-before-the-move", "-work-20200101T000000Z", "-2", "s"])
def test_named_backups_are_never_rotated(memory, clock, upkeep, other):
    write(memory, clock)
    upkeep.create_backup(f"{memory.db.path.stem}{other}.db")

    for _ in range(5):
        clock.advance(minutes=1)
        upkeep.backup_before("purge")

    assert (upkeep.folder / f"{memory.db.path.stem}{other}.db").is_file()
    assert 3 == len(upkeep.list_backups())


def test_backups_with_a_wrong_clock_do_not_rotate_new_ones(memory, clock, upkeep):
    write(memory, clock)
    clock.advance(days=365)
    for _ in range(3):
        clock.advance(hours=1)
        upkeep.backup_before("clear")
    clock.advance(days=-366)

    due = upkeep.backup_if_due()
    made = upkeep.backup_before("purge")

    assert os.path.exists(made.path)
    assert 1 == due
    assert 3 == sum("before" in path.stem for path in upkeep.list_backups())


def test_backup_reports_its_state_and_restore_verifies_it(memory, clock, upkeep):
    write(memory, clock)
    then = upkeep.create_backup("then.db")
    write(memory, clock, hours=1)

    restored = upkeep.restore_backup("then.db", confirm="then.db")

    assert then.seq == restored.seq > 0
    assert then.rows == restored.rows
    assert 1 == restored.rows["entities"]


def test_unverified_restore_is_reported_as_failed(memory, clock, upkeep, monkeypatch):
    write(memory, clock)
    upkeep.create_backup("then.db")
    pour, poured = backups._copy_pages, []

    def pour_all_but_the_last(source, target):
        poured.append(target)
        if len(poured) != 3:
            pour(source, target)

    monkeypatch.setattr(backups, "_copy_pages", pour_all_but_the_last)

    with pytest.raises(StorageError, match="does not contain the restored data"):
        upkeep.restore_backup("then.db", confirm="then.db")


def test_leftovers_of_killed_backups_are_deleted_later(memory, clock, upkeep):
    write(memory, clock)
    upkeep.create_backup()
    left, at_work = (
        upkeep.folder / f"{temporary.PREFIX}{name}{temporary.SUFFIX}"
        for name in ("abcdefgh", "ijklmnop")
    )
    for folder, minutes in ((left, 61), (at_work, 59)):
        folder.mkdir()
        (folder / "copy.db").write_bytes(b"half a copy")
        for path in (folder / "copy.db", folder):
            os.utime(path, times=(clock.now.timestamp() - minutes * 60,) * 2)

    upkeep.create_backup()

    assert [True, False] == [path.exists() for path in (at_work, left)]


def test_unwritable_backup_names_its_path_and_leaves_no_file(memory, clock, monkeypatch):
    write(memory, clock)

    def full(source, target):
        raise apsw.FullError("database or disk is full")

    monkeypatch.setattr(backups, "_copy_pages", full)

    with pytest.raises(StorageError, match=r"memory-.*\.db could not be written.*full.*space"):
        memory.upkeep.create_backup()
    assert [] == list(memory.upkeep.folder.iterdir())
