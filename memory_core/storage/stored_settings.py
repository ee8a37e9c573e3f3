"""Settings that were changed at run time. They override the environment."""

from __future__ import annotations

import json
from datetime import datetime

from apsw import Connection

from ..clock import format_timestamp
from ..context import current_actor

Choice = bool | int | float | str

_ALL = """
select name, value from choices where substr(name, 1, length(:prefix)) = :prefix
"""

_CHOOSE = """
insert into choices (name, value, chosen_by, chosen_at) values (:name, :value, :by, :at)
on conflict (name) do update set value = excluded.value, chosen_by = excluded.chosen_by,
    chosen_at = excluded.chosen_at
"""

_FORGET = """
delete from choices where name = :name returning name
"""


def stored_choices(connection: Connection, prefix: str = "") -> dict[str, Choice]:
    """Return the stored settings by name, with names that begin with *prefix*."""
    rows = connection.execute(_ALL, {"prefix": prefix})
    return {row["name"]: json.loads(row["value"]) for row in rows}


def choose(connection: Connection, name: str, *, value: Choice, now: datetime) -> None:
    """Store a setting."""
    bound = {
        "name": name,
        "value": json.dumps(value),
        "by": current_actor(),
        "at": format_timestamp(now),
    }
    connection.execute(_CHOOSE, bound)


def forget(connection: Connection, name: str) -> bool:
    """Delete a setting, so that the environment applies; return whether it existed."""
    return connection.execute(_FORGET, {"name": name}).fetchone() is not None
