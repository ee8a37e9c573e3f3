"""Leases of background jobs: one holder at a time across all processes on the file."""

from __future__ import annotations

from datetime import datetime, timedelta

from apsw import Connection

from ..clock import format_timestamp

# A lease that ends beyond the horizon was taken while a clock was wrong.
_TAKE = """
insert into leases (name, holder, expires_at) values (:name, :holder, :expires_at)
on conflict (name) do update set holder = excluded.holder, expires_at = excluded.expires_at
where leases.holder = excluded.holder
    or leases.expires_at <= :now
    or leases.expires_at > :horizon
"""

_RENEW = """
update leases set expires_at = :expires_at where name = :name and holder = :holder
"""

_RELEASE = """
delete from leases where name = :name and holder = :holder
"""

_HOLDER = """
select holder from leases where name = :name and expires_at > :now
"""

_HORIZON = 10


def take(connection: Connection, name: str, *, holder: str, now: datetime, seconds: float) -> bool:
    """Take or renew the lease *name*; return False while another holder has it."""
    connection.execute(
        _TAKE,
        {
            "name": name,
            "holder": holder,
            "now": format_timestamp(now),
            "expires_at": format_timestamp(now + timedelta(seconds=seconds)),
            "horizon": format_timestamp(now + timedelta(seconds=seconds * _HORIZON)),
        },
    )
    return connection.changes() == 1


def renew(connection: Connection, name: str, *, holder: str, now: datetime, seconds: float) -> bool:
    """Extend a lease; return False if another holder has taken it."""
    expires_at = format_timestamp(now + timedelta(seconds=seconds))
    connection.execute(_RENEW, {"name": name, "holder": holder, "expires_at": expires_at})
    return connection.changes() == 1


def release(connection: Connection, name: str, *, holder: str) -> None:
    """Release the lease if *holder* still has it."""
    connection.execute(_RELEASE, {"name": name, "holder": holder})


def holder(connection: Connection, name: str, *, now: datetime) -> str | None:
    """Return the holder of the lease at *now*."""
    row = connection.execute(_HOLDER, {"name": name, "now": format_timestamp(now)}).fetchone()
    return str(row["holder"]) if row else None
