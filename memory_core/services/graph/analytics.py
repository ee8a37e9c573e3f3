"""Graph metrics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import timedelta

from ...clock import format_timestamp
from ...model.graph.analytics import DailyGrowth, EntityCluster, GraphAnalysis, RankedEntity
from ...model.scope import Scope
from ...rules import limits
from ...rules.graph import centrality
from ...storage.database import Database
from ...storage.graph import graph_metrics
from ...storage.graph.graph_metrics import DayCounts, Edge, Node

MOST_DAYS = 3650
# Components and communities returned, and members of each: enough to recognise them.
PARTS = 5
MEMBERS = 5


class Analytics:
    """Metrics of the active graph."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def analyze_graph(
        self, *, project_id: str = "default", top: int = 10, days: int = 90
    ) -> GraphAnalysis:
        """Return centrality, components, communities and growth; archived entities are left out."""
        project_id = limits.validate_project(project_id, all_allowed=True)
        top = limits.validate_page_size(top, most=100)
        limits.validate_range("days", days, least=1, most=MOST_DAYS)
        since = format_timestamp(self._db.clock() - timedelta(days=days))
        with self._db.read() as connection:
            nodes, edges = graph_metrics.graph(connection, project_id)
            grown = graph_metrics.growth(connection, Scope(project_id=project_id), since)
        return _Measured(nodes, edges).analysis(project_id, top, days_of(grown))


def days_of(grown: dict[str, DayCounts]) -> list[DailyGrowth]:
    return [
        DailyGrowth(day=day, created=counts.created, changed=counts.changed, deleted=counts.deleted)
        for day, counts in grown.items()
    ]


class _Measured:
    """A graph with integer nodes and its metrics."""

    def __init__(self, nodes: list[Node], edges: list[Edge]) -> None:
        self._nodes = nodes
        self._edges = edges
        number = {node.id: place for place, node in enumerate(nodes)}
        self._plain = [(number[e.from_id], number[e.to_id], e.weight) for e in edges]
        self._ranks = centrality.pagerank(len(nodes), self._plain)

    def analysis(self, project_id: str, top: int, growth: list[DailyGrowth]) -> GraphAnalysis:
        count = len(self._nodes)
        degrees = Counter(place for start, end, _ in self._plain for place in (start, end))
        between = centrality.betweenness(count, self._plain)
        parts = centrality.components(count, self._plain)
        groups = centrality.communities(count, self._plain)
        pairs = len({(start, end) for start, end, _ in self._plain})
        return GraphAnalysis(
            project_id=project_id,
            entities=count,
            relations=len(self._edges),
            density=round(pairs / (count * (count - 1)), 6) if count > 1 else 0.0,
            mean_degree=round(2 * len(self._edges) / count, 4) if count else 0.0,
            isolated=count - len(degrees),
            by_type=_count_names(node.node_type for node in self._nodes),
            by_relation=_count_names(edge.relationship_type for edge in self._edges),
            pagerank=self._top(self._ranks, top),
            degree=self._top([float(degrees[place]) for place in range(count)], top),
            betweenness=self._top(between, top),
            component_count=len(parts),
            components=self._parts(parts),
            community_count=len(groups),
            communities=self._parts(groups),
            growth=growth,
            notice=_notice(count, len(self._edges)),
        )

    def _top(self, scores: Sequence[float], top: int) -> list[RankedEntity]:
        """Return the highest scores, ties in the graph's order, without zeros."""
        places = sorted(range(len(scores)), key=lambda place: (-scores[place], place))
        return [self._rank_entity(place, scores[place]) for place in places[:top] if scores[place]]

    def _parts(self, parts: list[list[int]]) -> list[EntityCluster]:
        return [
            EntityCluster(
                size=len(part),
                members=[self._rank_entity(p, self._ranks[p]) for p in self._best(part)],
            )
            for part in parts[:PARTS]
            if len(part) > 1
        ]

    def _best(self, part: list[int]) -> list[int]:
        return sorted(part, key=lambda place: (-self._ranks[place], place))[:MEMBERS]

    def _rank_entity(self, place: int, score: float) -> RankedEntity:
        node = self._nodes[place]
        return RankedEntity(
            id=node.key,
            project_id=node.project_id,
            name=node.name,
            node_type=node.node_type,
            score=score,
        )


def _notice(nodes: int, edges: int) -> str:
    left_out = [
        f"Betweenness is not computed above {centrality.MAX_BETWEENNESS_NODES} entities."
        if nodes > centrality.MAX_BETWEENNESS_NODES
        else "",
        f"Above {centrality.MAX_LOUVAIN_EDGES:,} relations communities are less precise."
        if edges > centrality.MAX_LOUVAIN_EDGES
        else "",
    ]
    return " ".join(part for part in left_out if part)


def _count_names(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items(), key=lambda item: (-item[1], item[0])))
