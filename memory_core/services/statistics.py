"""Search statistics, from the timings that every call leaves behind."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from datetime import datetime, timedelta

from ..ambient import stamp
from ..model.statistics import (
    Latency,
    OperationStats,
    SearchStats,
    SeriesPoint,
    StageLatency,
)
from ..rules import limits
from ..rules.percentiles import percentile
from ..rules.windows import window as window_of
from ..storage import statistics as rows
from ..storage.database import Database
from ..storage.statistics import Timing
from ..telemetry import Telemetry

# Calls that look something up by words; everything else is timed as well, but apart.
SEARCHES = frozenset(
    {"search", "search_memory", "search_knowledge", "memory_query", "recall", "qna_with_context"}
)
# Steps of the series: a chart's width, and seconds even at the finest.
STEPS = 60
# Timings read at most: some 30 MB while they are summed up.
MOST = 200_000


class Statistics:
    """Says how fast searches are and how they end."""

    def __init__(self, db: Database, telemetry: Telemetry) -> None:
        self._db = db
        self._telemetry = telemetry

    def search_stats(
        self, window: str = "24h", *, project_id: str = "*", series: bool = True
    ) -> SearchStats:
        """Return counts, latencies and rates of all that ended within the window up to now."""
        length = window_of(window)
        project_id = limits.project(project_id, all_allowed=True)
        self._telemetry.flush()
        now = self._db.clock()
        since = now - length
        with self._db.read() as connection:
            timings = rows.timings(
                connection, stamp(since), stamp(now), project_id=project_id, limit=MOST + 1
            )
        shown = timings[:MOST]
        searches = [timing for timing in shown if timing.operation in SEARCHES]
        answered = [timing for timing in searches if not timing.error]
        errors = Counter(timing.error for timing in searches if timing.error)
        return SearchStats(
            window=window,
            since=since,
            project_id=project_id,
            count=len(searches),
            latency=_latency(timing.milliseconds for timing in answered),
            stages=_stages(answered),
            errors=dict(errors),
            error_rate=_rate(len(searches) - len(answered), len(searches)),
            cache_hit_rate=_mean(t.cached for t in answered if t.cached is not None),
            empty_rate=_mean(t.hits == 0 for t in answered if t.hits is not None),
            channels=dict(Counter(timing.channels for timing in answered if timing.channels)),
            operations=_operations(shown),
            series=_series(searches, since, length) if series else [],
            notice=f"Only the newest {MOST:,} calls were summed up." if len(timings) > MOST else "",
        )


def _latency(milliseconds: Iterable[float]) -> Latency:
    ordered = sorted(milliseconds)
    return Latency(
        count=len(ordered),
        p50=percentile(ordered, 50),
        p90=percentile(ordered, 90),
        p95=percentile(ordered, 95),
        p99=percentile(ordered, 99),
        longest=percentile(ordered, 100),
    )


def _stages(answered: list[Timing]) -> dict[str, StageLatency]:
    taken: dict[str, list[float]] = defaultdict(list)
    for timing in answered:
        for stage, milliseconds in timing.stages.items():
            taken[stage].append(milliseconds)
    whole = sum(timing.milliseconds for timing in answered)
    by_share = sorted(taken.items(), key=lambda item: (-sum(item[1]), item[0]))
    return {
        stage: StageLatency(share=_rate(sum(took), whole), **dict(_latency(took)))
        for stage, took in by_share
    }


def _operations(timings: list[Timing]) -> list[OperationStats]:
    by_name: dict[str, list[Timing]] = defaultdict(list)
    for timing in timings:
        by_name[timing.operation].append(timing)
    found = []
    for name, calls in sorted(by_name.items(), key=lambda item: (-len(item[1]), item[0])):
        errors = sum(bool(call.error) for call in calls)
        latency = _latency(call.milliseconds for call in calls if not call.error)
        rate = _rate(errors, len(calls))
        found.append(
            OperationStats(operation=name, latency=latency, errors=errors, error_rate=rate)
        )
    return found


def _series(searches: list[Timing], since: datetime, length: timedelta) -> list[SeriesPoint]:
    step = length / STEPS
    inside: dict[int, list[Timing]] = defaultdict(list)
    for timing in searches:
        place = int((datetime.fromisoformat(timing.at) - since) / step)
        inside[min(max(place, 0), STEPS - 1)].append(timing)
    return [_point(since + step * place, inside[place]) for place in range(STEPS)]


def _point(at: datetime, searches: list[Timing]) -> SeriesPoint:
    answered = _latency(timing.milliseconds for timing in searches if not timing.error)
    return SeriesPoint(
        at=at,
        count=len(searches),
        p50=answered.p50,
        p95=answered.p95,
        errors=len(searches) - answered.count,
    )


def _mean(values: Iterable[int | bool]) -> float:
    counted = [int(value) for value in values]
    return _rate(sum(counted), len(counted))


def _rate(part: float, whole: float) -> float:
    return round(part / whole, 4) if whole else 0.0
