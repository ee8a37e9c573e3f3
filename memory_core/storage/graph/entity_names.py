"""Entities by name and alias."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection

from apsw import Connection

from ...rules.graph.entity_linking import NamedEntities

# The type of people in the bundled ontology.
PERSON = "person"

_NAMED = """
select n.folded, n.entity_id, e.node_type
from entity_names n join entities e on e.id = n.entity_id
where n.project_id = :project_id and n.folded in (select value from json_each(:folded))
    and e.status = 'active'
"""

_NAMED_ANYWHERE = """
select n.folded, n.entity_id, e.node_type
from entity_names n join entities e on e.id = n.entity_id
where n.folded in (select value from json_each(:folded)) and e.status = 'active'
"""

# The other end of every relation of the entities, without hubs.
_RELATED = """
select from_id as id, to_id as other from relations
where to_id in (select value from json_each(:ids))
union
select to_id as id, from_id as other from relations
where from_id in (select value from json_each(:ids))
limit :limit
"""


def entities_named(
    connection: Connection, project_id: str, folded: Collection[str]
) -> dict[str, NamedEntities]:
    """Return the active entities that have one of these folded names ("*": of any project)."""
    query = _NAMED_ANYWHERE if project_id == "*" else _NAMED
    bound = {"project_id": project_id, "folded": json.dumps(list(folded))}
    ids, types = defaultdict(set), defaultdict(set)
    for row in connection.execute(query, bound):
        ids[row["folded"]].add(row["entity_id"])
        types[row["folded"]].add(row["node_type"].casefold())
    return {name: NamedEntities(frozenset(ids[name]), types[name] == {PERSON}) for name in ids}


def neighbour_ids(connection: Connection, ids: Collection[str], *, most: int) -> set[str]:
    """Return the neighbours of these entities; none if there are more than *most*."""
    bound = {"ids": json.dumps(list(ids)), "limit": most + 1}
    found = [row["id"] for row in connection.execute(_RELATED, bound)]
    return set(found) if len(found) <= most else set()
