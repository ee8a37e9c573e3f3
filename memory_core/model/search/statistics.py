"""Search latency, failure and empty-result statistics."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from ..base import Value


class Latency(Value):
    """Milliseconds by nearest rank: each is one that really occurred; 0 if there was none."""

    count: int = Field(description="How many were timed.")
    p50: float = Field(description="Half took no longer.")
    p90: float = Field(description="Nine of ten took no longer.")
    p95: float = Field(description="95 of 100 took no longer.")
    p99: float = Field(description="99 of 100 took no longer.")
    longest: float = Field(description="The longest.")


class StageLatency(Latency):
    """One stage of a search."""

    share: float = Field(description="Its part of the whole time of all searches, 0 to 1.")


class OperationStats(Value):
    """One operation: a tool, or a call of the library."""

    operation: str = Field(description="Its name.")
    latency: Latency
    errors: int = Field(description="How many calls failed or were refused.")
    error_rate: float = Field(description="Their share, 0 to 1.")


class SeriesPoint(Value):
    """What happened in one step of the window."""

    at: datetime = Field(description="When the step begins.")
    count: int = Field(description="How many searches.")
    p50: float = Field(description="Half of those that answered took no longer, in ms.")
    p95: float = Field(description="95 of 100 of those that answered took no longer, in ms.")
    errors: int = Field(description="How many failed or were refused.")


class SearchStats(Value):
    """Searches within a window of time."""

    window: str = Field(description="The window as it was given.")
    since: datetime = Field(description="When it begins.")
    project_id: str = Field(description='The project; "*" is all of them.')
    count: int = Field(description="How many searches, failed ones included.")
    latency: Latency = Field(description="Of searches that answered, from request to answer.")
    stages: dict[str, StageLatency] = Field(description="The same by stage, longest first.")
    errors: dict[str, int] = Field(description="How many searches failed, by error code.")
    error_rate: float = Field(description="Share of searches that failed or were refused.")
    cache_hit_rate: float = Field(
        description="Share with a known query vector, of those that needed one."
    )
    empty_rate: float = Field(description="Share that found nothing, of those that answered.")
    channels: dict[str, int] = Field(description="How many were answered by which channels.")
    operations: list[OperationStats] = Field(description="Everything timed, most called first.")
    series: list[SeriesPoint] = Field(
        default_factory=list, description="Searches over time, in equal steps, oldest first."
    )
    notice: str = Field("", description="What the numbers leave out.")


class HistogramBin(Value):
    """Searches that took about equally long."""

    at_least: float = Field(description="Milliseconds from which on they are counted here.")
    below: float = Field(description="Milliseconds from which on they are not.")
    count: int = Field(description="How many.")


class LatencyStep(Value):
    """Searches within one step of the window."""

    at: datetime = Field(description="When the step begins.")
    errors: int = Field(description="How many failed or were refused.")
    latency: Latency = Field(description="Of those that answered.")
    stages: dict[str, Latency] = Field(description="The same by stage.")


class SlowSearch(Value):
    """A search that took long."""

    at: datetime = Field(description="When it ended.")
    operation: str = Field(description="The tool or call.")
    actor: str = Field(description="Who searched.")
    project_id: str = Field(description="Where.")
    query: str = Field(description="What for; empty where queries are not kept.")
    milliseconds: float = Field(description="How long it took.")
    hits: int | None = Field(description="How much it found.")
    stages: dict[str, float] = Field(description="Milliseconds by stage.")


class RecordedCall(Value):
    """One call, as it ended."""

    at: datetime = Field(description="When it ended.")
    operation: str = Field(description="The tool or call.")
    actor: str = Field(description="Who called.")
    project_id: str = Field(description="Where; empty where it concerns no project.")
    milliseconds: float = Field(description="How long it took.")
    hits: int | None = Field(description="How much it found, if it looked for something.")
    error: str = Field(description="The code of its error; empty if it answered.")


class RecentQuery(Value):
    """Something that was looked for by words."""

    query: str = Field(description="The words.")
    actor: str = Field(description="Who asked last.")
    at: datetime = Field(description="When that was.")


class LatencyDetail(Value):
    """How latencies are spread, over values and over time, and the longest of them."""

    bars: list[HistogramBin] = Field(
        description="From the shortest to the longest, none left out between."
    )
    steps: list[LatencyStep] = Field(description="Equal steps, oldest first.")
    slowest: list[SlowSearch] = Field(description="Those that answered, longest first.")
