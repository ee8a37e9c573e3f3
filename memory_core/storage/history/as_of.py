"""
Earlier states of rows, read from the audit log alone.

A moment is a seq: the last change that counts. A row's state at a seq is its newest change at or
before it. A row may have moved to another subject since, so its subject is read from that state and
not from the first change found.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from apsw import Connection

from ...rules.text.normalization import fold_name
from ..scoping import scope_query

State = dict[str, Any]

# searchables contains every entity that a project ever had, in order of id.
_ENTITIES_AT = """
select c.row_id, c.state
from searchables s join changes c on c.kind = 'entities' and c.row_id = s.row_id
where s.project_id = :project_id and s.kind = 'entities' and s.row_id > :after
    and c.state is not null
    and c.seq = (
        select max(seq) from changes
        where kind = 'entities' and row_id = s.row_id and seq <= :seq
    )
order by s.row_id
limit :limit
"""

_COUNT_AT = """
select count(*)
from searchables s join changes c on c.kind = 'entities' and c.row_id = s.row_id
where s.project_id = :project_id and s.kind = 'entities'
    and c.state is not null
    and c.seq = (
        select max(seq) from changes
        where kind = 'entities' and row_id = s.row_id and seq <= :seq
    )
"""

_STATE_AT = """
select state
from changes
where kind = :kind and row_id = :row_id and seq <= :seq
order by seq desc
limit 1
"""

# Keys do not change, so the newest state of an entity is checked first.
_ROWS_WITH_KEY = """
select row_id
from changes
where kind = 'entities' and project_id = :project_id and op = 'created'
    and state ->> 'folded_key' = :folded_key and seq <= :seq
order by seq desc
"""

# Names can change: the entity that had it last comes first.
_ROWS_CALLED = """
select row_id
from changes
where kind = 'entities' and project_id = :project_id and state is not null
    and exists (select 1 from json_each(state ->> 'folded_names') where value = :folded)
group by row_id
order by max(seq) desc
"""

_ABOUT_AT = """
select kind, row_id, state
from changes c
where (subject_id = :row_id or object_id = :row_id) and seq <= :seq and state is not null
    and kind in ('observations', 'relations')
    and seq = (
        select max(seq) from changes
        where kind = c.kind and row_id = c.row_id and seq <= :seq
    )
order by kind, row_id
"""

# State of each row before and at the end of the range, with its last change in the range.
_TOUCHED = """
with touched as (
    select kind, row_id, max(seq) as seq
    from changes
    where project_id = :project_id and seq > :from_seq and seq <= :to_seq
        and kind in ('entities', 'observations', 'relations')
    group by kind, row_id
)
select t.kind, t.row_id, t.seq, a.at, a.actor, a.cause, a.project_id,
    b.state as before, a.state as after
from touched t
    join changes a on a.seq = t.seq
    left join changes b on b.seq = (
        select max(seq) from changes
        where kind = t.kind and row_id = t.row_id and seq <= :from_seq
    )
order by t.seq
"""

# The change that determines the state of an existing row at :seq.
_THEN = """c.seq <= :seq and c.state is not null and c.seq = (
        select max(seq) from changes
        where kind = c.kind and row_id = c.row_id and seq <= :seq
    )"""

_BUSIEST_AT = f"""
with ends as materialized (
    select c.subject_id as start, c.object_id as goal
    from changes c
    where c.project_id = :project_id and c.kind = 'relations' and {_THEN}
)
select id from (select start as id from ends union all select goal from ends)
group by id
order by count(*) desc, id
limit :limit
"""

# A cross join fixes the order: few rows are requested, and the log is long.
_NEAR_AT = f"""
select other as id from (
    select c.object_id as other
    from json_each(:row_ids) w cross join changes c on c.subject_id = w.value
    where c.kind = 'relations' and {_THEN}
    union all
    select c.subject_id
    from json_each(:row_ids) w cross join changes c on c.object_id = w.value
    where c.kind = 'relations' and {_THEN}
)
where other not in (select value from json_each(:row_ids))
group by other
order by count(*) desc, other
limit :limit
"""

_RELATIONS_AT = f"""
select c.row_id, c.subject_id as from_id, c.object_id as to_id,
    c.state ->> 'relationship_type' as relationship_type
from json_each(:row_ids) w cross join changes c on c.subject_id = w.value
where c.kind = 'relations' and c.object_id in (select value from json_each(:row_ids)) and {_THEN}
order by c.row_id
"""

_DEGREES_AT = f"""
select id, count(*) as n from (
    select w.value as id
    from json_each(:row_ids) w cross join changes c on c.subject_id = w.value
    where c.kind = 'relations' and {_THEN}
    union all
    select w.value
    from json_each(:row_ids) w cross join changes c on c.object_id = w.value
    where c.kind = 'relations' and {_THEN}
)
group by id
"""

_FACT_COUNTS = f"""
select c.subject_id as id, count(*) as n
from json_each(:row_ids) w cross join changes c on c.subject_id = w.value
where c.kind = 'observations' and c.state ->> 'status' = 'active' and {_THEN}
group by c.subject_id
"""

_STATES_AT = """
select w.value as row_id, c.state
from json_each(:row_ids) w
    cross join changes c on c.seq = (
        select max(seq) from changes where kind = :kind and row_id = w.value and seq <= :seq
    )
where c.state is not null
"""

# The key is the same in every state; the name is that of the requested moment.
_CALLED = """
select w.value as row_id, c.state ->> 'key' as key, c.state ->> 'name' as name
from json_each(:row_ids) w
    cross join changes c on c.seq = (
        select max(seq) from changes
        where kind = 'entities' and row_id = w.value and state is not null and seq <= :seq
    )
"""


# Larger than any seq.
NEWEST = 2**62


@dataclass(frozen=True)
class Touched:
    """
    A row that changed in a range of the log, with its last change there.

    The states are JSON as stored in the log, None where the row did not exist.
    """

    kind: str
    row_id: str
    seq: int
    at: str
    actor: str
    cause: str
    project_id: str
    before: str | None
    after: str | None


@dataclass(frozen=True)
class RelationThen:
    """An earlier state of a relation, by the row ids of its ends."""

    row_id: str
    from_id: str
    to_id: str
    relationship_type: str


@dataclass(frozen=True)
class Called:
    """Keys and names of entities, by row id."""

    keys: dict[str, str]
    names: dict[str, str]


def entities_at(
    connection: Connection, project_id: str, seq: int, *, after: str, limit: int
) -> list[tuple[str, State]]:
    """Return the entities of a project at that seq, in order of row id."""
    bound = {"project_id": project_id, "seq": seq, "after": after, "limit": limit}
    rows = connection.execute(scope_query(_ENTITIES_AT, project_id), bound)
    return [(row["row_id"], json.loads(row["state"])) for row in rows]


def busiest_at(connection: Connection, project_id: str, seq: int, *, limit: int) -> list[str]:
    """Return the row ids of the entities with the most relations at that seq."""
    bound = {"project_id": project_id, "seq": seq, "limit": limit}
    return [row["id"] for row in connection.execute(scope_query(_BUSIEST_AT, project_id), bound)]


def near_at(connection: Connection, row_ids: Sequence[str], seq: int, *, limit: int) -> list[str]:
    """Return the neighbours of those entities at that seq, most connected first."""
    bound = {"row_ids": json.dumps(list(row_ids)), "seq": seq, "limit": limit}
    return [row["id"] for row in connection.execute(_NEAR_AT, bound)]


def relations_at(connection: Connection, row_ids: Sequence[str], seq: int) -> list[RelationThen]:
    """Return the relations among those entities at that seq, by id."""
    rows = connection.execute(_RELATIONS_AT, {"row_ids": json.dumps(list(row_ids)), "seq": seq})
    return [RelationThen(**row) for row in rows]


def degrees_at(connection: Connection, row_ids: Sequence[str], seq: int) -> dict[str, int]:
    """Return the number of relations of each entity at that seq, without zeros."""
    return _counts_at(connection, _DEGREES_AT, row_ids, seq)


def fact_counts_at(connection: Connection, row_ids: Sequence[str], seq: int) -> dict[str, int]:
    """Return the number of active observations of each entity at that seq, without zeros."""
    return _counts_at(connection, _FACT_COUNTS, row_ids, seq)


def _counts_at(
    connection: Connection, query: str, row_ids: Sequence[str], seq: int
) -> dict[str, int]:
    rows = connection.execute(query, {"row_ids": json.dumps(list(row_ids)), "seq": seq})
    return {row["id"]: int(row["n"]) for row in rows}


def count_at(connection: Connection, project_id: str, seq: int) -> int:
    """Return the number of entities of a project at that seq."""
    bound = {"project_id": project_id, "seq": seq}
    return int(connection.execute(scope_query(_COUNT_AT, project_id), bound).get)


def state_at(connection: Connection, kind: str, row_id: str, seq: int) -> State | None:
    """Return the state of a row at that seq, or None if it did not exist."""
    bound = {"kind": kind, "row_id": row_id, "seq": seq}
    row = connection.execute(_STATE_AT, bound).fetchone()
    return json.loads(row["state"]) if row and row["state"] else None


def entity_with_key(
    connection: Connection, project_id: str, folded_key: str, seq: int
) -> tuple[str, State] | None:
    """Return the entity with that key at that seq, including entities deleted since."""
    bound = {"project_id": project_id, "folded_key": folded_key, "seq": seq}
    owners: list[Any] = connection.execute(_ROWS_WITH_KEY, bound).fetchall()
    for row in owners:
        state = state_at(connection, "entities", row["row_id"], seq)
        if state is not None:
            return row["row_id"], state
    return None


def last_with_key(connection: Connection, project_id: str, folded_key: str, seq: int) -> str | None:
    """Return the row id of the last entity with that key, including deleted ones."""
    bound = {"project_id": project_id, "folded_key": folded_key, "seq": seq}
    row = connection.execute(_ROWS_WITH_KEY, bound).fetchone()
    return row["row_id"] if row else None


def ever_called(connection: Connection, project_id: str, name: str) -> list[str]:
    """Return the row ids of all entities that ever had that name or alias, latest first."""
    bound = {"project_id": project_id, "folded": fold_name(name)}
    return [row["row_id"] for row in connection.execute(_ROWS_CALLED, bound)]


def about(connection: Connection, row_id: str, seq: int) -> dict[str, list[State]]:
    """Return the observations and relations of an entity at that seq, by kind."""
    found: dict[str, list[State]] = {"observations": [], "relations": []}
    for row in connection.execute(_ABOUT_AT, {"row_id": row_id, "seq": seq}):
        state = json.loads(row["state"])
        if row_id in (state.get("entity_id"), state.get("from_id"), state.get("to_id")):
            found[row["kind"]].append(state)
    return found


def touched_rows(
    connection: Connection, project_id: str, from_seq: int, to_seq: int
) -> Iterator[Touched]:
    """Yield the rows of the graph that changed after *from_seq* up to *to_seq*, by seq."""
    bound = {"project_id": project_id, "from_seq": from_seq, "to_seq": to_seq}
    for row in connection.execute(scope_query(_TOUCHED, project_id), bound):
        yield Touched(**row)


def states_at(
    connection: Connection, kind: str, row_ids: Sequence[str], seq: int
) -> dict[str, State]:
    """Return the states of *row_ids* at that seq, without rows that did not exist."""
    bound = {"kind": kind, "row_ids": json.dumps(list(row_ids)), "seq": seq}
    rows = connection.execute(_STATES_AT, bound)
    return {row["row_id"]: json.loads(row["state"]) for row in rows}


def names_as_of(connection: Connection, row_ids: Sequence[str], *, seq: int = NEWEST) -> Called:
    """Return the key and the name of each entity, deleted ones included, at that seq."""
    bound = {"row_ids": json.dumps(list(row_ids)), "seq": seq}
    found = list(connection.execute(_CALLED, bound))
    return Called(
        keys={row["row_id"]: row["key"] for row in found},
        names={row["row_id"]: row["name"] for row in found},
    )
