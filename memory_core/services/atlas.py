"""Maps of the graph for people: the most salient part, or what lies around one node."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from ..ambient import stamp
from ..errors import Invalid
from ..model.atlas import Card, CardRelation, Counts, GraphMap, MapEdge, MapNode
from ..model.graph import Entity
from ..rules import limits
from ..rules.salience import salience
from ..storage import atlas as rows
from ..storage import entities, journal, observations, relations
from ..storage.database import Connection, Database

MOST_NODES = 2000
MOST_EDGES = 6000
DEEPEST = 3
STATUSES = ("active", "archived", "all")
DAY = 86_400.0


class Atlas:
    """Reads of the graph that a page draws."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def version(self) -> int:
        """Return the number of the newest change: whoever has it has seen everything."""
        with self._db.read() as connection:
            return journal.newest(connection)

    def counts(self, *, project_id: str = "default", since: datetime) -> Counts:
        """Return how much there is, and how much of it came or changed since a moment."""
        project_id = limits.project(project_id, all_allowed=True)
        with self._db.read() as connection:
            _, orphans = entities.orphans(connection, project_id, after=("", ""), limit=0)
            return Counts(
                **rows.counts(connection, project_id),
                orphans=orphans,
                touched=rows.touched_since(connection, project_id, stamp(since)),
                new=rows.new_since(connection, project_id, stamp(since)),
            )

    def most_salient(
        self,
        *,
        project_id: str = "default",
        node_types: Sequence[str] = (),
        relation_types: Sequence[str] = (),
        status: str = "active",
        limit: int = 150,
    ) -> GraphMap:
        """Return the entities that matter most, and the relations among them."""
        project_id, status = _checked(project_id, status, limit)
        with self._db.read() as connection:
            found = rows.ranked(connection, project_id, status=status, node_types=list(node_types))
            now = self._db.clock()
            found.sort(key=lambda row: (-_salience(row, now), row["id"]))
            shown = {row["id"]: 0 for row in found[:limit]}
            return self._map(
                connection, project_id, status, shown, list(relation_types), len(found)
            )

    def around(
        self,
        node_id: str,
        *,
        project_id: str = "default",
        hops: int = 1,
        node_types: Sequence[str] = (),
        relation_types: Sequence[str] = (),
        status: str = "active",
        limit: int = 150,
    ) -> GraphMap:
        """Return an entity and what lies within *hops* of it, nearest first."""
        if not 1 <= hops <= DEEPEST:
            raise Invalid(f"hops must lie between 1 and {DEEPEST}, not {hops}.")
        project_id, status = _checked(project_id, status, limit)
        with self._db.read() as connection:
            anchor = entities.get(connection, project_id, node_id)
            reach = _Reach(set(node_types), set(relation_types), status)
            met = reach.walk(connection, anchor.row_id, hops)
            shown = dict(list(met.items())[:limit])
            return self._map(connection, project_id, status, shown, list(relation_types), len(met))

    def card(
        self, node_id: str, *, project_id: str = "default", facts: int = 20, edges: int = 40
    ) -> Card:
        """Return one entity with its newest observations and relations."""
        with self._db.read() as connection:
            entity = entities.get(connection, limits.project(project_id), node_id)
            newest = journal.version(connection, "entities", entity.row_id)
            known = observations.of_entities(connection, [entity.row_id], each=facts)
            return Card(
                entity=entity,
                version=newest.seq,
                actor=newest.actor,
                changes=rows.changes_of(connection, entity.row_id),
                observations=known[entity.row_id],
                observation_count=observations.counts(connection, [entity.row_id])[entity.row_id],
                relations=self._relations(connection, entity.row_id, edges),
                relation_count=relations.degrees(connection, [entity.row_id])[entity.row_id],
            )

    def _relations(self, connection: Connection, row_id: str, limit: int) -> list[CardRelation]:
        found = relations.of(connection, row_id, limit=limit)
        ends = rows.ends(connection, [relation.id for relation in found])
        others = {id: end if start == row_id else start for id, (start, end) in ends.items()}
        nodes = {n.row_id: n for n in self._nodes(connection, list(dict.fromkeys(others.values())))}
        return [
            CardRelation(
                relation=relation,
                outgoing=ends[relation.id][0] == row_id,
                other=nodes[others[relation.id]],
            )
            for relation in found
        ]

    def _map(
        self,
        connection: Connection,
        project_id: str,
        status: str,
        shown: dict[str, int],
        relation_types: list[str],
        total: int,
    ) -> GraphMap:
        edges = rows.edges(connection, list(shown), relation_types=relation_types, limit=MOST_EDGES)
        return GraphMap(
            nodes=self._nodes(connection, list(shown), shown),
            edges=[MapEdge(**row) for row in edges],
            total=total,
            type_counts=rows.type_counts(connection, project_id, status=status),
            relation_counts=rows.relation_counts(connection, project_id),
        )

    def _nodes(
        self, connection: Connection, row_ids: list[str], distances: dict[str, int] | None = None
    ) -> list[MapNode]:
        now = self._db.clock()
        return [
            MapNode(
                **{name: row[name] for name in _PLAIN},
                salience=round(_salience(row, now), 4),
                distance=(distances or {}).get(row["row_id"], 0),
            )
            for row in rows.nodes(connection, row_ids)
        ]


_PLAIN = ("row_id", "id", "project_id", "name", "node_type", "status", "degree", "observations")


class _Reach:
    """A walk that follows some types of relation to some types of entity."""

    def __init__(self, node_types: set[str], relation_types: set[str], status: str) -> None:
        self._node_types = node_types
        self._relation_types = relation_types
        self._status = status

    def walk(self, connection: Connection, start: str, hops: int) -> dict[str, int]:
        """Return each entity within reach and how far it is, nearest first."""
        met = {start: 0}
        frontier = [start]
        for distance in range(1, hops + 1):
            edges = relations.edges(connection, frontier, relationship_type="", direction="both")
            there = dict.fromkeys(
                end
                for _, end, kind in edges
                if end not in met and (not self._relation_types or kind in self._relation_types)
            )
            known = entities.by_row_ids(connection, list(there))
            frontier = [row_id for row_id in there if self._wanted(known[row_id])]
            met |= dict.fromkeys(frontier, distance)
            if not frontier or len(met) > MOST_NODES:
                break
        return met

    def _wanted(self, entity: Entity) -> bool:
        right_type = not self._node_types or entity.node_type in self._node_types
        return right_type and self._status in ("", entity.status)


def _checked(project_id: str, status: str, limit: int) -> tuple[str, str]:
    if status not in STATUSES:
        raise Invalid(f"status must be active, archived or all, not {status!r}.")
    if not 1 <= limit <= MOST_NODES:
        raise Invalid(f"limit must lie between 1 and {MOST_NODES}, not {limit}.")
    return limits.project(project_id, all_allowed=True), "" if status == "all" else status


def _salience(row: dict[str, Any], now: datetime) -> float:
    touched = max(row["updated_at"], row["last_retrieved_at"] or "")
    idle = (now - datetime.fromisoformat(touched)).total_seconds() / DAY
    return salience(retrievals=row["retrievals"], degree=row["degree"], idle_days=idle)
