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

_RELATIONS = "(select id from terms where text = 'relations')"
_OBSERVATIONS = "(select id from terms where text = 'observations')"

# The change that determines the state of an existing row at :seq.
_THEN = """s.op < 2 and s.seq <= :seq and s.seq = (
        select max(seq) from change_log where row = s.row and kind = s.kind and seq <= :seq
    )"""


def _newest_of(kind: str, row_id: str, condition: str = "seq <= :seq") -> str:
    """Return the SQL expression for the newest change of a row up to :seq."""
    return f"""(
        select max(seq) from change_log
        where row = (select id from terms where text = {row_id})
            and kind = (select id from terms where text = {kind}) and {condition}
    )"""


# searchables contains every entity that a project ever had, in order of id.
_ENTITIES_AT = f"""
select s.row_id, c.state
from searchables s cross join recorded_states c on c.seq = {_newest_of("'entities'", "s.row_id")}
where s.project_id = :project_id and s.kind = 'entities' and s.row_id > :after
    and c.state is not null
order by s.row_id
limit :limit
"""

_COUNT_AT = f"""
select count(*)
from searchables s cross join change_log l on l.seq = {_newest_of("'entities'", "s.row_id")}
where s.project_id = :project_id and s.kind = 'entities' and l.op < 2
"""

_STATE_AT = f"""
select state from recorded_states where seq = {_newest_of(":kind", ":row_id")}
"""

# Keys do not change, so the newest state of an entity is checked first.
_ROWS_WITH_KEY = """
select r.text as row_id
from change_states s
    cross join change_log l on l.seq = s.seq
    cross join terms r on r.id = l.row
where s.state ->> 'folded_key' = :folded_key and s.seq <= :seq
    and l.kind = (select id from terms where text = 'entities')
    and l.project = (select id from terms where text = :project_id)
group by l.row
order by max(s.seq) desc
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

_ABOUT_AT = f"""
select k.text as kind, r.text as row_id, state
from (
    select s.kind, s.row, s.state from terms w cross join recorded_states s on s.subject = w.id
    where w.text = :row_id and s.kind in ({_RELATIONS}, {_OBSERVATIONS}) and {_THEN}
    union all
    select s.kind, s.row, s.state from terms w cross join recorded_states s on s.object = w.id
    where w.text = :row_id and s.kind = {_RELATIONS} and {_THEN}
)
    cross join terms k on k.id = kind
    cross join terms r on r.id = row
order by k.text, r.text
"""

# State of each row before and at the end of the range, with its last change in the range.
_TOUCHED = """
with touched as materialized (
    select l.kind, l.row, max(l.seq) as seq
    from change_log l join terms k on k.id = l.kind
    where (:project_id = '*' or l.project = (select id from terms where text = :project_id))
        and l.seq > :from_seq and l.seq <= :to_seq
        and k.text in ('entities', 'observations', 'relations')
    group by l.kind, l.row
)
select a.kind, a.row_id, t.seq, a.at, a.actor, a.cause, a.project_id,
    (
        select state from recorded_states
        where row = t.row and kind = t.kind and seq <= :from_seq
        order by seq desc limit 1
    ) as before,
    a.state as after
from touched t cross join changes a on a.seq = t.seq
order by t.seq
"""

_BUSIEST_AT = f"""
with ends as materialized (
    select s.subject as start, s.object as goal
    from recorded_states s
    where (:project_id = '*' or s.project = (select id from terms where text = :project_id))
        and s.kind = {_RELATIONS} and {_THEN}
)
select text as id
from (select start as place from ends union all select goal from ends) join terms on id = place
group by place
order by count(*) desc, text
limit :limit
"""

# The changes of what starts at rows, and of what ends there. A cross join fixes the order: few
# rows are requested, and the log is long.
_STARTS = """json_each(:row_ids) w
        cross join terms e on e.text = w.value
        cross join recorded_states s on s.subject = e.id"""
_ENDS = _STARTS.replace("s.subject", "s.object")

_NEAR_AT = f"""
select t.text as id from (
    select s.object as other from {_STARTS} where s.kind = {_RELATIONS} and {_THEN}
    union all
    select s.subject from {_ENDS} where s.kind = {_RELATIONS} and {_THEN}
) join terms t on t.id = other
where t.text not in (select value from json_each(:row_ids))
group by other
order by count(*) desc, t.text
limit :limit
"""

_RELATIONS_AT = f"""
select r.text as row_id, e.text as from_id, o.text as to_id,
    s.state ->> 'relationship_type' as relationship_type
from {_STARTS}
    cross join terms o on o.id = s.object
    cross join terms r on r.id = s.row
where s.kind = {_RELATIONS} and o.text in (select value from json_each(:row_ids)) and {_THEN}
order by r.text
"""

_DEGREES_AT = f"""
select id, count(*) as n from (
    select w.value as id from {_STARTS} where s.kind = {_RELATIONS} and {_THEN}
    union all
    select w.value from {_ENDS} where s.kind = {_RELATIONS} and {_THEN}
)
group by id
"""

_FACT_COUNTS = f"""
select w.value as id, count(*) as n
from {_STARTS}
where s.kind = {_OBSERVATIONS} and s.state ->> 'status' = 'active' and {_THEN}
group by w.value
"""

_STATES_AT = f"""
select w.value as row_id, c.state
from json_each(:row_ids) w
    cross join recorded_states c on c.seq = {_newest_of(":kind", "w.value")}
where c.state is not null
"""

# The key is the same in every state; the name is that of the requested moment.
_CALLED = f"""
select w.value as row_id, c.state ->> 'key' as key, c.state ->> 'name' as name
from json_each(:row_ids) w
    cross join changes c on c.seq = {_newest_of("'entities'", "w.value", "op < 2 and seq <= :seq")}
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
    return [row["id"] for row in connection.execute(_BUSIEST_AT, bound)]


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
    for row in connection.execute(_TOUCHED, bound):
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
