"""
States in the audit log as differences to an earlier state of the same row.

The triggers write complete states. At the end of a write, the states that it changed are replaced
by the difference to the last complete state of their row, the base, where that is smaller. A
difference refers to a complete state only, so the view changes rebuilds any state in one step.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from apsw import Connection

from ...rules.differences import Difference, difference

# A shorter state is not worth a difference.
SHORT = 160

# Complete states that no other state refers to. The change after a base always does.
_COMPLETE = """
select l.seq, l.row, l.kind, s.state
from change_log l join change_states s on s.seq = l.seq
where l.seq > :seq and l.op = 1 and length(s.state) > :short and (
    select base from change_log where row = l.row and kind = l.kind and seq > l.seq
    order by seq limit 1
) is not l.seq
order by l.seq
limit :limit
"""

# The last state before a change, and the complete state that it is a difference to.
_PREVIOUS = """
select l.seq, c.state, l.base, l.difference, b.state as base_state
from change_log l
    join recorded_states c on c.seq = l.seq
    left join change_states b on b.seq = l.base
where l.row = :row and l.kind = :kind and l.seq < :seq and l.seq >= :first
order by l.seq desc
limit 1
"""

_STORE = """
update change_log set base = :base, difference = :difference where seq = :seq
"""

_DELETE = """
delete from change_states where seq = :seq
"""

# States of a row that are differences to one before :first.
_REFERRING = """
select s.seq, s.row, s.kind, s.state
from change_log l join recorded_states s on s.seq = l.seq
where l.row = :row and l.kind = :kind and l.seq >= :first and l.base < :first
order by l.seq
limit :limit
"""

_COMPLETE_STATE = """
insert into change_states (seq, state) values (:seq, :state)
"""


class Previous(NamedTuple):
    """The last state of a row, and the complete state that it is a difference to."""

    state: str
    base: int
    base_state: str
    # Characters that differences to nearer bases would have saved since the base.
    excess: int


def store_differences(connection: Connection, after: int, *, limit: int = -1) -> int | None:
    """
    Replace complete states of changes after a seq by differences, where these are smaller.

    Return the seq of the last change that was examined if there may be more than *limit*.
    """
    place = {"seq": after, "short": SHORT, "limit": limit}
    rows: list[Any] = connection.execute(_COMPLETE, place).fetchall()
    for row in rows:
        previous = _previous(connection, row)
        found = _difference(previous, row["state"]) if previous else None
        if previous and found:
            bound = {"seq": row["seq"], "base": previous.base, "difference": found}
            connection.execute(_STORE, bound)
            connection.execute(_DELETE, {"seq": row["seq"]})
    return rows[-1]["seq"] if len(rows) == limit else None


def rebase(connection: Connection, row: int, kind: int, first: int, *, limit: int) -> bool:
    """
    Store states of a row from seq *first* on without reference to older ones, at most *limit*.

    Return whether none refers to an older one any more.
    """
    bound = {"row": row, "kind": kind, "first": first, "limit": limit}
    found: list[Any] = connection.execute(_REFERRING, bound).fetchall()
    for each in found:
        previous = _previous(connection, each, first)
        shorter = _difference(previous, each["state"]) if previous else None
        base = previous.base if previous and shorter else None
        connection.execute(_STORE, {"seq": each["seq"], "base": base, "difference": shorter})
        if shorter is None:
            connection.execute(_COMPLETE_STATE, {"seq": each["seq"], "state": each["state"]})
    return len(found) < limit


def _previous(connection: Connection, row: Any, first: int = 0) -> Previous | None:
    bound = {"row": row["row"], "kind": row["kind"], "seq": row["seq"], "first": first}
    found: Any = connection.execute(_PREVIOUS, bound).fetchone()
    if found is None or found["state"] is None:
        return None
    if found["base"] is None:
        return Previous(found["state"], found["seq"], found["state"], 0)
    return Previous(
        found["state"], found["base"], found["base_state"], json.loads(found["difference"])[-1]
    )


def _difference(previous: Previous, state: str) -> str | None:
    """
    Return the difference of *state* to the base, or None if it is better stored complete.

    A row that moves away from its base needs longer and longer differences. Once nearer bases
    would have saved the length of a state, the state is stored complete: it is the next base.
    """
    change = difference(previous.base_state, state)
    size = nearest = len(_encode(change, 0))
    if size > len(state) // 2:
        return None
    if previous.state != previous.base_state:
        nearest = len(_encode(difference(previous.state, state), 0))
    excess = previous.excess + max(0, size - nearest)
    return _encode(change, excess) if excess <= len(state) else None


def _encode(change: Difference, excess: int) -> str:
    return json.dumps([*change, excess], ensure_ascii=False, separators=(",", ":"))
