"""Values as Plotly figures: one template a theme, direct labels, nothing that says nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from memory_core.model.graph.analytics import DailyGrowth

from .components.colours import FAMILIES, UNKNOWN, Theme, mark
from .components.formatting import milliseconds, number

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif"
INK: Mapping[Theme, tuple[str, str]] = {
    "light": ("#0f141c", "#e1e5ea"),
    "dark": ("#e3e7ed", "#2b323d"),
}
CONFIG = {"displaylogo": False, "modeBarButtons": [["toImage"]]}

# Stages of a search in the order they run, each with the family that lends its colour.
STAGES = {
    "understand": "texts",
    "embed": "people",
    "catch_up": "life",
    "filter": "time",
    "lexical": "work",
    "vector": "ideas",
    "rank": "tools",
    "rerank": "system",
    "load": "numbers",
}
# What can be done to a row, each with the family that lends its colour.
DEEDS = {"created": "work", "changed": "tools", "deleted": "trouble"}
LEGEND = {"orientation": "h", "y": 1.25, "x": 0, "traceorder": "normal"}
BAR = 22
# Milliseconds, as Plotly counts on an axis of dates.
DAY = 86_400_000


def template(theme: Theme) -> go.layout.Template:
    """Return what all figures of a theme share."""
    ink, line = INK[theme]
    axis = {"gridcolor": line, "linecolor": line, "zeroline": False, "ticks": ""}
    return go.layout.Template(
        layout={
            "font": {"family": FONT, "size": 13, "color": ink},
            "paper_bgcolor": "rgba(0,0,0,0)",
            "plot_bgcolor": "rgba(0,0,0,0)",
            "margin": {"l": 0, "r": 0, "t": 0, "b": 0},
            "xaxis": axis,
            "yaxis": axis,
            "hoverlabel": {"font": {"family": FONT}},
            "separators": ".\u2009",
            "showlegend": False,
            "modebar": {"bgcolor": "rgba(0,0,0,0)", "color": ink, "activecolor": ink},
        }
    )


def type_bars(counts: Mapping[str, int], theme: Theme, most: int = 12) -> go.Figure:
    """Show how many entities there are of each type, the most frequent on top."""
    shown = sorted(counts.items(), key=lambda each: (-each[1], each[0]))[:most][::-1]
    names = [name for name, _ in shown]
    figure = go.Figure(
        go.Bar(
            x=[count for _, count in shown],
            y=names,
            orientation="h",
            marker={"color": [mark(name, theme).colour for name in names]},
            text=[number(count) for _, count in shown],
            textposition="outside",
            cliponaxis=False,
            hovertemplate="%{y}: %{x}<extra></extra>",
        )
    )
    figure.update_layout(template=template(theme), height=BAR * len(names) + 8, bargap=0.35)
    figure.update_layout(margin={"r": 36})
    figure.update_xaxes(visible=False)
    figure.update_yaxes(showgrid=False, ticklabelstandoff=6, automargin=True)
    return figure


def days_bars(days: Sequence[DailyGrowth], theme: Theme, *, span: tuple[str, str]) -> go.Figure:
    """Show day by day how much was made, changed and deleted."""
    figure = go.Figure()
    for name, family in DEEDS.items():
        light, dark, _ = FAMILIES[family]
        figure.add_trace(
            go.Bar(
                x=[day.day for day in days],
                y=[sum(getattr(day, name).values()) for day in days],
                name=name,
                # Explicit, because a single day would be as thin as a line.
                width=0.8 * DAY,
                marker={"color": dark if theme == "dark" else light},
                hovertemplate=f"%{{x|%-d %b %Y}}: %{{y}} {name}<extra></extra>",
            )
        )
    figure.update_layout(template=template(theme), height=170, barmode="stack", bargap=0.2)
    figure.update_layout(showlegend=True, legend=LEGEND)
    figure.update_xaxes(type="date", range=list(span), showgrid=False, automargin=True, nticks=5)
    figure.update_xaxes(ticklabelstandoff=6)
    figure.update_yaxes(rangemode="tozero", nticks=4, automargin=True, ticklabelstandoff=6)
    return figure


def stage_strip(took: Mapping[str, float], theme: Theme) -> go.Figure:
    """Show where the time of one search went, as one bar."""
    bars = [_stage(name, spent, theme) for name, spent in stages(took)]
    figure = go.Figure(bars)
    figure.update_layout(template=template(theme), barmode="stack", height=14, bargap=0)
    figure.update_xaxes(visible=False, range=[0, sum(spent for _, spent in stages(took)) or 1])
    figure.update_yaxes(visible=False)
    return figure


def stages(took: Mapping[str, float]) -> list[tuple[str, float]]:
    """Return each stage but the total, those we know in the order they run."""
    order = {name: place for place, name in enumerate(STAGES)}
    parts = [(name, spent) for name, spent in took.items() if name != "total"]
    return sorted(parts, key=lambda each: order.get(each[0], len(order)))


def stage_colour(name: str, theme: Theme) -> str:
    if name not in STAGES:
        return UNKNOWN[theme]
    light, dark, _ = FAMILIES[STAGES[name]]
    return dark if theme == "dark" else light


def _stage(name: str, spent: float, theme: Theme) -> Any:
    return go.Bar(
        x=[spent],
        y=[""],
        orientation="h",
        name=name,
        marker={"color": stage_colour(name, theme)},
        hovertemplate=f"{name} {milliseconds(spent)}<extra></extra>",
    )
