"""
Entities by name and alias.

Triggers fill the table entity_names with the folded names. A name that is also found by a looser
form (rules/text/folding.py: Michal for Michał) has a second row, which begins with LOOSE; no
folded name contains a control character. The full-text index writes these rows with the rest of
what it derives from an entity.
"""

from __future__ import annotations

import itertools
import json
from collections import defaultdict
from collections.abc import Collection
from typing import Any

from apsw import Connection

from ...rules.graph.entity_linking import NamedEntities
from ...rules.text.normalization import fold_name, loosen_name

LOOSE = "\x01"

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

_NAMES_OF = """
select e.id, e.project_id, e.key, e.name, e.aliases
from searchables s join entities e on e.id = s.row_id
where s.kind = 'entities' and s.id in (select value from json_each(:ids))
"""

_ADD_LOOSE = """
insert into entity_names (project_id, folded, entity_id) values (:project_id, :folded, :entity_id)
on conflict do nothing
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
    """
    Return the active entities by these folded names ("*": of any project).

    Where no name equals one of them, entities with the same loose form are returned.
    """
    forms = {name: {loosen_name(name), LOOSE + loosen_name(name)} for name in folded}
    query = _NAMED_ANYWHERE if project_id == "*" else _NAMED
    every = sorted({*folded, *itertools.chain.from_iterable(forms.values())})
    rows: dict[str, list[Any]] = defaultdict(list)
    bound = {"project_id": project_id, "folded": json.dumps(every)}
    found: list[Any] = connection.execute(query, bound).fetchall()
    for row in found:
        rows[row["folded"]].append(row)
    named = {}
    for name, loose in forms.items():
        if bearers := rows.get(name) or [row for form in loose for row in rows.get(form, ())]:
            types = {row["node_type"].casefold() for row in bearers}
            ids = frozenset(row["entity_id"] for row in bearers)
            named[name] = NamedEntities(ids, types == {PERSON})
    return named


def add_loose_names(connection: Connection, ids: Collection[int]) -> None:
    """Add the loose forms of the ids, names and aliases of entities, by search document."""
    rows: list[Any] = connection.execute(_NAMES_OF, {"ids": json.dumps(list(ids))}).fetchall()
    for row in rows:
        names = [row["key"], row["name"], *json.loads(row["aliases"])]
        place = {"project_id": row["project_id"], "entity_id": row["id"]}
        connection.executemany(
            _ADD_LOOSE,
            [
                {**place, "folded": LOOSE + loosen_name(name)}
                for name in names
                if loosen_name(name) != fold_name(name)
            ],
        )


def neighbour_ids(connection: Connection, ids: Collection[str], *, most: int) -> set[str]:
    """Return the neighbours of these entities; none if there are more than *most*."""
    bound = {"ids": json.dumps(list(ids)), "limit": most + 1}
    found = [row["id"] for row in connection.execute(_RELATED, bound)]
    return set(found) if len(found) <= most else set()
