"""Tools: graph analytics and search statistics."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from ...memory import Memory
from ...model.graph.analytics import GraphAnalysis
from ...model.search.statistics import SearchStats
from ..calls import parameters as p
from ..calls.registry import tool


@tool(title="Search statistics", reads=True)
def search_stats(
    memory: Memory,
    window: Annotated[str, Field(description="Time window: 15m, 1h, 24h, 7d, 30d, ...")] = "24h",
    project_id: p.AnyProjectId = "*",
) -> SearchStats:
    """Return the number of searches, latency percentiles by stage, and failure and empty-result
    rates."""
    return memory.statistics.search_stats(window, project_id=project_id, series=False)


@tool(title="Analyze graph", reads=True)
def analyze_graph(memory: Memory, project_id: p.AnyProjectId = "default") -> GraphAnalysis:
    """Return central entities, connected components and communities of the graph, and its growth
    in 30 days."""
    return memory.analytics.analyze_graph(project_id=project_id, days=30)
