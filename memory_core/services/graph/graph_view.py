"""Graph maps for display: the most salient part, or the neighbourhood of one node."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from ...clock import format_timestamp
from ...errors import ValidationError
from ...model.graph.graph_view import (
    EntityCard,
    EntityCardRelation,
    GraphCounts,
    GraphMap,
    GraphPath,
    MapEdge,
    MapFilter,
    MapNode,
)
from ...rules import limits
from ...rules.graph import centrality
from ...rules.graph.salience import salience
from ...storage.database import Connection, Database
from ...storage.graph import entities, observations, relations
from ...storage.graph import graph_view as rows
from ...storage.history import audit_log
from .shortest_path import shortest_way

MOST_NODES = 2000
MOST_EDGES = 6000
DEEPEST = 3
STATUSES = ("active", "archived", "all")
DAY = 86_400.0
EVERYTHING_ACTIVE = MapFilter()


class Atlas:
    """Graph queries for the dashboard."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def version(self) -> int:
        """Return the sequence number of the newest change."""
        with self._db.read() as connection:
            return audit_log.newest(connection)

    def counts(self, *, project_id: str = "default", since: datetime) -> GraphCounts:
        """Return the totals, and how many records were added or changed since a moment."""
        project_id = limits.validate_project(project_id, all_allowed=True)
        with self._db.read() as connection:
            _, orphans = entities.orphans(connection, project_id, after=("", ""), limit=0)
            return GraphCounts(
                **rows.counts(connection, project_id),
                orphans=orphans,
                touched=rows.touched_since(connection, project_id, format_timestamp(since)),
                new=rows.new_since(connection, project_id, format_timestamp(since)),
            )

    def most_salient(
        self,
        *,
        project_id: str = "default",
        wanted: MapFilter = EVERYTHING_ACTIVE,
        limit: int = 150,
        communities: bool = False,
        also: Sequence[str] = (),
    ) -> GraphMap:
        """Return the most salient entities, and those with row ids *also*, with relations."""
        project_id = _validate(project_id, wanted, limit)
        with self._db.read() as connection:
            found, total = rows.rank_entities(
                connection, project_id, wanted, now=format_timestamp(self._db.clock()), limit=limit
            )
            shown = dict.fromkeys([*found, *also], 0)
            drawn = self._map(connection, project_id, wanted, shown, total)
        return _number_communities(drawn) if communities else drawn

    def around(
        self,
        node_id: str,
        *,
        project_id: str = "default",
        hops: int = 1,
        wanted: MapFilter = EVERYTHING_ACTIVE,
        limit: int = 150,
        communities: bool = False,
        also: Sequence[str] = (),
    ) -> GraphMap:
        """Return an entity and its neighbourhood within *hops*, nearest first, and *also*."""
        if not 1 <= hops <= DEEPEST:
            raise ValidationError(f"hops must lie between 1 and {DEEPEST}, not {hops}.")
        project_id = _validate(project_id, wanted, limit)
        with self._db.read() as connection:
            anchor = entities.get(connection, project_id, node_id)
            met = _reach(connection, anchor.row_id, hops, wanted)
            shown = dict.fromkeys(also, hops) | dict(list(met.items())[:limit])
            shown = dict(sorted(shown.items(), key=lambda item: item[1]))
            drawn = self._map(connection, project_id, wanted, shown, len(met))
        return _number_communities(drawn) if communities else drawn

    def path(
        self,
        start: tuple[str, str],
        goal: tuple[str, str],
        *,
        relation_types: Sequence[str] = (),
        include_archived: bool = False,
    ) -> GraphPath:
        """
        Return a shortest path between two entities, each given as project and id.

        Relations are followed in both directions; archived entities are skipped unless included.
        """
        status = "all" if include_archived else "active"
        wanted = MapFilter(status=status, relation_types=tuple(relation_types))
        with self._db.read() as connection:
            ends = [
                entities.get(connection, limits.validate_project(project_id), node_id).row_id
                for project_id, node_id in (start, goal)
            ]
            way = shortest_way(connection, ends[0], ends[1], wanted)
            nodes = {node.row_id: node for node in self._nodes(connection, [*ends, *way.row_ids])}
        return GraphPath(
            start=nodes[ends[0]],
            goal=nodes[ends[1]],
            nodes=[nodes[row_id] for row_id in way.row_ids],
            steps=way.steps,
            searched=way.searched,
            hops=way.hops,
            exhausted=way.exhausted,
        )

    def card(
        self, node_id: str, *, project_id: str = "default", facts: int = 20, edges: int = 40
    ) -> EntityCard:
        with self._db.read() as connection:
            entity = entities.get(connection, limits.validate_project(project_id), node_id)
            newest = audit_log.version(connection, "entities", entity.row_id)
            known = observations.of_entities(connection, [entity.row_id], each=facts)
            return EntityCard(
                entity=entity,
                version=newest.seq,
                actor=newest.actor,
                changes=rows.changes_of(connection, entity.row_id),
                observations=known[entity.row_id],
                observation_count=observations.counts(connection, [entity.row_id])[entity.row_id],
                relations=self._relations(connection, entity.row_id, edges),
                relation_count=relations.degrees(connection, [entity.row_id])[entity.row_id],
            )

    def _relations(
        self, connection: Connection, row_id: str, limit: int
    ) -> list[EntityCardRelation]:
        found = relations.of(connection, row_id, limit=limit)
        ends = rows.ends(connection, [relation.id for relation in found])
        others = {id: end if start == row_id else start for id, (start, end) in ends.items()}
        nodes = {n.row_id: n for n in self._nodes(connection, list(dict.fromkeys(others.values())))}
        return [
            EntityCardRelation(
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
        wanted: MapFilter,
        shown: dict[str, int],
        total: int,
    ) -> GraphMap:
        edges = rows.edges(connection, list(shown), wanted, limit=MOST_EDGES)
        status = "" if wanted.status == "all" else wanted.status
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


_PLAIN = (
    *("row_id", "id", "project_id", "name", "node_type", "status"),
    *("degree", "observations", "created_at", "updated_at"),
)


def _reach(connection: Connection, start: str, hops: int, wanted: MapFilter) -> dict[str, int]:
    """Return the distance of each entity within reach, nearest first."""
    met = {start: 0}
    frontier = [start]
    for distance in range(1, hops + 1):
        there = dict.fromkeys(
            end for _, end, _, _ in rows.steps(connection, frontier, wanted) if end not in met
        )
        right = rows.matching(connection, list(there), wanted)
        frontier = [row_id for row_id in there if row_id in right]
        met |= dict.fromkeys(frontier, distance)
        if not frontier or len(met) > MOST_NODES:
            break
    return met


def _number_communities(drawn: GraphMap) -> GraphMap:
    """Number the communities of the map, largest first; isolated nodes have none."""
    place = {node.row_id: number for number, node in enumerate(drawn.nodes)}
    edges = [(place[e.from_row_id], place[e.to_row_id], e.weight) for e in drawn.edges]
    groups = centrality.communities(len(drawn.nodes), edges)
    number = {
        member: rank for rank, group in enumerate(groups) if len(group) > 1 for member in group
    }
    nodes = [
        node.model_copy(update={"community": number.get(at, -1)})
        for at, node in enumerate(drawn.nodes)
    ]
    return drawn.model_copy(update={"nodes": nodes})


def _validate(project_id: str, wanted: MapFilter, limit: int) -> str:
    if wanted.status not in STATUSES:
        raise ValidationError(f"status must be active, archived or all, not {wanted.status!r}.")
    if not 1 <= limit <= MOST_NODES:
        raise ValidationError(f"limit must lie between 1 and {MOST_NODES}, not {limit}.")
    if wanted.since and wanted.until and wanted.until <= wanted.since:
        raise ValidationError("until must be later than since.")
    return limits.validate_project(project_id, all_allowed=True)


def _salience(row: dict[str, Any], now: datetime) -> float:
    touched = max(row["updated_at"], row["last_retrieved_at"] or "")
    idle = (now - datetime.fromisoformat(touched)).total_seconds() / DAY
    return salience(retrievals=row["retrievals"], degree=row["degree"], idle_days=idle)
