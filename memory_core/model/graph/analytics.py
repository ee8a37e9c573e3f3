"""The graph in numbers: who is central, what belongs together, how it grew."""

from __future__ import annotations

from pydantic import Field

from ..base import Value


class RankedEntity(Value):
    """An entity and its place in a ranking."""

    id: str = Field(description="Id of the entity.")
    project_id: str = Field(description="The project it belongs to.")
    name: str = Field(description="Its name.")
    node_type: str = Field(description="Its type.")
    score: float = Field(description="What it is ranked by.")


class EntityCluster(Value):
    """Entities that belong together."""

    size: int = Field(description="How many entities it has.")
    members: list[RankedEntity] = Field(description="The most central of them, by PageRank.")


class DailyGrowth(Value):
    """What one day brought."""

    day: str = Field(description="The day, in UTC.")
    created: dict[str, int] = Field(description="Rows made, by kind.")
    changed: dict[str, int] = Field(description="Rows changed, by kind.")
    deleted: dict[str, int] = Field(description="Rows deleted, by kind.")


class GraphAnalysis(Value):
    """The active graph in numbers; the same graph gives the same numbers."""

    project_id: str = Field(description='The project; "*" is all of them.')
    entities: int = Field(description="Active entities.")
    relations: int = Field(description="Relations between active entities.")
    density: float = Field(description="Share of the possible relations that exist, 0 to 1.")
    mean_degree: float = Field(description="Relations of an entity, on average.")
    isolated: int = Field(description="Entities without any relation.")
    by_type: dict[str, int] = Field(description="Entities of each type, most first.")
    by_relation: dict[str, int] = Field(description="Relations of each type, most first.")
    pagerank: list[RankedEntity] = Field(description="Whom the relations lead to; scores sum to 1.")
    degree: list[RankedEntity] = Field(description="Who has the most relations.")
    betweenness: list[RankedEntity] = Field(
        description="Who stands between others; empty for large graphs."
    )
    component_count: int = Field(description="How many parts no relation joins.")
    components: list[EntityCluster] = Field(description="The largest of them.")
    community_count: int = Field(description="How many groups are closely connected inside.")
    communities: list[EntityCluster] = Field(description="The largest of them.")
    growth: list[DailyGrowth] = Field(
        description="Day by day, oldest first; quiet days are left out."
    )
    notice: str = Field("", description="What was left out, and why.")
