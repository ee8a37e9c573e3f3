"""Charts of search latency; each has its table in latency_tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from memory_core.model.search.statistics import HistogramBin, Latency, LatencyStep

from ..charts import BAR, INK, stage_colour, template
from ..components.colours import Theme
from ..components.formatting import format_count, milliseconds, readable

# One colour, distinguished by dash and by a label at the end of the line.
PERCENTILES: Mapping[str, tuple[str, float, float]] = {
    "p50": ("solid", 2.4, 1.0),
    "p90": ("solid", 1.2, 0.8),
    "p95": ("dash", 1.2, 0.8),
    "p99": ("dot", 1.2, 0.8),
}
ACCENT: Mapping[Theme, str] = {"light": "#3b5bdb", "dark": "#9db0ff"}
WHOLE = "total"


def stage_ranges(latencies: Mapping[str, Latency], theme: Theme) -> go.Figure:
    """Plot the percentiles of the total and of each stage."""
    names = list(latencies)[::-1]
    figure = go.Figure()
    for name in names:
        figure.add_trace(_range(name, latencies[name], theme))
    figure.update_layout(template=template(theme), height=BAR * len(names) + 44)
    figure.update_xaxes(type="log", ticksuffix=" ms", nticks=8, dtick=1, automargin=True)
    figure.update_yaxes(showgrid=False, automargin=True, ticklabelstandoff=6)
    return figure


def over_time(
    steps: Sequence[LatencyStep], stage: str, theme: Theme, *, span: tuple[Any, Any]
) -> go.Figure:
    """Plot the percentiles of the total or of one stage over time."""
    colour = ACCENT[theme] if stage == WHOLE else stage_colour(stage, theme)
    shown = [(step, latency) for step in steps if (latency := latency_of(step, stage)).count]
    figure = go.Figure()
    for name, (dash, width, opacity) in PERCENTILES.items():
        figure.add_trace(
            go.Scatter(
                x=[step.at for step, _ in shown],
                y=[getattr(latency, name) for _, latency in shown],
                mode="lines+markers",
                name=name,
                line={"color": colour, "dash": dash, "width": width},
                marker={"size": 5 if name == "p50" else 3},
                opacity=opacity,
                customdata=[
                    format_count(latency.count, "search", "searches") for _, latency in shown
                ],
                hovertemplate=f"{name} %{{y:.2f}} ms<br>%{{x}}<br>%{{customdata}}<extra></extra>",
            )
        )
    figure.update_layout(template=template(theme), height=240, margin={"r": 8, "t": 8})
    figure.update_layout(showlegend=True, legend={"orientation": "h", "y": 1.12, "x": 0})
    figure.update_xaxes(range=list(span), showgrid=False, automargin=True, ticklabelstandoff=8)
    figure.update_yaxes(rangemode="tozero", ticksuffix=" ms", automargin=True, ticklabelstandoff=6)
    return figure


def histogram(bars: Sequence[HistogramBin], theme: Theme) -> go.Figure:
    """Plot the distribution of durations, in logarithmic bins."""
    labels = [f"{bar.at_least:g}" for bar in bars]
    figure = go.Figure(
        go.Bar(
            x=labels,
            y=[bar.count for bar in bars],
            marker={"color": ACCENT[theme]},
            customdata=[f"{milliseconds(b.at_least)} to {milliseconds(b.below)}" for b in bars],
            hovertemplate="%{customdata}: %{y}<extra></extra>",
        )
    )
    figure.update_layout(template=template(theme), height=220, bargap=0.12, margin={"t": 4})
    title = {"text": "milliseconds (lower bound)", "font": {"size": 12}, "standoff": 8}
    figure.update_xaxes(type="category", showgrid=False, title=title, automargin=True, nticks=12)
    most = max((bar.count for bar in bars), default=0)
    searches = {"text": "searches", "font": {"size": 12}, "standoff": 4}
    # Counts are whole numbers.
    figure.update_yaxes(title=searches, automargin=True, dtick=max(1, -(-most // 5)))
    return figure


def latency_of(step: LatencyStep, stage: str) -> Latency:
    """Return the latency of the total, or of a stage, in one time step."""
    if stage == WHOLE:
        return step.latency
    return step.stages.get(stage) or Latency(count=0, p50=0, p90=0, p95=0, p99=0, longest=0)


def _range(name: str, latency: Latency, theme: Theme) -> go.Scatter:
    colour = INK[theme][0] if name == WHOLE else stage_colour(name, theme)
    marks = list(PERCENTILES)
    return go.Scatter(
        x=[getattr(latency, mark) for mark in marks],
        y=[readable(name)] * len(marks),
        mode="lines+markers",
        name=readable(name),
        line={"color": colour, "width": 2},
        marker={
            "size": [11, 7, 7, 7],
            "symbol": ["circle", "line-ns-open", "line-ns-open", "circle-open"],
            "color": colour,
        },
        customdata=marks,
        hovertemplate="%{y} %{customdata}: %{x:.2f} ms<extra></extra>",
    )
