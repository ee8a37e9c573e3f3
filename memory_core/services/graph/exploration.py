"""Neighbourhood of an entity: holograms and neighbours."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ...model.graph.entities import (
    Direction,
    Entity,
    Hologram,
    HologramNode,
    Neighbour,
    Neighbourhood,
    Observation,
    Relation,
)
from ...model.graph.ontology import Ontology
from ...rules import limits
from ...rules.graph.ontology import canonical_relation_type
from ...storage.database import Connection, Database
from ...storage.graph import entities, observations, relations
from .salient import saliences

DEEPEST = 6
MOST_NODES = 500
MOST_RELATIONS = 1000
# Observations read of one node; a hologram is an overview, not an archive.
EACH = 50
# Approximate characters per token of English text.
CHARACTERS = 4
# The largest share of the budget for the requested entity.
OWN_SHARE = 0.5


@dataclass(frozen=True)
class _Step:
    """The edge by which the walk first reached an entity."""

    distance: int
    before: str
    relation: str


class Exploration:
    """Queries about the neighbourhood of an entity."""

    def __init__(self, db: Database, ontology: Ontology, *, token_budget: int = 8000) -> None:
        self._db = db
        self._ontology = ontology
        self._characters = token_budget * CHARACTERS

    def hologram(
        self,
        node_id: str,
        *,
        project_id: str = "default",
        depth: int = 1,
        max_nodes: int = 50,
        include_archived: bool = False,
    ) -> Hologram:
        """Return all nodes within *depth* hops, nearest first, and all relations among them."""
        _check_reach(depth, max_nodes)
        with self._db.read() as connection:
            anchor = entities.get(connection, limits.validate_project(project_id), node_id)
            steps, more = _walk(
                connection, anchor, depth, max_nodes, include_archived=include_archived
            )
            known = entities.by_row_ids(connection, list(steps))
            edges = relations.among(connection, list(steps), limit=MOST_RELATIONS + 1)
            facts = observations.of_entities(connection, list(steps), each=EACH)
            counts = observations.counts(connection, list(steps))
            salient = saliences(connection, list(steps), now=self._db.clock())
        budget = self._characters - sum(map(_size_of_relation, edges[:MOST_RELATIONS]))
        nodes = list(_nodes(known, steps, facts, counts, budget, salient=salient))
        return _hologram(anchor, depth, nodes, edges, more)

    def neighbors(
        self,
        node_id: str,
        *,
        project_id: str = "default",
        depth: int = 1,
        relationship_type: str = "",
        direction: Direction = "both",
        limit: int = 100,
        include_archived: bool = False,
    ) -> Neighbourhood:
        """Return the entities within *depth* hops with distance and a shortest path."""
        _check_reach(depth, limit)
        if relationship_type:
            relationship_type = canonical_relation_type(self._ontology, relationship_type)
        with self._db.read() as connection:
            anchor = entities.get(connection, limits.validate_project(project_id), node_id)
            steps, more = _walk(
                connection,
                anchor,
                depth,
                limit + 1,
                relationship_type=relationship_type,
                direction=direction,
                include_archived=include_archived,
            )
            known = entities.by_row_ids(connection, list(steps))
        near = [
            Neighbour(
                entity=known[row_id],
                distance=step.distance,
                path=[known[on_the_way].id for on_the_way in _path(steps, row_id)],
                relation=step.relation,
            )
            for row_id, step in steps.items()
            if step.distance
        ]
        return Neighbourhood(node_id=anchor.id, neighbors=near, truncated=more)


def _check_reach(depth: int, nodes: int) -> None:
    limits.validate_range("depth", depth, least=0, most=DEEPEST)
    limits.validate_range("The number of nodes", nodes, least=1, most=MOST_NODES)


def _walk(
    connection: Connection,
    anchor: Entity,
    depth: int,
    most: int,
    *,
    relationship_type: str = "",
    direction: Direction = "both",
    include_archived: bool,
) -> tuple[dict[str, _Step], bool]:
    """Return the first step to each entity within reach, and whether some were left out."""
    steps = {anchor.row_id: _Step(0, "", "")}
    frontier = [anchor.row_id]
    for distance in range(1, depth + 1):
        edges = relations.edges(
            connection, frontier, relationship_type=relationship_type, direction=direction
        )
        new = {there: _Step(distance, here, kind) for here, there, kind in reversed(edges)}
        met = [there for _, there, _ in edges if there not in steps]
        allowed = _filter_ids(connection, list(dict.fromkeys(met)), include_archived)
        room = most - len(steps)
        steps |= {row_id: new[row_id] for row_id in allowed[:room]}
        if len(allowed) > room:
            return steps, True
        frontier = allowed
    return steps, False


def _filter_ids(connection: Connection, row_ids: list[str], include_archived: bool) -> list[str]:
    if include_archived or not row_ids:
        return row_ids
    known = entities.by_row_ids(connection, row_ids)
    return [row_id for row_id in row_ids if known[row_id].status == "active"]


def _path(steps: dict[str, _Step], row_id: str) -> list[str]:
    path = [row_id]
    while before := steps[path[-1]].before:
        path.append(before)
    return path[::-1]


def _nodes(
    known: dict[str, Entity],
    steps: dict[str, _Step],
    facts: dict[str, list[Observation]],
    counts: dict[str, int],
    budget: int,
    *,
    salient: dict[str, float],
) -> Iterator[HologramNode]:
    """Yield nodes with as many observations as the budget allows, distributed evenly."""
    left = budget - sum(_size_of_entity(entity) for entity in known.values())
    waiting = len(steps)
    for row_id, step in steps.items():
        share = OWN_SHARE if step.distance == 0 and waiting > 1 else 1 / waiting
        shown = _fitting(facts[row_id], int(left * share), at_least=step.distance == 0)
        left -= sum(len(fact.content) + FACT_FRAME for fact in shown)
        waiting -= 1
        yield HologramNode(
            entity=known[row_id],
            distance=step.distance,
            observations=shown,
            observation_count=counts[row_id],
            salience=round(salient[row_id], 4),
        )


# Overhead in characters per observation, entity and relation, in addition to their texts.
FACT_FRAME = 420
ENTITY_FRAME = 480
RELATION_FRAME = 380


def _fitting(facts: list[Observation], room: int, *, at_least: bool) -> list[Observation]:
    shown: list[Observation] = []
    for fact in facts:
        size = len(fact.content) + FACT_FRAME
        if size > room:
            break
        shown.append(fact)
        room -= size
    if not shown and facts and at_least:
        # The newest fact exceeds the whole budget: truncate it.
        cut = facts[0].content[: max(room - FACT_FRAME, 1000)]
        shown.append(facts[0].model_copy(update={"content": f"{cut} […]"}))
    return shown


def _size_of_entity(entity: Entity) -> int:
    texts = (entity.id, entity.name, *entity.aliases, str(entity.properties))
    return ENTITY_FRAME + sum(map(len, texts))


def _size_of_relation(relation: Relation) -> int:
    return RELATION_FRAME + len(str(relation.properties))


def _hologram(
    anchor: Entity, depth: int, nodes: list[HologramNode], edges: list[Relation], more: bool
) -> Hologram:
    hidden = sum(node.observation_count - len(node.observations) for node in nodes)
    left_out = [
        "nodes beyond max_nodes" if more else "",
        f"{hidden} observations (ask for one of these entities alone, with depth=0)"
        if hidden
        else "",
        f"relations beyond {MOST_RELATIONS}" if len(edges) > MOST_RELATIONS else "",
    ]
    parts = [part for part in left_out if part]
    return Hologram(
        node_id=anchor.id,
        depth=depth,
        nodes=nodes,
        relations=edges[:MOST_RELATIONS],
        truncated=bool(parts),
        notice=f"Left out: {'; '.join(parts)}." if parts else "",
    )
