"""Graph metrics: centrality, components, communities and growth."""

from __future__ import annotations

from pydantic import Field

from ..base import Value


class RankedEntity(Value):
    """An entity and its score in a ranking."""

    id: str = Field(description="Entity ID.")
    project_id: str = Field(description="Project ID.")
    name: str = Field(description="Name.")
    node_type: str = Field(description="Entity type.")
    score: float = Field(description="Value it is ranked by.")


class EntityCluster(Value):
    """A connected component or community."""

    size: int = Field(description="Number of entities.")
    members: list[RankedEntity] = Field(description="Its most central entities, by PageRank.")


class DailyGrowth(Value):
    """Numbers of changes on one day."""

    day: str = Field(description="The day, in UTC.")
    created: dict[str, int] = Field(description="Number of created rows, by kind.")
    changed: dict[str, int] = Field(description="Number of updated rows, by kind.")
    deleted: dict[str, int] = Field(description="Number of deleted rows, by kind.")


class GraphAnalysis(Value):
    """Metrics of the active graph. Deterministic for the same graph."""

    project_id: str = Field(description='Project ID; "*" for all projects.')
    entities: int = Field(description="Number of active entities.")
    relations: int = Field(description="Number of relations between active entities.")
    density: float = Field(description="Share of possible relations that exist, 0 to 1.")
    mean_degree: float = Field(description="Mean number of relations per entity.")
    isolated: int = Field(description="Number of entities without relations.")
    by_type: dict[str, int] = Field(description="Number of entities by type, descending.")
    by_relation: dict[str, int] = Field(description="Number of relations by type, descending.")
    pagerank: list[RankedEntity] = Field(description="Entities by PageRank; all scores sum to 1.")
    degree: list[RankedEntity] = Field(description="Entities by number of relations.")
    betweenness: list[RankedEntity] = Field(
        description="Entities by betweenness centrality; empty for large graphs."
    )
    component_count: int = Field(description="Number of connected components.")
    components: list[EntityCluster] = Field(description="The largest of them.")
    community_count: int = Field(description="Number of communities (densely connected groups).")
    communities: list[EntityCluster] = Field(description="The largest of them.")
    growth: list[DailyGrowth] = Field(
        description="Changes per day, oldest first; days without changes are left out."
    )
    notice: str = Field("", description="What was left out, and why.")
