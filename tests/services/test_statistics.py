from __future__ import annotations

import pytest

from memory_core import ValidationError
from memory_core.clock import format_timestamp
from memory_core.storage import traces
from memory_core.storage.traces import TraceRow


def record(memory, clock, **call):
    values = {"actor": "x", "project_id": "p", "operation": "search_memory", "milliseconds": 1.0}
    with memory.db.note() as connection:
        traces.insert(connection, [TraceRow(at=format_timestamp(clock()), **{**values, **call})])


def test_searches_are_counted_timed_and_rated(memory, clock):
    for n in range(1, 101):
        record(
            memory,
            clock,
            milliseconds=float(n),
            stages={"embed": n / 2, "lexical": n / 4},
            hits=0 if n <= 10 else 3,
            cached=int(n <= 25),
            channels="lexical+vector",
        )
    for code in ("INVALID_INPUT", "INVALID_INPUT", "BUG"):
        record(memory, clock, milliseconds=0.1, error=code)
    record(memory, clock, operation="create_entity", milliseconds=1000.0)

    stats = memory.statistics.search_stats("1h")

    assert (103, 100) == (stats.count, stats.latency.count)
    assert (50, 90, 95, 99, 100) == (
        stats.latency.p50,
        stats.latency.p90,
        stats.latency.p95,
        stats.latency.p99,
        stats.latency.longest,
    )
    assert ["embed", "lexical"] == list(stats.stages)
    assert (47.5, 0.5) == (stats.stages["embed"].p95, stats.stages["embed"].share)
    assert {"INVALID_INPUT": 2, "BUG": 1} == stats.errors
    assert (0.0291, 0.25, 0.1) == (stats.error_rate, stats.cache_hit_rate, stats.empty_rate)
    assert {"lexical+vector": 100} == stats.channels
    assert [("search_memory", 3), ("create_entity", 0)] == [
        (each.operation, each.errors) for each in stats.operations
    ]


def test_statistics_respect_window_and_project(memory, clock):
    record(memory, clock)
    clock.advance(hours=2)
    record(memory, clock)
    record(memory, clock, project_id="other")

    counts = [
        memory.statistics.search_stats(window, project_id=project).count
        for window, project in (("1h", "*"), ("1h", "p"), ("24h", "p"), ("24h", "missing"))
    ]

    assert [2, 1, 2, 0] == counts


def test_the_series_covers_the_window_in_equal_steps(memory, clock):
    record(memory, clock, milliseconds=5.0)
    clock.advance(minutes=30)
    record(memory, clock, milliseconds=7.0)
    record(memory, clock, error="BUG")
    clock.advance(minutes=30)

    series = memory.statistics.search_stats("1h").series

    assert 60 == len(series)
    assert {0: (1, 5.0, 0), 30: (2, 7.0, 1)} == {
        place: (point.count, point.p50, point.errors)
        for place, point in enumerate(series)
        if point.count
    }
    assert series[0].at + (series[1].at - series[0].at) * 60 == clock()


def test_a_real_search_is_in_the_statistics_at_once(memory):
    memory.graph.create_entity("Ann", "person", observations=["likes tea"])
    memory.search.search_memory("tea")
    memory.search.search_memory("tea", project_id="empty")

    stats = memory.statistics.search_stats("15m")

    assert 2 == stats.count
    assert 0.5 == stats.empty_rate
    assert stats.stages


def test_empty_statistics_and_invalid_windows(memory):
    empty = memory.statistics.search_stats()

    assert (0, 0, 0.0, {}) == (empty.count, empty.latency.p99, empty.error_rate, empty.stages)
    with pytest.raises(ValidationError):
        memory.statistics.search_stats("yesterday")


def test_latency_detail_has_histogram_and_series(memory, clock):
    record(memory, clock, milliseconds=1.1, stages={"embed": 1.0})
    record(memory, clock, milliseconds=1.2)
    clock.advance(minutes=30)
    record(memory, clock, milliseconds=4.5, stages={"embed": 4.0})
    record(memory, clock, milliseconds=0.1, error="BUG")
    clock.advance(minutes=30)

    detail = memory.statistics.query_detail("1h")

    assert [(1.0, 2), (4.0, 1)] == [(bar.at_least, bar.count) for bar in detail.bars if bar.count]
    assert detail.bars[0].below == detail.bars[1].at_least
    first, second = [step for step in detail.steps if step.latency.count or step.errors]
    assert (2, 0, 1.0) == (first.latency.count, first.errors, first.stages["embed"].p50)
    assert (1, 1, 4.5) == (second.latency.count, second.errors, second.latency.p99)


def test_slowest_searches_are_ordered_by_duration(memory, clock):
    for milliseconds, query in ((3.0, "tea"), (9.0, "cake"), (5.0, "jam")):
        record(memory, clock, milliseconds=milliseconds, query=query, hits=2)
    record(memory, clock, milliseconds=50.0, operation="create_entity")
    record(memory, clock, milliseconds=60.0, error="BUG")
    record(memory, clock, milliseconds=70.0, project_id="other")

    slowest = memory.statistics.query_detail("1h", project_id="p", slowest=2).slowest

    assert [("cake", 9.0, 2), ("jam", 5.0, 2)] == [
        (each.query, each.milliseconds, each.hits) for each in slowest
    ]


def test_latency_detail_of_no_searches_is_empty(memory):
    detail = memory.statistics.query_detail("1h")

    assert ([], [], 60) == (detail.bars, detail.slowest, len(detail.steps))


def test_recent_calls_are_listed_with_actor_and_result(memory, clock):
    record(memory, clock, operation="search_memory", hits=3)
    record(memory, clock, operation="create_entity", error="CONFLICT", project_id="q")
    record(memory, clock, operation="search", actor="dashboard")

    every = memory.statistics.call_statistics(but_by="dashboard")
    of_q = memory.statistics.call_statistics(project_id="q")
    newest = memory.statistics.call_statistics(limit=1)

    assert [("create_entity", "CONFLICT", None), ("search_memory", "", 3)] == [
        (call.operation, call.error, call.hits) for call in every
    ]
    assert ["create_entity"] == [call.operation for call in of_q]
    assert ["search"] == [call.operation for call in newest]


def test_recent_queries_are_listed_once(memory, clock):
    for number, (query, by) in enumerate([("ferry", "a"), ("seat", "b"), ("ferry", "c")]):
        record(memory, clock, query=query, actor=by, operation="search_memory")
        clock.advance(seconds=number + 1)
    record(memory, clock, query="elsewhere", project_id="q")
    record(memory, clock, query="no search", operation="create_entity")

    asked = memory.statistics.recent_questions(project_id="p")

    assert [("ferry", "c"), ("seat", "b")] == [(each.query, each.actor) for each in asked]
    assert ["elsewhere"] == [each.query for each in memory.statistics.recent_questions(limit=1)]
