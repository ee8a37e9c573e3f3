"""Rows of suggestions, with their status."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from apsw import Connection

from ...errors import NotFoundError
from ..scoping import page_of

Pair = tuple[str, str]

_COLUMNS = """s.id, s.project_id, s.kind, s.from_id, s.to_id, s.from_row_id, s.to_row_id,
    s.relation_type, s.similarity, s.status, s.reason"""

_BY_ID = f"""
select {_COLUMNS} from suggestions s where id = :id and project_id = :project_id
"""

_OF_PAIRS = f"""
select {_COLUMNS}
from json_each(:pairs) p
cross join suggestions s
    on s.kind = :kind
    and min(s.from_row_id, s.to_row_id) = p.value ->> 0
    and max(s.from_row_id, s.to_row_id) = p.value ->> 1
"""

_PAGE = f"""
select {_COLUMNS}
from suggestions s
where project_id = :project_id and (:status = '' or status = :status)
    and (:kind = '' or kind = :kind)
order by similarity desc, id
limit :limit offset :offset
"""

_COUNT = """
select count(*)
from suggestions
where project_id = :project_id and (:status = '' or status = :status)
    and (:kind = '' or kind = :kind)
"""

_COUNT_OPEN = """
select count(*)
from suggestions
where (:project_id = '*' or project_id = :project_id) and status = 'open'
"""

_INSERT = """
insert into suggestions (id, project_id, kind, from_id, to_id, from_row_id, to_row_id,
    relation_type, similarity, status, reason, created_at, updated_at)
values (:id, :project_id, :kind, :from_id, :to_id, :from_row_id, :to_row_id,
    :relation_type, :similarity, :status, :reason, :now, :now)
on conflict do nothing
"""

_REWRITE = """
update suggestions
set from_id = :from_id, to_id = :to_id, from_row_id = :from_row_id, to_row_id = :to_row_id,
    relation_type = :relation_type, similarity = :similarity, status = :status,
    reason = :reason, updated_at = :now
where id = :id
"""

# Those of the ordered pairs with a relation in either direction.
_RELATED = """
select p.value ->> 0 as a, p.value ->> 1 as b
from json_each(:pairs) p
where exists (select 1 from relations where from_id = p.value ->> 0 and to_id = p.value ->> 1)
    or exists (select 1 from relations where from_id = p.value ->> 1 and to_id = p.value ->> 0)
"""


@dataclass(frozen=True)
class Noted:
    """A suggestion: two entities, the compared rows of them, and the status."""

    id: str
    project_id: str
    kind: str
    from_id: str
    to_id: str
    from_row_id: str
    to_row_id: str
    relation_type: str
    similarity: float
    status: str
    reason: str

    @property
    def pair(self) -> Pair:
        return in_order(self.from_row_id, self.to_row_id)


def in_order(a: str, b: str) -> Pair:
    """Return two ids as an ordered pair."""
    return (a, b) if a <= b else (b, a)


def get(connection: Connection, project_id: str, id: str) -> Noted:
    """Return a suggestion; raise NotFoundError if there is none."""
    row: Any = connection.execute(_BY_ID, {"id": id, "project_id": project_id}).fetchone()
    if row is None:
        raise NotFoundError("suggestion", id, f"None of that id is in project {project_id!r}.")
    return Noted(**row)


def of_pairs(connection: Connection, kind: str, pairs: Iterable[Pair]) -> dict[Pair, Noted]:
    """Return the suggestions of these ordered pairs."""
    rows: Any = connection.execute(_OF_PAIRS, {"kind": kind, "pairs": json.dumps(list(pairs))})
    return {noted.pair: noted for noted in (Noted(**row) for row in rows)}


def page(
    connection: Connection,
    project_id: str,
    *,
    kind: str = "",
    status: str = "open",
    limit: int = 1 << 40,
    offset: int = 0,
) -> tuple[list[Noted], int]:
    """Return suggestions of a project ("*": of all), most similar first, and the total count."""
    bound = {"project_id": project_id, "kind": kind, "status": status}
    place = {"limit": limit, "offset": offset}
    rows, total = page_of(connection, _PAGE, count=_COUNT, bound=bound, place=place)
    return [Noted(**row) for row in rows], total


def count_open(connection: Connection, project_id: str = "*") -> int:
    return int(connection.execute(_COUNT_OPEN, {"project_id": project_id}).get)


def insert(connection: Connection, noted: Noted, now: str) -> bool:
    """Insert a suggestion; return False if the pair has one of that kind."""
    connection.execute(_INSERT, {**vars(noted), "now": now})
    return connection.changes() == 1


def rewrite(connection: Connection, noted: Noted, now: str) -> None:
    """Update the stored row, except its id, project and kind."""
    connection.execute(_REWRITE, {**vars(noted), "now": now})


def related_pairs(connection: Connection, pairs: Iterable[Pair]) -> set[Pair]:
    """Return those of *pairs* with a relation."""
    rows: Any = connection.execute(_RELATED, {"pairs": json.dumps(list(pairs))})
    return {(row["a"], row["b"]) for row in rows}
