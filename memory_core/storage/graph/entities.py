"""Rows of entities."""

from __future__ import annotations

import json
from difflib import get_close_matches
from typing import Any

from apsw import Connection

from ...clock import format_timestamp
from ...errors import ConflictError, NotFoundError
from ...model.graph.entities import Entity
from ...rules.text.normalization import fold_name, loosen_name
from ..scoping import page_of
from .entity_names import LOOSE

_BY_KEY = """
select id, project_id, key, name, node_type, status, properties, aliases, certainty,
    occurred_at, archived_at, archive_reason, created_at, updated_at
from entities
where project_id = :project_id and folded_key = :folded_key
"""

_BY_NAME = """
select id, e.project_id, key, name, node_type, status, properties, aliases, certainty,
    occurred_at, archived_at, archive_reason, created_at, updated_at
from entity_names n join entities e on e.id = n.entity_id
where n.project_id = :project_id and n.folded = :folded
order by created_at, id
"""

_BY_LOOSE_NAME = """
select id, e.project_id, key, name, node_type, status, properties, aliases, certainty,
    occurred_at, archived_at, archive_reason, created_at, updated_at
from entity_names n join entities e on e.id = n.entity_id
where n.project_id = :project_id and n.folded in (select value from json_each(:folded))
order by created_at, id
"""

# Bounded: only names with the same initial are compared.
_NAMES_WITH_INITIAL = """
select n.folded, e.key
from entity_names n join entities e on e.id = n.entity_id
where n.project_id = :project_id and n.folded >= :first and n.folded < :first || char(1114111)
limit 2000
"""

_OTHER_PROJECTS = """
select distinct n.project_id
from entity_names n join entities e on e.id = n.entity_id
where n.folded = :folded and n.project_id <> :project_id
limit 3
"""

# The last deletion of an entity with that id, and the target if it was merged.
_GONE = """
select d.cause, d.at, (
    select h.state ->> 'key'
    from change_ranges r cross join changes h on h.seq between r.first and r.last
    where r.batch_id = d.batch_id and h.kind = 'entities' and h.op = 'changed'
        and d.cause = 'merge_entities'
    order by h.seq desc limit 1
) as heir
from change_states s
    cross join changes c on c.seq = s.seq
    cross join change_log l on l.row = c.row_term and l.kind = c.kind_term and l.op = 2
    cross join changes d on d.seq = l.seq
where s.state ->> 'folded_key' = :folded_key
    and c.kind = 'entities' and c.project_id = :project_id
order by d.seq desc
limit 1
"""

_BY_ROW_IDS = """
select id, project_id, key, name, node_type, status, properties, aliases, certainty,
    occurred_at, archived_at, archive_reason, created_at, updated_at
from entities
where id in (select value from json_each(:row_ids))
"""

# The filters in which a page of one project and a page of all projects differ.
_PAGE = """
select id, project_id, key, name, node_type, status, properties, aliases, certainty,
    occurred_at, archived_at, archive_reason, created_at, updated_at
from entities e
where project_id = :project_id
    and (:status = '' or status = :status)
    and (:node_type = '' or node_type = :node_type)
    and (:pattern = '' or exists (
        select 1 from entity_names n where n.entity_id = e.id and n.folded like :pattern escape '\\'
    ))
    and (name, id) > (:name, :id)
order by name, id
limit :limit
"""

_COUNT = """
select count(*)
from entities e
where project_id = :project_id
    and (:status = '' or status = :status)
    and (:node_type = '' or node_type = :node_type)
    and (:pattern = '' or exists (
        select 1 from entity_names n where n.entity_id = e.id and n.folded like :pattern escape '\\'
    ))
"""

_INSERT = """
insert into entities (id, project_id, key, folded_key, name, folded_names, node_type, status,
    properties, aliases, certainty, occurred_at, archived_at, archive_reason, created_at,
    updated_at)
values (:id, :project_id, :key, :folded_key, :name, :folded_names, :node_type, :status,
    :properties, :aliases, :certainty, :occurred_at, :archived_at, :archive_reason, :created_at,
    :updated_at)
on conflict (project_id, folded_key) do nothing
"""

_REWRITE = """
update entities
set name = :name, folded_names = :folded_names, node_type = :node_type, status = :status,
    properties = :properties, aliases = :aliases, certainty = :certainty,
    occurred_at = :occurred_at, archived_at = :archived_at, archive_reason = :archive_reason,
    updated_at = :updated_at
where id = :id
"""

_DELETE = """
delete from entities where id = :id
"""

_ORPHANS = """
select id, project_id, key, name, node_type, status, properties, aliases, certainty,
    occurred_at, archived_at, archive_reason, created_at, updated_at
from entities e
where project_id = :project_id and status = 'active'
    and not exists (select 1 from relations where from_id = e.id)
    and not exists (select 1 from relations where to_id = e.id)
    and (name, id) > (:name, :id)
order by name, id
limit :limit
"""

_COUNT_ORPHANS = """
select count(*)
from entities e
where project_id = :project_id and status = 'active'
    and not exists (select 1 from relations where from_id = e.id)
    and not exists (select 1 from relations where to_id = e.id)
"""


def find(connection: Connection, project_id: str, key: str) -> Entity | None:
    bound = {"project_id": project_id, "folded_key": fold_name(key)}
    row = connection.execute(_BY_KEY, bound).fetchone()
    return entity_of(row) if row else None


def get(connection: Connection, project_id: str, key: str) -> Entity:
    """Return the entity with that id, else the only one with that name or alias."""
    entity = find(connection, project_id, key)
    if entity is not None:
        return entity
    named = find_by_name(connection, project_id, key) or _find_by_loose_name(
        connection, project_id, key
    )
    if [_bears(each, key) for each in named[:2]] == [True, False]:
        return named[0]
    if len(named) > 1:
        ids = ", ".join(repr(entity.id) for entity in named[:8])
        raise ConflictError(f"Several entities are called {key!r}: {ids}. Give the id of one.")
    if not named:
        _refuse_gone(connection, project_id, key)
        raise NotFoundError("entity", key, _hint_at_similar(connection, project_id, key))
    return named[0]


def _hint_at_similar(connection: Connection, project_id: str, key: str) -> str:
    """Return where the entity may be: under a similar name, or in another project."""
    folded = fold_name(key)
    bound = {"project_id": project_id, "folded": folded, "first": folded[:1]}
    names: list[Any] = connection.execute(_NAMES_WITH_INITIAL, bound).fetchall()
    known = {row["folded"]: row["key"] for row in names}
    close = dict.fromkeys(known[name] for name in get_close_matches(folded, known, 3, 0.75))
    elsewhere = [row["project_id"] for row in connection.execute(_OTHER_PROJECTS, bound)]
    hints = [
        f"Did you mean {' or '.join(map(repr, close))}?" if close else "",
        f"There is one in project {' and '.join(map(repr, elsewhere))}." if elsewhere else "",
    ]
    found = " ".join(hint for hint in hints if hint)
    tools = "the tool list_entities or search_memory"
    return found or f"Look for it in project {project_id!r} with {tools}."


def find_by_name(connection: Connection, project_id: str, name: str) -> list[Entity]:
    """Return the entities with that name, then those with that alias; the oldest of each first."""
    bound = {"project_id": project_id, "folded": fold_name(name)}
    found = [entity_of(row) for row in connection.execute(_BY_NAME, bound)]
    return sorted(found, key=lambda each: not _bears(each, name))


def _find_by_loose_name(connection: Connection, project_id: str, name: str) -> list[Entity]:
    """Return the entities whose id, name or alias has the same loose form (entity_names.py)."""
    loose = loosen_name(name)
    bound = {"project_id": project_id, "folded": json.dumps([loose, LOOSE + loose])}
    found = [entity_of(row) for row in connection.execute(_BY_LOOSE_NAME, bound)]
    return list({entity.row_id: entity for entity in found}.values())


def _bears(entity: Entity, name: str) -> bool:
    return fold_name(entity.name) == fold_name(name)


def _refuse_gone(connection: Connection, project_id: str, key: str) -> None:
    """Raise NotFoundError naming the merge or deletion, if an entity of that id existed."""
    bound = {"project_id": project_id, "folded_key": fold_name(key)}
    row = connection.execute(_GONE, bound).fetchone()
    if row is None:
        return
    if row["heir"]:
        raise NotFoundError("entity", key, f"It was merged into {row['heir']!r}. Give that id.")
    hint = f"It was deleted at {row['at']}. Restore it with the tool restore_entity."
    raise NotFoundError("entity", key, hint)


def by_row_ids(connection: Connection, row_ids: list[str]) -> dict[str, Entity]:
    """Return existing entities by row id."""
    rows = connection.execute(_BY_ROW_IDS, {"row_ids": json.dumps(row_ids)})
    return {row["id"]: entity_of(row) for row in rows}


def page(
    connection: Connection,
    project_id: str,
    *,
    node_type: str,
    status: str,
    query: str,
    after: tuple[str, str],
    limit: int,
) -> tuple[list[Entity], int]:
    """Return entities in order of name, and the total count."""
    bound = {
        "project_id": project_id,
        "node_type": node_type,
        "status": status,
        "pattern": _containing(loosen_name(query)) if query else "",
    }
    place = {"name": after[0], "id": after[1], "limit": limit}
    rows, total = page_of(connection, _PAGE, count=_COUNT, bound=bound, place=place)
    return [entity_of(row) for row in rows], total


def orphans(
    connection: Connection, project_id: str, *, after: tuple[str, str], limit: int
) -> tuple[list[Entity], int]:
    """Return active entities without any relation, and the total count."""
    bound = {"project_id": project_id}
    place = {"name": after[0], "id": after[1], "limit": limit}
    rows, total = page_of(connection, _ORPHANS, count=_COUNT_ORPHANS, bound=bound, place=place)
    return [entity_of(row) for row in rows], total


def insert(connection: Connection, entity: Entity) -> None:
    connection.execute(_INSERT, _parameters(entity))
    if connection.changes() == 0:
        raise ConflictError(
            f"There is already an entity {entity.id!r} in project {entity.project_id!r}."
        )


def rewrite(connection: Connection, entity: Entity) -> None:
    """Update the stored row, except its id and project."""
    connection.execute(_REWRITE, _parameters(entity))


def delete(connection: Connection, entity: Entity) -> None:
    """Delete an entity with its observations and relations."""
    connection.execute(_DELETE, {"id": entity.row_id})


def entity_of(row: dict[str, Any]) -> Entity:
    """Return the value of a row that has all columns of _BY_KEY."""
    return Entity(
        row_id=row["id"],
        id=row["key"],
        properties=json.loads(row["properties"]),
        aliases=json.loads(row["aliases"]),
        **{name: row[name] for name in _PLAIN},
    )


_PLAIN = (
    "project_id",
    "name",
    "node_type",
    "status",
    "certainty",
    "occurred_at",
    "archived_at",
    "archive_reason",
    "created_at",
    "updated_at",
)


def _parameters(entity: Entity) -> dict[str, str | None]:
    return {
        "id": entity.row_id,
        "project_id": entity.project_id,
        "key": entity.id,
        "folded_key": fold_name(entity.id),
        "name": entity.name,
        "folded_names": json.dumps([fold_name(name) for name in (entity.name, *entity.aliases)]),
        "node_type": entity.node_type,
        "status": entity.status,
        "properties": json.dumps(entity.properties, ensure_ascii=False, sort_keys=True),
        "aliases": json.dumps(entity.aliases, ensure_ascii=False),
        "certainty": entity.certainty,
        "occurred_at": format_timestamp(entity.occurred_at) if entity.occurred_at else None,
        "archived_at": format_timestamp(entity.archived_at) if entity.archived_at else None,
        "archive_reason": entity.archive_reason,
        "created_at": format_timestamp(entity.created_at),
        "updated_at": format_timestamp(entity.updated_at),
    }


def _containing(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"%{escaped}%"
