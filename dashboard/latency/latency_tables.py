"""Tables of search latency for the charts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from memory_core.model.search.statistics import (
    HistogramBin,
    Latency,
    LatencyStep,
    OperationStats,
    SearchStats,
    SlowSearch,
)

from ..components.formatting import exact, readable
from .latency_charts import PERCENTILES, WHOLE, latency_of


def latencies_of(stats: SearchStats) -> dict[str, Latency]:
    """Return the latency of the total and of each stage, total first."""
    return {WHOLE: stats.latency, **stats.stages}


def stages_table(stats: SearchStats) -> pd.DataFrame:
    """Return the percentiles of the total and of each stage, in milliseconds."""
    shares = {name: stage.share for name, stage in stats.stages.items()}
    latencies = latencies_of(stats)
    return pd.DataFrame(
        {
            "Stage": [readable(name) for name in latencies],
            "Count": [each.count for each in latencies.values()],
            **{name: [getattr(each, name) for each in latencies.values()] for name in PERCENTILES},
            "Max": [each.longest for each in latencies.values()],
            "Share": [shares.get(name, 1.0) for name in latencies],
        }
    )


def steps_table(steps: Sequence[LatencyStep], stage: str) -> pd.DataFrame:
    """Return the time steps that contain searches."""
    shown = [step for step in steps if latency_of(step, stage).count or step.errors]
    return pd.DataFrame(
        {
            "From": [exact(step.at) for step in shown],
            "Count": [latency_of(step, stage).count for step in shown],
            **{
                name: [getattr(latency_of(step, stage), name) for step in shown]
                for name in PERCENTILES
            },
            "Errors": [step.errors for step in shown],
        }
    )


def bars_table(bars: Sequence[HistogramBin]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "From, ms": [bar.at_least for bar in bars],
            "Below, ms": [bar.below for bar in bars],
            "Searches": [bar.count for bar in bars],
        }
    )


def operations_table(operations: Sequence[OperationStats]) -> pd.DataFrame:
    """Return the latency of each tool, most called first."""
    return pd.DataFrame(
        {
            "Tool": [each.operation for each in operations],
            "Count": [each.latency.count for each in operations],
            "Errors": [each.errors for each in operations],
            "Error rate": [each.error_rate for each in operations],
            **{name: [getattr(each.latency, name) for each in operations] for name in PERCENTILES},
            "Max": [each.latency.longest for each in operations],
        }
    )


def slowest_table(slowest: Sequence[SlowSearch]) -> pd.DataFrame:
    """Return the slowest searches with their query and slowest stages."""
    return pd.DataFrame(
        {
            "ms": [each.milliseconds for each in slowest],
            "Query": [each.query for each in slowest],
            "Results": [each.hits for each in slowest],
            "Slowest stages": [_where(each.stages) for each in slowest],
            "Tool": [each.operation for each in slowest],
            "Client": [each.actor for each in slowest],
            "Project": [each.project_id for each in slowest],
            "When": [exact(each.at) for each in slowest],
        }
    )


def counts_table(counts: Mapping[str, int], *, what: str) -> pd.DataFrame:
    rows = sorted(counts.items(), key=lambda each: (-each[1], each[0]))
    return pd.DataFrame(
        {what: [name.replace(",", ", ") for name, _ in rows], "Searches": [n for _, n in rows]}
    )


def _where(stages: Mapping[str, float]) -> str:
    """Return the slowest stages, slowest first."""
    longest = sorted(stages.items(), key=lambda each: -each[1])[:3]
    return ", ".join(f"{readable(name)} {took:.1f}" for name, took in longest)
