"""Scatter plot, legend and detail view of groups of entries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np
import plotly.graph_objects as go

from memory_core.model.facts.groups import GroupMap, MapGroup, MapPoint

from ..charts import template
from ..components.colours import FAMILIES, UNKNOWN, Theme
from ..components.elements import Part, part
from ..components.formatting import number, shorten

HEIGHT = 390
HOVER = 90
# Entries in no group, in one, in several; the first is drawn at the back.
SIZES = {"circle-open": 7, "circle": 10, "diamond": 10}


def group_colours(drawn: GroupMap, theme: Theme) -> dict[str, str]:
    """Return the colour of each group: the twelve largest have their own, the others are grey."""
    colours = [dark if theme == "dark" else light for light, dark, _ in FAMILIES.values()]
    colours += [UNKNOWN[theme]] * (len(drawn.groups) - len(colours))
    return {group.id: colour for group, colour in zip(drawn.groups, colours, strict=False)}


def group_map_figure(drawn: GroupMap, theme: Theme) -> go.Figure:
    """Plot every entry in the colour of its largest group; a diamond is in several groups."""
    colours = group_colours(drawn, theme)
    labels = {group.id: group.label for group in drawn.groups}
    figure = go.Figure(
        [
            go.Scatter(
                x=np.array([point.x for point in points]),
                y=np.array([point.y for point in points]),
                mode="markers",
                marker=_markers(points, symbol, colours, theme),
                customdata=[_hover_text(point, labels) for point in points],
                hovertemplate="%{customdata}<extra></extra>",
            )
            for symbol in SIZES
            if (points := [point for point in drawn.points if _symbol(point) == symbol])
        ]
    )
    figure.update_layout(
        template=template(theme), height=HEIGHT, margin={"t": 8, "b": 8}, showlegend=False
    )
    figure.update_xaxes(showticklabels=False)
    figure.update_yaxes(showticklabels=False)
    return figure


def legend_parts(drawn: GroupMap, theme: Theme) -> list[Part]:
    """Return the groups with colour and size, and the number of ungrouped entries."""
    colours = group_colours(drawn, theme)
    items = [
        part(
            "li",
            "",
            part("span", "", "\u25cf", colour=colours[group.id]),
            f" {shorten(group.label, 48)} ",
            part("span", "faint number", number(group.size)),
        )
        for group in drawn.groups[: len(FAMILIES)]
    ]
    more = len(drawn.groups) - len(items)
    if more > 0:
        items.append(part("li", "faint", f"\u25cf {number(more)} smaller groups"))
    if drawn.ungrouped:
        items.append(part("li", "faint", f"\u25cb in no group {number(drawn.ungrouped)}"))
    return [part("ul", "legend", *items)]


def group_parts(group: MapGroup, labels: Mapping[str, str]) -> list[Part]:
    """Return the size, cohesion and overlaps of one group."""
    facts = [
        f"{number(group.size)} entries",
        f"cohesion {group.cohesion:.2f}",
        "no overlaps" if not group.overlaps else "",
    ]
    shared = [
        part("div", "row tight", part("span", "", labels[id]), part("span", "faint", f"{n} shared"))
        for id, n in group.overlaps.items()
        if id in labels
    ]
    return [
        part("h2", "", group.label),
        part("p", "faint", " \u00b7 ".join(filter(None, facts))),
        *([part("h3", "", "Overlaps"), *shared] if shared else []),
    ]


def _markers(
    points: Sequence[MapPoint], symbol: str, colours: Mapping[str, str], theme: Theme
) -> dict[str, Any]:
    """Return the marker style; colours are numbers because Plotly validates names one by one."""
    used = [colours[point.group_ids[0]] if point.group_ids else UNKNOWN[theme] for point in points]
    scale = list(dict.fromkeys([UNKNOWN[theme], *colours.values()]))
    last = max(1, len(scale) - 1)
    return {
        "color": np.array([scale.index(colour) for colour in used]),
        # A scale needs two ends, even for one colour.
        "colorscale": [
            (place / last, scale[min(place, len(scale) - 1)]) for place in range(last + 1)
        ],
        "cmin": 0,
        "cmax": last,
        "symbol": symbol,
        "size": SIZES[symbol],
        "opacity": 0.85,
        "line": {"width": 1, "color": "rgba(127,127,127,0.5)"},
    }


def _symbol(point: MapPoint) -> str:
    if not point.group_ids:
        return "circle-open"
    return "diamond" if len(point.group_ids) > 1 else "circle"


def _hover_text(point: MapPoint, labels: Mapping[str, str]) -> str:
    """Return the hover text, escaped because Plotly interprets tags."""
    groups = "<br>".join(escape(shorten(labels[id], HOVER)) for id in point.group_ids[:4])
    return f"{escape(shorten(point.summary, HOVER))}<br><br>{groups or 'in no group'}"
