"""Search statistics, from the recorded timings of calls."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable
from datetime import datetime, timedelta
from itertools import pairwise

from ..clock import format_timestamp
from ..model.search.statistics import (
    HistogramBin,
    Latency,
    LatencyDetail,
    LatencyStep,
    OperationStats,
    RecentQuery,
    RecordedCall,
    SearchStats,
    SeriesPoint,
    StageLatency,
)
from ..rules import limits
from ..rules.percentiles import histogram_edges, percentile
from ..rules.time_windows import parse_window
from ..storage import statistics as rows
from ..storage.database import Database
from ..storage.statistics import Timing
from ..telemetry import Telemetry

# Calls that count as searches; other calls are timed separately.
SEARCHES = frozenset(
    {"search", "search_memory", "search_knowledge", "memory_query", "recall", "qna_with_context"}
)
# Steps of a series: the width of a chart, and at least a second each.
STEPS = 60
# Maximum number of timings read: about 30 MB.
MOST = 200_000
# Number of the newest searches from which distinct queries are collected.
LATELY = 500


class Statistics:
    """Search latencies, outcomes and recent queries."""

    def __init__(self, db: Database, telemetry: Telemetry) -> None:
        self._db = db
        self._telemetry = telemetry

    def search_stats(
        self, window: str = "24h", *, project_id: str = "*", series: bool = True
    ) -> SearchStats:
        """Return counts, latencies and rates of calls that ended within the window."""
        length = parse_window(window)
        project_id = limits.validate_project(project_id, all_allowed=True)
        self._telemetry.flush()
        now = self._db.clock()
        since = now - length
        with self._db.read() as connection:
            timings = rows.timings(
                connection,
                format_timestamp(since),
                format_timestamp(now),
                project_id=project_id,
                limit=MOST + 1,
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
            notice=f"Only the newest {MOST:,} calls were counted." if len(timings) > MOST else "",
        )

    def query_detail(
        self, window: str = "24h", *, project_id: str = "*", slowest: int = 20
    ) -> LatencyDetail:
        """Return the distribution of search latencies, and the slowest searches."""
        length = parse_window(window)
        project_id = limits.validate_project(project_id, all_allowed=True)
        limit = limits.validate_page_size(slowest)
        self._telemetry.flush()
        now = self._db.clock()
        since = now - length
        bounds = (format_timestamp(since), format_timestamp(now))
        with self._db.read() as connection:
            timings = rows.timings(connection, *bounds, project_id=project_id, limit=MOST)
            longest = rows.slowest(
                connection, *bounds, project_id=project_id, operations=SEARCHES, limit=limit
            )
        searches = [timing for timing in timings if timing.operation in SEARCHES]
        return LatencyDetail(
            bars=_bars([timing.milliseconds for timing in searches if not timing.error]),
            steps=_steps(searches, since, length),
            slowest=longest,
        )

    def call_statistics(
        self, *, project_id: str = "*", but_by: str = "", limit: int = 20
    ) -> list[RecordedCall]:
        """Return calls, newest first, without those of the actor *but_by*."""
        project_id = limits.validate_project(project_id, all_allowed=True)
        self._telemetry.flush()
        with self._db.read() as connection:
            return rows.newest(
                connection,
                project_id=project_id,
                but_by=but_by,
                limit=limits.validate_page_size(limit),
            )

    def recent_questions(self, *, project_id: str = "*", limit: int = 20) -> list[RecentQuery]:
        """Return recent distinct queries, newest first; empty where queries are not kept."""
        project_id = limits.validate_project(project_id, all_allowed=True)
        limit = limits.validate_page_size(limit)
        self._telemetry.flush()
        with self._db.read() as connection:
            asked = rows.recent_queries(
                connection, project_id=project_id, operations=SEARCHES, limit=LATELY
            )
        # Of a repeated query, the newest call is kept.
        newest = {each.query: each for each in reversed(asked)}
        return sorted(newest.values(), key=lambda each: each.at, reverse=True)[:limit]


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
    taken = _by_stage(answered)
    whole = sum(timing.milliseconds for timing in answered)
    by_share = sorted(taken.items(), key=lambda item: (-sum(item[1]), item[0]))
    return {
        stage: StageLatency(share=_rate(sum(took), whole), **dict(_latency(took)))
        for stage, took in by_share
    }


def _by_stage(answered: list[Timing]) -> dict[str, list[float]]:
    taken: dict[str, list[float]] = defaultdict(list)
    for timing in answered:
        for stage, milliseconds in timing.stages.items():
            taken[stage].append(milliseconds)
    return taken


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


def _bars(milliseconds: list[float]) -> list[HistogramBin]:
    if not milliseconds:
        return []
    bounds = histogram_edges(min(milliseconds), max(milliseconds))
    counts = Counter(bisect_right(bounds, took) - 1 for took in milliseconds)
    return [
        HistogramBin(at_least=least, below=below, count=counts[place])
        for place, (least, below) in enumerate(pairwise(bounds))
    ]


def _steps(searches: list[Timing], since: datetime, length: timedelta) -> list[LatencyStep]:
    found = []
    for at, inside in _inside_steps(searches, since, length):
        answered = [timing for timing in inside if not timing.error]
        found.append(
            LatencyStep(
                at=at,
                errors=len(inside) - len(answered),
                latency=_latency(timing.milliseconds for timing in answered),
                stages={name: _latency(took) for name, took in _by_stage(answered).items()},
            )
        )
    return found


def _series(searches: list[Timing], since: datetime, length: timedelta) -> list[SeriesPoint]:
    return [_point(at, inside) for at, inside in _inside_steps(searches, since, length)]


def _inside_steps(
    searches: list[Timing], since: datetime, length: timedelta
) -> list[tuple[datetime, list[Timing]]]:
    step = length / STEPS
    inside: dict[int, list[Timing]] = defaultdict(list)
    for timing in searches:
        place = int((datetime.fromisoformat(timing.at) - since) / step)
        inside[min(max(place, 0), STEPS - 1)].append(timing)
    return [(since + step * place, inside[place]) for place in range(STEPS)]


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
