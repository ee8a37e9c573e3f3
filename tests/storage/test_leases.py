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


def lease(db, holder):
    return leases.Lease(db, "job", holder=holder, seconds=60)


def taken(db, holder):
    return lease(db, holder).take()


def test_a_lease_has_one_holder_at_a_time(db):
    assert [True, False, True] == [taken(db, "a"), taken(db, "b"), taken(db, "a")]
    with db.read() as connection:
        assert "a" == leases.holder(connection, "job", now=db.clock())


def test_a_lease_expires(db, clock):
    taken(db, "a")
    clock.advance(seconds=60)

    assert taken(db, "b")


def test_only_the_holder_can_release_a_lease(db):
    first, second = lease(db, "a"), lease(db, "b")
    first.take()
    second.release()
    refused = second.take()
    first.release()

    assert (False, True) == (refused, second.take())


def test_a_lease_taken_by_another_cannot_be_renewed(db, clock):
    first, second = lease(db, "a"), lease(db, "b")
    first.take()
    clock.advance(seconds=60)
    second.take()
    refused = first.renew_if_due()
    second.release()

    assert [False, False, True] == [refused, first.renew_if_due(), first.take()]


def test_renewing_extends_a_lease_once_it_is_due(db, clock):
    first = lease(db, "a")
    first.take()
    clock.advance(seconds=19)
    first.renew_if_due()
    clock.advance(seconds=40)
    first.renew_if_due()
    clock.advance(seconds=59)

    assert not taken(db, "b")


def test_a_lease_from_a_wrong_clock_expires(db, clock):
    clock.now += timedelta(days=365)
    taken(db, "a")
    clock.now -= timedelta(days=365)

    assert taken(db, "b")
