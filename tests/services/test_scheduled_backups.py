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


def test_the_clock_asks_for_a_copy_once_a_day_and_only_if_something_was_written(
    memory, clock, upkeep
):
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


def test_an_interval_of_nought_asks_for_none(memory, clock):
    write(memory, clock)

    assert 0 == Upkeep(memory.db, interval_hours=0).backup_if_due()


def test_copies_before_an_act_do_not_push_out_those_of_the_clock(memory, clock, upkeep):
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
def test_a_copy_with_a_name_of_its_own_is_never_dropped(memory, clock, upkeep, other):
    write(memory, clock)
    upkeep.create_backup(f"{memory.db.path.stem}{other}.db")

    for _ in range(5):
        clock.advance(minutes=1)
        upkeep.backup_before("purge")

    assert (upkeep.folder / f"{memory.db.path.stem}{other}.db").is_file()
    assert 3 == len(upkeep.list_backups())


def test_copies_made_under_a_clock_gone_wrong_do_not_push_out_new_ones(memory, clock, upkeep):
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


def test_a_copy_says_which_moment_it_holds_and_restoring_proves_it(memory, clock, upkeep):
    write(memory, clock)
    then = upkeep.create_backup("then.db")
    write(memory, clock, hours=1)

    restored = upkeep.restore_backup("then.db", confirm="then.db")

    assert then.seq == restored.seq > 0
    assert then.rows == restored.rows
    assert 1 == restored.rows["entities"]


def test_a_restore_that_did_not_arrive_is_not_called_one(memory, clock, upkeep, monkeypatch):
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


def test_what_a_killed_copy_left_is_swept_by_a_later_one(memory, clock, upkeep):
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


def test_a_copy_that_cannot_be_written_says_where_and_leaves_nothing(memory, clock, monkeypatch):
    write(memory, clock)

    def full(source, target):
        raise apsw.FullError("database or disk is full")

    monkeypatch.setattr(backups, "_copy_pages", full)

    with pytest.raises(StorageError, match=r"memory-.*\.db could not be written.*full.*space"):
        memory.upkeep.create_backup()
    assert [] == list(memory.upkeep.folder.iterdir())
