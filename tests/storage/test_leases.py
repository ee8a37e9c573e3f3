from __future__ import annotations

from datetime import timedelta

import pytest

from memory_core.storage import leases
from memory_core.storage.database import Database


@pytest.fixture
def db(tmp_path, clock):
    opened = Database(tmp_path / "memory.db", clock)
    yield opened
    opened.close()


def taken(db, holder, seconds=60):
    with db.note() as connection:
        return leases.take(connection, "job", holder=holder, now=db.clock(), seconds=seconds)


def test_one_holder_at_a_time(db):
    assert [True, False, True] == [taken(db, "a"), taken(db, "b"), taken(db, "a")]
    with db.read() as connection:
        assert "a" == leases.holder(connection, "job", now=db.clock())


def test_a_lease_ends_with_its_time(db, clock):
    taken(db, "a")
    clock.advance(seconds=60)

    assert taken(db, "b")


def test_a_lease_given_back_is_free_at_once(db):
    taken(db, "a")
    with db.note() as connection:
        leases.release(connection, "job", holder="b")
    refused = taken(db, "b")
    with db.note() as connection:
        leases.release(connection, "job", holder="a")

    assert (False, True) == (refused, taken(db, "b"))


def test_a_lease_from_a_clock_gone_wrong_does_not_last_for_ever(db, clock):
    clock.now += timedelta(days=365)
    taken(db, "a")
    clock.now -= timedelta(days=365)

    assert taken(db, "b")
