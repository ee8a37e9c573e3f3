"""Concepts of the librarian, and their members."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from apsw import Connection

from ...clock import format_timestamp
from ...ids import IdSource
from ...model.graph.entities import Entity
from ...model.graph.librarian import ConceptView, SuggestionSide
from ..scoping import scope_query
from .entities import entity_of

SOURCE = "librarian"
MEMBER_OF = "MEMBER_OF"

_CONCEPTS = """
select id, project_id, key, name, node_type, status, properties, aliases, certainty,
    occurred_at, archived_at, archive_reason, created_at, updated_at
from entities
where project_id = :project_id and node_type = 'concept'
    and properties ->> 'source' = 'librarian'
order by id
"""

_MEMBERS = """
select r.from_id, r.to_id
from json_each(:concept_ids) asked
cross join relations r on r.to_id = asked.value
where r.relationship_type = 'MEMBER_OF' and r.source = 'librarian'
"""

# Only existing active entities join; existing memberships are not changed.
_JOIN = """
insert into relations (id, project_id, from_id, to_id, relationship_type, confidence, source,
    created_at, updated_at)
select :id, :project_id, e.id, :concept_id, 'MEMBER_OF', :confidence, 'librarian', :now, :now
from entities e
where e.id = :member_id and e.status = 'active'
on conflict (from_id, to_id, relationship_type) do nothing
"""

_LEAVE = """
delete from relations
where to_id = :concept_id and relationship_type = 'MEMBER_OF' and source = 'librarian'
    and from_id in (select value from json_each(:member_ids))
"""

_PAGE = """
select e.id as row_id, e.key as id, e.name, e.project_id, e.created_at, count(m.id) as member_count
from entities e
    left join relations r on r.to_id = e.id and r.relationship_type = 'MEMBER_OF'
        and r.source = 'librarian'
    left join entities m on m.id = r.from_id and m.status = 'active'
where e.project_id = :project_id and e.node_type = 'concept' and e.status = 'active'
    and e.properties ->> 'source' = 'librarian'
group by e.id
order by member_count desc, e.name, e.id
limit :limit offset :offset
"""

_COUNT = """
select count(*)
from entities
where project_id = :project_id and node_type = 'concept' and status = 'active'
    and properties ->> 'source' = 'librarian'
"""

_SHOWN_MEMBERS = """
select concept_id, id, name, node_type
from (
    select r.to_id as concept_id, e.key as id, e.name, e.node_type,
        row_number() over (partition by r.to_id order by e.name, e.id) as place
    from json_each(:concept_ids) asked
    cross join relations r on r.to_id = asked.value
    join entities e on e.id = r.from_id and e.status = 'active'
    where r.relationship_type = 'MEMBER_OF' and r.source = 'librarian'
)
where place <= :each
order by concept_id, place
"""

_IS_NAMED = """
select exists (
    select 1
    from entity_names n join entities e on e.id = n.entity_id
    where n.project_id = :project_id and n.folded = :folded and e.id <> :but
)
"""

_IS_EDITED = """
select exists (
    select 1
    from terms w
        cross join change_log l on l.row = w.id
        cross join changes c on c.seq = l.seq
    where w.text = :row_id and c.kind = 'entities' and c.op = 'changed'
        and c.cause = 'update_entity'
)
"""


@dataclass(frozen=True)
class Concept:
    """A concept and the row ids of its members."""

    entity: Entity
    members: frozenset[str]


def concepts(connection: Connection, project_id: str) -> list[Concept]:
    """Return all concepts of the librarian, archived ones included."""
    rows: Any = connection.execute(_CONCEPTS, {"project_id": project_id})
    found = [entity_of(row) for row in rows]
    members: dict[str, set[str]] = defaultdict(set)
    asked = json.dumps([entity.row_id for entity in found])
    for row in connection.execute(_MEMBERS, {"concept_ids": asked}):
        members[row["to_id"]].add(row["from_id"])
    return [Concept(entity, frozenset(members[entity.row_id])) for entity in found]


def page(
    connection: Connection, project_id: str, *, limit: int, offset: int, each: int
) -> tuple[list[ConceptView], int]:
    """
    Return active concepts, largest first, each with up to *each* members, and the total count.
    """
    bound = {"project_id": project_id, "limit": limit, "offset": offset}
    found: Any = connection.execute(scope_query(_PAGE, project_id), bound).fetchall()
    members: dict[str, list[SuggestionSide]] = defaultdict(list)
    asked = json.dumps([row["row_id"] for row in found])
    rows: Any = connection.execute(_SHOWN_MEMBERS, {"concept_ids": asked, "each": each})
    for row in rows:
        concept_id = row.pop("concept_id")
        members[concept_id].append(SuggestionSide(**row))
    total = connection.execute(scope_query(_COUNT, project_id), {"project_id": project_id}).get
    return [ConceptView(members=members[row.pop("row_id")], **row) for row in found], int(total)


def join(
    connection: Connection,
    concept: Entity,
    member_ids: list[str],
    *,
    ids: IdSource,
    confidence: float,
    now: datetime,
) -> int:
    """Add members; return the number of new ones."""
    joined = 0
    for member_id in member_ids:
        connection.execute(
            _JOIN,
            {
                "id": ids(),
                "project_id": concept.project_id,
                "concept_id": concept.row_id,
                "member_id": member_id,
                "confidence": confidence,
                "now": format_timestamp(now),
            },
        )
        joined += connection.changes()
    return joined


def leave(connection: Connection, concept_id: str, member_ids: list[str]) -> int:
    """Remove members; return their number."""
    bound = {"concept_id": concept_id, "member_ids": json.dumps(member_ids)}
    connection.execute(_LEAVE, bound)
    return connection.changes()


def is_named(connection: Connection, project_id: str, folded: str, *, but: str) -> bool:
    """Return whether an entity other than *but* has that folded name."""
    bound = {"project_id": project_id, "folded": folded, "but": but}
    return bool(connection.execute(_IS_NAMED, bound).get)


def is_edited(connection: Connection, row_id: str) -> bool:
    """Return whether a user or a client has changed the concept."""
    return bool(connection.execute(_IS_EDITED, {"row_id": row_id}).get)
