"""The tables beside the figures of the page Latency."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from memory_core.model.search.statistics import (
    Bar,
    Latency,
    LatencyStep,
    OperationStats,
    SearchStats,
    SlowSearch,
)

from ..components.formatting import exact, readable
from .latency_charts import PERCENTILES, WHOLE, latency_of


def latencies_of(stats: SearchStats) -> dict[str, Latency]:
    """Return the latency of the whole and of each stage, the whole first."""
    return {WHOLE: stats.latency, **stats.stages}


def stages_table(stats: SearchStats) -> pd.DataFrame:
    """Return the percentiles of the whole and of each stage, in milliseconds."""
    shares = {name: stage.share for name, stage in stats.stages.items()}
    latencies = latencies_of(stats)
    return pd.DataFrame(
        {
            "Stage": [readable(name) for name in latencies],
            "Timed": [each.count for each in latencies.values()],
            **{name: [getattr(each, name) for each in latencies.values()] for name in PERCENTILES},
            "Longest": [each.longest for each in latencies.values()],
            "Share": [shares.get(name, 1.0) for name in latencies],
        }
    )


def steps_table(steps: Sequence[LatencyStep], stage: str) -> pd.DataFrame:
    """Return the steps in which something was searched."""
    shown = [step for step in steps if latency_of(step, stage).count or step.errors]
    return pd.DataFrame(
        {
            "From": [exact(step.at) for step in shown],
            "Timed": [latency_of(step, stage).count for step in shown],
            **{
                name: [getattr(latency_of(step, stage), name) for step in shown]
                for name in PERCENTILES
            },
            "Errors": [step.errors for step in shown],
        }
    )


def bars_table(bars: Sequence[Bar]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "From, ms": [bar.at_least for bar in bars],
            "Below, ms": [bar.below for bar in bars],
            "Searches": [bar.count for bar in bars],
        }
    )


def operations_table(operations: Sequence[OperationStats]) -> pd.DataFrame:
    """Return everything that was timed, most called first."""
    return pd.DataFrame(
        {
            "Tool": [each.operation for each in operations],
            "Answered": [each.latency.count for each in operations],
            "Errors": [each.errors for each in operations],
            "Error rate": [each.error_rate for each in operations],
            **{name: [getattr(each.latency, name) for each in operations] for name in PERCENTILES},
            "Longest": [each.latency.longest for each in operations],
        }
    )


def slowest_table(slowest: Sequence[SlowSearch]) -> pd.DataFrame:
    """Return the longest searches with what was asked and where the time went."""
    return pd.DataFrame(
        {
            "ms": [each.milliseconds for each in slowest],
            "Query": [each.query for each in slowest],
            "Found": [each.hits for each in slowest],
            "Where the time went": [_where(each.stages) for each in slowest],
            "Tool": [each.operation for each in slowest],
            "By": [each.actor for each in slowest],
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
    """Say which stages took most, the longest first."""
    longest = sorted(stages.items(), key=lambda each: -each[1])[:3]
    return ", ".join(f"{readable(name)} {took:.1f}" for name, took in longest)
