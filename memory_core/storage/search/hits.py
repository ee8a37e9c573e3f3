"""Columns of search hits: for ranking and for results."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import apsw
import numpy as np
from apsw import Connection

# Ranking data of each candidate, as tuples: there are hundreds.
_CANDIDATES = """
select s.id, s.subject_id, s.kind, s.occurred_at, r.session, z.size,
    case when e.node_type = 'session' then coalesce(e.properties ->> 'state', 'closed') end
from carray(:ids) asked
cross join searchables s on s.id = asked.value
left join entities e on e.id = s.subject_id
left join session_rows r on r.id = s.id
left join session_sizes z on z.session = r.session
"""

_FOUND = """
select s.id, s.kind, s.row_id, s.subject_id, s.project_id, s.session_id, s.occurred_at,
    s.active, coalesce(u.retrievals, 0) as retrievals
from searchables s left join usage u on u.kind = s.kind and u.row_id = s.row_id
where s.id in (select value from json_each(:ids))
"""

_PASSAGES = """
select p.id, p.start, substr(s.text, p.start + 1, p.length) as text
from pieces p join searchables s on s.id = p.id >> 24
where p.id in (select value from json_each(:ids))
"""

_ENTITIES = """
select id, key, name, node_type, status, properties, created_at
from entities
where id in (select value from json_each(:ids))
"""

_OBSERVATIONS = """
select id, status, created_at from observations where id in (select value from json_each(:ids))
"""

_CHUNKS = """
select c.id, c.document_id, d.title, c.position - d.first_position as position,
    c.created_at
from chunks c join documents d on d.id = c.document_id
where c.id in (select value from json_each(:ids))
"""

_ENTRIES = """
select id, form, summary, tags, category, status, created_at
from entries
where id in (select value from json_each(:ids))
"""

_BOTTLES = """
select id, created_at from bottles where id in (select value from json_each(:ids))
"""

_CONTEXT_CHUNKS = """
select id, position, created_at from context_chunks
where id in (select value from json_each(:ids))
"""


# A hit on an observation also counts as use of its entity.
_ENTITY_USES = """
with said as materialized (
    select o.entity_id as id, sum(u.retrievals) as retrievals, max(u.last_retrieved_at) as last
    from json_each(:ids) asked
    cross join observations o on o.entity_id = asked.value
    cross join usage u on u.kind = 'observations' and u.row_id = o.id
    group by o.entity_id
)
select e.id,
    coalesce(u.retrievals, 0) + coalesce(said.retrievals, 0) as retrievals,
    (select count(*) from relations where from_id = e.id)
    + (select count(*) from relations where to_id = e.id) as degree,
    max(e.updated_at, coalesce(u.last_retrieved_at, ''), coalesce(said.last, '')) as touched
from json_each(:ids) asked
cross join entities e on e.id = asked.value
left join usage u on u.kind = 'entities' and u.row_id = e.id
left join said on said.id = e.id
"""


class EntityUse(NamedTuple):
    """Inputs of the salience of an entity."""

    id: str
    retrievals: int
    degree: int
    touched: str


class Candidate(NamedTuple):
    """Ranking data of a row. Hundreds are created per search."""

    id: int
    subject_id: str
    kind: str
    occurred_at: str
    session: str | None
    session_size: int | None
    # Of a row of a session: "active" or "closed".
    session_state: str | None


def candidates(connection: Connection, ids: Sequence[int]) -> dict[int, Candidate]:
    if not ids:
        return {}
    cursor = connection.cursor()
    cursor.row_trace = None
    rows: Any = cursor.execute(_CANDIDATES, {"ids": apsw.carray(np.array(ids, np.int64))})
    return {row[0]: Candidate._make(row) for row in rows}


def entity_uses(connection: Connection, ids: Collection[str]) -> list[EntityUse]:
    """Return the use of those of *ids* that are entities."""
    rows: Any = connection.execute(_ENTITY_USES, {"ids": json.dumps(list(ids))})
    return [EntityUse(**row) for row in rows]


def load_hits(connection: Connection, ids: Sequence[int]) -> dict[int, dict[str, Any]]:
    return _by_id(connection, _FOUND, ids)


def passages(connection: Connection, piece_ids: Sequence[int]) -> dict[int, dict[str, Any]]:
    """Return the start of each passage in its row, and its text."""
    return _by_id(connection, _PASSAGES, piece_ids)


def entities(connection: Connection, ids: Collection[str]) -> dict[str, dict[str, Any]]:
    return _by_id(connection, _ENTITIES, ids)


def observations(connection: Connection, ids: Collection[str]) -> dict[str, dict[str, Any]]:
    return _by_id(connection, _OBSERVATIONS, ids)


def chunks(connection: Connection, ids: Collection[str]) -> dict[str, dict[str, Any]]:
    return _by_id(connection, _CHUNKS, ids)


def entries(connection: Connection, ids: Collection[str]) -> dict[str, dict[str, Any]]:
    return _by_id(connection, _ENTRIES, ids)


def bottles(connection: Connection, ids: Collection[str]) -> dict[str, dict[str, Any]]:
    return _by_id(connection, _BOTTLES, ids)


def context_chunks(connection: Connection, ids: Collection[str]) -> dict[str, dict[str, Any]]:
    return _by_id(connection, _CONTEXT_CHUNKS, ids)


def _by_id(connection: Connection, query: str, ids: Collection[Any]) -> dict[Any, dict[str, Any]]:
    if not ids:
        return {}
    rows: Any = connection.execute(query, {"ids": json.dumps(list(ids))})
    return {row["id"]: row for row in rows}
