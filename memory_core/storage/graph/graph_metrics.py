"""Minimal columns of the whole graph, and its growth."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from apsw import Connection

from ...model.scope import Scope, User
from ..history import audit_log
from ..history.tracked import TRACKED
from ..scoping import OWNED, USER_SEEN, bound_of, bound_user, row_seen

_NODES = """
select id, key, project_id, name, node_type
from entities
where status = 'active' and (:project_id = '*' or project_id = :project_id)
order by project_id, key, id
"""

_EDGES = """
select r.from_id, r.to_id, r.weight, r.relationship_type
from relations r
    join entities a on a.id = r.from_id and a.status = 'active'
    join entities b on b.id = r.to_id and b.status = 'active'
where :project_id = '*' or (a.project_id = :project_id and b.project_id = :project_id)
order by r.from_id, r.to_id, r.relationship_type
"""

_GROWTH = f"""
select substr(at, 1, 10) as day, kind, op, count(*) as n
from changes c
where seq > :after and (:project_id = '*' or project_id = :project_id)
    and {row_seen("c")}
group by 1, 2, 3
order by 1
"""

# One row per tracked table with a project.
_PROJECTS = " union all ".join(
    f"select project_id, '{tracked.table}' as kind, count(*) as n from {tracked.table} group by 1"
    for tracked in TRACKED
)

# Loose index scan: SQLite seeks the next name without reading the rows.
_NAMES = """select name from (
with recursive names (name) as (
    select min(project_id) from {table} where {seen}
    union all
    select (select min(project_id) from {table} where project_id > names.name and {seen})
    from names where names.name is not null
)
select name from names where name is not null
)"""

# Dependent rows need no check: they exist only with the row they belong to.
_PROJECT_NAMES = " union ".join(
    _NAMES.format(table=tracked.table, seen=USER_SEEN if tracked.table in OWNED else "1")
    for tracked in TRACKED
    if tracked.subject == "id"
)

_TYPES = """
select node_type as name, count(*) as n
from entities
where status = 'active' and (:project_id = '*' or project_id = :project_id)
group by 1
order by n desc, name
"""

_RELATION_TYPES = """
select relationship_type as name, count(*) as n
from relations
where :project_id = '*' or project_id = :project_id
group by 1
order by n desc, name
"""


@dataclass(frozen=True)
class Node:
    """An active entity."""

    id: str
    key: str
    project_id: str
    name: str
    node_type: str


@dataclass(frozen=True)
class Edge:
    """A relation between two active entities."""

    from_id: str
    to_id: str
    weight: float
    relationship_type: str


@dataclass
class DayCounts:
    """Rows created, changed and deleted on one day, by kind."""

    created: dict[str, int] = field(default_factory=dict)
    changed: dict[str, int] = field(default_factory=dict)
    deleted: dict[str, int] = field(default_factory=dict)


def graph(connection: Connection, project_id: str) -> tuple[list[Node], list[Edge]]:
    """Return the active graph of a project ("*": of all), in a fixed order."""
    bound = {"project_id": project_id}
    nodes = [Node(**row) for row in connection.execute(_NODES, bound)]
    return nodes, [Edge(**row) for row in connection.execute(_EDGES, bound)]


def growth(connection: Connection, scope: Scope, since: str) -> dict[str, DayCounts]:
    """Return the counts of each day since *since*, oldest first, without empty days."""
    days: dict[str, DayCounts] = defaultdict(DayCounts)
    after = audit_log.last_seq(connection, since, inclusive=False)
    rows: Any = connection.execute(_GROWTH, {**bound_of(scope), "after": after})
    for row in rows:
        getattr(days[row["day"]], row["op"])[row["kind"]] = row["n"]
    return dict(days)


def projects(connection: Connection) -> dict[str, dict[str, int]]:
    """Return every project with records, by name, and its number of rows of each kind."""
    found: dict[str, dict[str, int]] = defaultdict(dict)
    rows: Any = connection.execute(_PROJECTS)
    for row in rows:
        found[row["project_id"]][row["kind"]] = row["n"]
    return dict(sorted(found.items()))


def project_names(connection: Connection, user_id: User) -> list[str]:
    """Return every project with records that a user may see, by name."""
    bound = {"user_id": bound_user(user_id)}
    return sorted(row["name"] for row in connection.execute(_PROJECT_NAMES, bound))


def types(connection: Connection, project_id: str) -> tuple[dict[str, int], dict[str, int]]:
    """Return the number of active entities and of relations by type."""
    bound = {"project_id": project_id}
    nodes: Any = connection.execute(_TYPES, bound).fetchall()
    edges: Any = connection.execute(_RELATION_TYPES, bound).fetchall()
    return {row["name"]: row["n"] for row in nodes}, {row["name"]: row["n"] for row in edges}
