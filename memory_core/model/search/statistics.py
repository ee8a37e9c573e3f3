"""Search statistics: latency, error rate and empty results."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from ..base import Value


class Latency(Value):
    """Latency in milliseconds. Percentiles use the nearest rank; 0 without measurements."""

    count: int = Field(description="Number of measurements.")
    p50: float = Field(description="50th percentile.")
    p90: float = Field(description="90th percentile.")
    p95: float = Field(description="95th percentile.")
    p99: float = Field(description="99th percentile.")
    longest: float = Field(description="Maximum.")


class StageLatency(Latency):
    """Latency of one stage of a search."""

    share: float = Field(description="Share of the total search time, 0 to 1.")


class OperationStats(Value):
    """Statistics of one tool or library call."""

    operation: str = Field(description="Name.")
    latency: Latency
    errors: int = Field(description="Number of calls that failed or were rejected.")
    error_rate: float = Field(description="Their share, 0 to 1.")


class SeriesPoint(Value):
    """Statistics of one interval of the window."""

    at: datetime = Field(description="Start of the interval.")
    count: int = Field(description="Number of searches.")
    p50: float = Field(description="50th percentile of the successful searches, in ms.")
    p95: float = Field(description="95th percentile of the successful searches, in ms.")
    errors: int = Field(description="Number of searches that failed or were rejected.")


class SearchStats(Value):
    """Statistics of the searches in a time window."""

    window: str = Field(description="The window as given.")
    since: datetime = Field(description="Start of the window.")
    project_id: str = Field(description='Project ID; "*" for all projects.')
    count: int = Field(description="Number of searches, including failed ones.")
    latency: Latency = Field(description="Total time of successful searches.")
    stages: dict[str, StageLatency] = Field(description="Time by stage, longest first.")
    errors: dict[str, int] = Field(description="Number of failed searches by error code.")
    error_rate: float = Field(description="Share of searches that failed or were rejected.")
    cache_hit_rate: float = Field(description="Share of required query vectors that were cached.")
    empty_rate: float = Field(description="Share of successful searches without hits.")
    channels: dict[str, int] = Field(description="Number of searches by channels used.")
    operations: list[OperationStats] = Field(
        description="All measured operations, most frequent first."
    )
    series: list[SeriesPoint] = Field(
        default_factory=list, description="Searches over time, in equal intervals, oldest first."
    )
    notice: str = Field("", description="What the numbers do not include.")


class HistogramBin(Value):
    """A bin of the latency histogram."""

    at_least: float = Field(description="Inclusive lower bound in milliseconds.")
    below: float = Field(description="Exclusive upper bound in milliseconds.")
    count: int = Field(description="Count.")


class LatencyStep(Value):
    """Latencies in one interval of the window."""

    at: datetime = Field(description="Start of the interval.")
    errors: int = Field(description="Number of searches that failed or were rejected.")
    latency: Latency = Field(description="Latency of the successful searches.")
    stages: dict[str, Latency] = Field(description="Latency by stage.")


class SlowSearch(Value):
    """A slow search."""

    at: datetime = Field(description="End time.")
    operation: str = Field(description="The tool or library call.")
    actor: str = Field(description="Who searched.")
    project_id: str = Field(description="Project ID.")
    query: str = Field(description="The query; empty if queries are not stored.")
    milliseconds: float = Field(description="Duration in milliseconds.")
    hits: int | None = Field(description="Number of hits.")
    stages: dict[str, float] = Field(description="Milliseconds by stage.")


class RecordedCall(Value):
    """A recorded call."""

    at: datetime = Field(description="End time.")
    operation: str = Field(description="The tool or library call.")
    actor: str = Field(description="The caller.")
    project_id: str = Field(description="Project ID; empty if the call concerns no project.")
    milliseconds: float = Field(description="Duration in milliseconds.")
    hits: int | None = Field(description="Number of hits, for searches.")
    error: str = Field(description="Error code; empty if it succeeded.")


class RecentQuery(Value):
    """A recent search query."""

    query: str = Field(description="The query.")
    actor: str = Field(description="Who searched last.")
    at: datetime = Field(description="Time of the last search.")


class LatencyDetail(Value):
    """Latency histogram, latency over time, and the slowest searches."""

    bars: list[HistogramBin] = Field(description="In ascending order, without gaps.")
    steps: list[LatencyStep] = Field(description="Equal intervals, oldest first.")
    slowest: list[SlowSearch] = Field(description="Successful searches, slowest first.")
