"""Page Latency: search latency by stage, failures and empty results."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from dashboard import charts, state
from dashboard.components.elements import Part, part, show
from dashboard.components.formatting import format_count, milliseconds, readable
from dashboard.components.lazy_tabs import fold
from dashboard.latency import latency_charts
from dashboard.latency import latency_tables as tables
from dashboard.latency.latency_charts import PERCENTILES, WHOLE
from memory_core.model.search.statistics import LatencyDetail, SearchStats

WINDOWS = {
    "15m": "the last 15 minutes",
    "1h": "the last hour",
    "24h": "the last 24 hours",
    "7d": "the last 7 days",
    "30d": "the last 30 days",
}
SLOWEST = 20
ROW = 35


def page() -> None:
    heading = st.container()
    with st.container(horizontal=True, vertical_alignment="center"):
        window = st.segmented_control(
            "Window",
            list(WINDOWS),
            default="24h",
            required=True,
            label_visibility="collapsed",
            key="latency_window",
        )
        st.button("Look again", key="latency_again")
    project = state.project()
    statistics = state.memory().statistics
    stats = statistics.search_stats(window, project_id=project, series=False)
    with heading:
        st.title(_sentence(stats))
    if stats.notice:
        show(part("p", "faint", stats.notice), key="latency_notice")
    if not stats.count:
        _empty(stats)
        return
    detail = statistics.query_detail(window, project_id=project, slowest=SLOWEST)
    _figures(stats)
    show(*strip(stats), key="latency_strip")
    _charts(stats, detail)
    st.subheader("Slowest searches")
    _slowest(detail)
    _tools(stats)


def _sentence(stats: SearchStats) -> str:
    when = WINDOWS[stats.window]
    if not stats.count:
        return f"Nothing was searched in {when}"
    what = format_count(stats.count, "search", "searches")
    if not stats.latency.count:
        return f"{what} in {when}, and none was answered"
    return f"{what} in {when}, half of them within {milliseconds(stats.latency.p50)}"


def _figures(stats: SearchStats) -> None:
    figures = (
        ("95 of 100 within", milliseconds(stats.latency.p95), "The 95th percentile."),
        ("Errors", _percent(stats.error_rate), "Searches that failed or were refused."),
        ("Found nothing", _percent(stats.empty_rate), "Of the searches that answered."),
        (
            "Query known",
            _percent(stats.cache_hit_rate),
            "Its vector was still there, of those searches that needed one.",
        ),
    )
    with st.container(horizontal=True):
        for label, value, meaning in figures:
            st.metric(label, value, help=meaning, width=170)


def strip(stats: SearchStats) -> list[Part]:
    """Return the percentiles of the whole in one line."""
    marks = [
        part("span", "", f"{name} ", part("span", "strong number", milliseconds(value)))
        for name in PERCENTILES
        if (value := getattr(stats.latency, name)) is not None
    ]
    longest = part("span", "faint", f"longest {milliseconds(stats.latency.longest)}")
    return [part("div", "line", *marks, longest)]


def _charts(stats: SearchStats, detail: LatencyDetail) -> None:
    theme = state.theme()
    left, right = st.columns([3, 2], gap="large")
    with left:
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.subheader("Over time")
            stage = st.selectbox(
                "Stage",
                list(tables.latencies_of(stats)),
                format_func=readable,
                label_visibility="collapsed",
                width=160,
            )
        stage = str(stage or WHOLE)
        span = (stats.since, state.memory().db.clock())
        figure = latency_charts.over_time(detail.steps, stage, theme, span=span)
        _chart(figure, tables.steps_table(detail.steps, stage), "over_time")
    with right:
        st.subheader("Where the time goes")
        figure = latency_charts.stage_ranges(tables.latencies_of(stats), theme)
        _chart(figure, tables.stages_table(stats), "stage_ranges")
        st.caption("filled: half of them; open: 99 of 100; between them 90 and 95")
    with left:
        st.subheader("How they are spread")
        figure = latency_charts.histogram(detail.bars, theme)
        _chart(figure, tables.bars_table(detail.bars), "histogram")
    with right:
        st.subheader("How they ended")
        _table(tables.counts_table(stats.channels, what="Answered by"), "channels")
        if stats.errors:
            _table(tables.counts_table(stats.errors, what="Failed with"), "errors")


def _chart(figure: object, table: pd.DataFrame, key: str) -> None:
    st.plotly_chart(figure, theme=None, config=charts.CONFIG, key=key)
    fold("As a table", lambda: _table(table, f"{key}_table"), key=f"{key}_as_table")


def _slowest(detail: LatencyDetail) -> None:
    if not state.memory().settings.trace_queries:
        st.write(
            "What was asked is not kept, for the setting TRACE_QUERIES says so; times alone are."
        )
    _table(tables.slowest_table(detail.slowest), "slowest")


def _tools(stats: SearchStats) -> None:
    fold(
        f"Every tool that was timed: {len(stats.operations)}",
        lambda: _table(tables.operations_table(stats.operations), "operations"),
        key="tools_as_table",
    )


def _empty(stats: SearchStats) -> None:
    st.write(
        "Every search leaves its time, stage by stage, and how it ended; this page then shows "
        "percentiles over time, where the time goes, and which searches were slowest. Choose a "
        "longer window, or ask something."
    )
    st.page_link("views/search.py", label="Search something")
    if stats.operations:
        _tools(stats)


def _table(table: pd.DataFrame, key: str) -> None:
    """Show a table with durations to a tenth and shares as percent."""
    columns: dict[str, Any] = {
        name: st.column_config.NumberColumn(format="%.2f")
        for name in (*PERCENTILES, "Max", "ms")
        if name in table
    }
    for name in ("Share", "Error rate"):
        if name in table:
            columns[name] = st.column_config.NumberColumn(format="percent")
    st.dataframe(table, hide_index=True, column_config=columns, key=key)


def _percent(share: float) -> str:
    return f"{share * 100:.0f} %" if share in (0.0, 1.0) else f"{share * 100:.1f} %"


page()
