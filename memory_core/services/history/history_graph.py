"""
Map of the graph at an earlier moment, with the later changes of each part.

It contains the records of that moment in their state then, including those deleted since, and the
records added since in their newest state. Changed entities come first, then their neighbours, then
those with the most relations.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from ...model.graph.graph_view import ChangeMark, GraphMap, MapEdge, MapNode
from ...rules import row_states
from ...storage.database import Connection
from ...storage.history import as_of as rows
from ...storage.history.as_of import State


@dataclass
class _Since:
    """Later changes of entities and relations by row id, and the newest state of added ones."""

    entities: dict[str, ChangeMark] = field(default_factory=dict)
    relations: dict[str, ChangeMark] = field(default_factory=dict)
    added: dict[str, State] = field(default_factory=dict)
    # In the order of their last change; the first ones are shown if space is limited.
    touched: dict[str, None] = field(default_factory=dict)

    def tell(self, touched: rows.Touched, became: ChangeMark) -> None:
        state: State = json.loads(touched.after or touched.before or "{}")
        if touched.kind == "entities":
            self.entities[touched.row_id] = became
        elif touched.kind == "relations":
            self.relations[touched.row_id] = became
        else:
            # An added or deleted fact counts as a change of its entity.
            self.entities.setdefault(state["entity_id"], "changed")
        if became == "added":
            self.added[touched.row_id] = state
        ends = row_states.relation_end_ids([state]) or [state.get("entity_id", touched.row_id)]
        self.touched |= dict.fromkeys(ends)


def map_then(
    connection: Connection, project_id: str, from_seq: int, to_seq: int, *, limit: int
) -> GraphMap:
    """Return the graph after change *from_seq*, with the changes up to *to_seq*."""
    since = _Since()
    for touched in rows.touched_rows(connection, project_id, from_seq, to_seq):
        became = row_states.change_kind(touched.before, touched.after)
        if became:
            since.tell(touched, became)
    wanted = _wanted_ids(connection, project_id, from_seq, since, limit=limit)
    shown = _states(connection, project_id, from_seq, wanted, since, limit=limit)
    then = rows.relations_at(connection, list(shown), from_seq)
    nodes = nodes_then(connection, shown, from_seq, since.entities)
    edges = [e for e in _edges(then, since) if e.from_row_id in shown and e.to_row_id in shown]
    added = sum(became == "added" for became in since.entities.values())
    return GraphMap(
        nodes=nodes,
        edges=edges,
        total=rows.count_at(connection, project_id, from_seq) + added,
        type_counts=dict(Counter(node.node_type for node in nodes).most_common()),
        relation_counts=dict(Counter(edge.relationship_type for edge in edges).most_common()),
    )


def nodes_then(
    connection: Connection, states: Mapping[str, State], seq: int, became: Mapping[str, ChangeMark]
) -> list[MapNode]:
    """Return entities as map nodes, with their counts of facts after change *seq*."""
    degrees = rows.degrees_at(connection, list(states), seq)
    facts = rows.fact_counts_at(connection, list(states), seq)
    return [
        _node(state, became.get(row_id, ""), degrees.get(row_id, 0), facts.get(row_id, 0))
        for row_id, state in states.items()
    ]


def _wanted_ids(
    connection: Connection, project_id: str, seq: int, since: _Since, *, limit: int
) -> list[str]:
    """Return row ids of entities by priority, without duplicates."""
    # Entities that were both added and deleted in between exist at neither moment.
    touched = list(since.touched)[::-1][: 2 * limit]
    near = rows.near_at(connection, touched, seq, limit=limit)
    return list(
        dict.fromkeys([*touched, *near, *rows.busiest_at(connection, project_id, seq, limit=limit)])
    )


def _states(
    connection: Connection,
    project_id: str,
    seq: int,
    wanted: list[str],
    since: _Since,
    *,
    limit: int,
) -> dict[str, State]:
    """Return the states of the entities to show, isolated ones last."""
    then = rows.states_at(connection, "entities", wanted, seq)
    then |= {row_id: since.added[row_id] for row_id in wanted if row_id in since.added}
    shown = {row_id: then[row_id] for row_id in wanted if row_id in then}
    if len(shown) < limit:
        shown |= rows.entities_at(connection, project_id, seq, after="", limit=limit)
    return dict(list(shown.items())[:limit])


def _edges(then: Iterable[rows.RelationThen], since: _Since) -> Iterator[MapEdge]:
    for each in then:
        yield MapEdge(
            from_row_id=each.from_id,
            to_row_id=each.to_id,
            relationship_type=each.relationship_type,
            became=since.relations.get(each.row_id, ""),
        )
    for row_id, state in since.added.items():
        if row_id in since.relations:
            yield MapEdge(
                from_row_id=state["from_id"],
                to_row_id=state["to_id"],
                relationship_type=state["relationship_type"],
                became="added",
            )


def _node(state: State, became: ChangeMark, degree: int, facts: int) -> MapNode:
    plain = {name: state[name] for name in ("project_id", "name", "node_type", "status")}
    return MapNode(
        **plain,
        row_id=state["id"],
        id=state["key"],
        degree=degree,
        observations=facts,
        # Earlier salience is not recorded; the number of relations stands in for it.
        salience=round(min(degree / MANY, 1.0), 4),
        became=became,
        created_at=datetime.fromisoformat(state["created_at"]),
        updated_at=datetime.fromisoformat(state["updated_at"]),
    )


# Relations of a node of maximum size.
MANY = 20
