"""The graph and its use in numbers."""

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
    window: Annotated[str, Field(description="How far back: 15m, 1h, 24h, 7d, 30d, ...")] = "24h",
    project_id: p.AnyProjectId = "*",
) -> SearchStats:
    """Return how many searches there were, how long each stage took, and how often they failed."""
    return memory.statistics.search_stats(window, project_id=project_id, series=False)


@tool(title="Analyze graph", reads=True)
def analyze_graph(memory: Memory, project_id: p.AnyProjectId = "default") -> GraphAnalysis:
    """Return who is central in the graph, its parts and communities, and how it grew in 30 days."""
    return memory.analytics.analyze_graph(project_id=project_id, days=30)
