"""Leases of background jobs: one holder at a time across all processes on the file."""

from __future__ import annotations

from contextlib import nullcontext
from datetime import datetime, timedelta

from ..clock import format_timestamp
from .database import Connection, Database

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

# Times the duration of a lease.
_HORIZON = 10

# Shorter than a third of every lease, and rare enough not to disturb other writers.
_RENEW_SECONDS = 20.0


class Lease:
    """One holder's claim on the lease *name*, which expires *seconds* after its last renewal."""

    def __init__(self, db: Database, name: str, *, holder: str, seconds: float) -> None:
        self.holder = holder
        self._db = db
        self._name = name
        self._seconds = seconds
        self._renewed: datetime | None = None

    def take(self, connection: Connection | None = None) -> bool:
        """Take or renew the lease; return False while another holder has it."""
        return self._write(_TAKE, connection)

    def renew_if_due(self) -> bool:
        """Renew the lease if due; return False if another holder has taken it."""
        now = self._db.clock()
        # Also when the clock was set back: the lease must not end far in the future either.
        due = self._renewed is None or abs((now - self._renewed).total_seconds()) >= _RENEW_SECONDS
        return not due or self._write(_RENEW)

    def release(self, connection: Connection | None = None) -> None:
        """Release the lease if it is held, so that others can take it at once."""
        if self._renewed is not None:
            self._write(_RELEASE, connection)
            self._renewed = None

    def _write(self, statement: str, connection: Connection | None = None) -> bool:
        now = self._db.clock()
        values = {
            "name": self._name,
            "holder": self.holder,
            "now": format_timestamp(now),
            "expires_at": format_timestamp(now + timedelta(seconds=self._seconds)),
            "horizon": format_timestamp(now + timedelta(seconds=self._seconds * _HORIZON)),
        }
        with nullcontext(connection) if connection else self._db.note() as writing:
            writing.execute(statement, values)
            written = writing.changes() == 1
        self._renewed = now if written else None
        return written


def holder(connection: Connection, name: str, *, now: datetime) -> str | None:
    """Return the holder of the lease at *now*."""
    row = connection.execute(_HOLDER, {"name": name, "now": format_timestamp(now)}).fetchone()
    return str(row["holder"]) if row else None
