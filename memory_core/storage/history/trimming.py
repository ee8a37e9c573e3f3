"""
Deletion of old states from the audit log.

Of each row the oldest changes are deleted, never its newest one. What is kept and was a difference
to a deleted state is stored again first, so every remaining state can be read at any moment.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from apsw import Connection

from . import audit_log

_ROWS = """
select row, kind, count(*) as changes
from change_log
where (row, kind) > (:row, :kind)
group by row, kind
having count(*) > 1
limit :limit
"""

# The newest change at or before a seq, and the oldest of the newest :versions.
_AT = """
select max(seq) from change_log where row = :row and kind = :kind and seq <= :seq
"""

_VERSION = """
select seq from change_log
where row = :row and kind = :kind
order by seq desc limit 1 offset :versions - 1
"""

_OLDER = """
select count(*) as changes, coalesce(sum(
        coalesce(length(l.difference), length(s.state), 0)
    ), 0) as characters
from change_log l left join change_states s on s.seq = l.seq
where l.row = :row and l.kind = :kind and l.seq < :first
"""

# As many as one transaction deletes. The states of a row refer only to its own states.
_SOME_OLDER = """
select seq from change_log
where row = :row and kind = :kind and seq < :first
order by seq
limit :limit
"""

_DELETE_STATES = """
delete from change_states where seq in (select value from json_each(:seqs))
"""

_DELETE = """
delete from change_log where seq in (select value from json_each(:seqs))
"""

_MARK = """
update history_state
set trimmed_to = max(trimmed_to, :seq),
    trimmed_at = max(trimmed_at, (select at from changes where seq = :seq))
"""

_AT_SEQ = """
select at from changes where seq = :seq
"""

_TRIMMED = """
select trimmed_to as seq, trimmed_at as at from history_state
"""

_SIZE = """
select coalesce(sum(pgsize), 0) from dbstat
where aggregate = true and (name like 'change\\_%' escape '\\' or name like '%terms%')
    and name not like 'piece%'
"""

_COUNT = """
select count(*) from change_log
"""


@dataclass(frozen=True)
class Trimmed:
    """The first change from which on every state can be read, and its time; 0 and "": all can."""

    seq: int
    at: str


@dataclass(frozen=True)
class Old:
    """A row with changes before *first*, the oldest change that is kept."""

    row: int
    kind: int
    first: int
    changes: int
    characters: int


def old_rows(connection: Connection, *, before: str, versions: int) -> Iterator[Old]:
    """
    Yield the rows whose oldest changes may go.

    A state is kept that was current at the time *before* or later ("": no such limit), and so are
    the newest *versions* states (0: no such limit).
    """
    cutoff = audit_log.last_seq(connection, before) if before else None
    place = {"row": 0, "kind": 0}
    while True:
        rows: list[Any] = connection.execute(_ROWS, {**place, "limit": 1000}).fetchall()
        for row in rows:
            place = {"row": row["row"], "kind": row["kind"]}
            first = _first_kept(connection, place, cutoff, versions, row["changes"])
            if first is None:
                continue
            older: Any = connection.execute(_OLDER, {**place, "first": first}).fetchone()
            if older["changes"]:
                yield Old(**place, first=first, **older)
        if not rows:
            return


def _first_kept(
    connection: Connection, place: dict[str, int], cutoff: int | None, versions: int, changes: int
) -> int | None:
    found = []
    if cutoff is not None:
        found.append(connection.execute(_AT, {**place, "seq": cutoff}).get)
    if versions:
        within = changes <= versions
        bound = {**place, "versions": versions}
        found.append(None if within else connection.execute(_VERSION, bound).get)
    return None if None in found else min(found)


def delete_some(connection: Connection, old: Old, *, limit: int) -> int:
    """Delete changes before the first that is kept, oldest first; return how many."""
    bound = {"row": old.row, "kind": old.kind, "first": old.first, "limit": limit}
    seqs = [row["seq"] for row in connection.execute(_SOME_OLDER, bound)]
    if seqs:
        connection.execute(_MARK, {"seq": old.first})
        for query in (_DELETE_STATES, _DELETE):
            connection.execute(query, {"seqs": str(seqs)})
    return len(seqs)


def time_of(connection: Connection, seq: int) -> str:
    return str(connection.execute(_AT_SEQ, {"seq": seq}).get)


def trimmed(connection: Connection) -> Trimmed:
    row: Any = connection.execute(_TRIMMED).fetchone()
    return Trimmed(**row)


def size(connection: Connection) -> tuple[int, int]:
    """Return the number of changes in the audit log, and its bytes with all indexes."""
    return int(connection.execute(_COUNT).get), int(connection.execute(_SIZE).get)
