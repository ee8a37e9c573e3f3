"""Filters of the graph page: scope, types, dates and colour scheme."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

import streamlit as st

from memory_core.model.graph.graph_view import MapFilter

from ..components.colours import ColourBy
from ..components.formatting import day, readable

FIRST, MORE, MOST = 150, 400, 800
STATUSES = {"active": "Active", "archived": "Archived", "all": "All"}
COLOURS: dict[str, ColourBy] = {"Type": "type", "Community": "community"}
DATED: dict[str, Any] = {"created": "created", "changed": "changed"}
EARLIEST = date(1970, 1, 1)


@dataclass(frozen=True)
class GraphQuery:
    """One view of the graph: all parameters that the drawing depends on."""

    centre: tuple[str, str] | None
    hops: int
    wanted: MapFilter
    limit: int
    colour_by: ColourBy


def filters(types: list[str], relations: list[str]) -> GraphQuery:
    centre = st.session_state.get("graph_centre")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.multiselect(
            "Types", _options("map_types", types), placeholder="All", key="map_types", width=180
        )
        kinds = st.multiselect(
            "Relations",
            _options("map_relations", relations),
            format_func=readable,
            placeholder="All",
            key="map_relations",
            width=180,
        )
        status = st.selectbox(
            "Status", list(STATUSES), format_func=STATUSES.__getitem__, key="map_status", width=110
        )
        hops = st.selectbox("Hops", [1, 2, 3], disabled=not centre, key="map_hops", width=80)
        colour = st.selectbox("Colour by", list(COLOURS), key="map_colour", width=130)
        dates = _date_filters()
    return GraphQuery(
        centre=centre,
        hops=hops,
        wanted=MapFilter(
            node_types=tuple(chosen), relation_types=tuple(kinds), status=status, **dates
        ),
        limit=int(st.session_state.get("graph_limit", FIRST)),
        colour_by=COLOURS[colour],
    )


def _options(key: str, there: list[str]) -> list[str]:
    """Return the available options plus earlier selections that no longer exist."""
    return list(dict.fromkeys([*there, *st.session_state.get(key, [])]))


def _date_filters() -> dict[str, Any]:
    with st.popover("Dates"):
        dated = st.selectbox("Entities", list(DATED), key="map_dated")
        left, right = st.columns(2)
        since = left.date_input("From", None, key="map_since", min_value=EARLIEST)
        until = right.date_input("To, inclusive", None, key="map_until", min_value=EARLIEST)
        valid = st.date_input(
            "Relations valid on",
            None,
            key="map_valid",
            min_value=EARLIEST,
            help="Relations without dates are always valid.",
        )
    if since and until and until < since:
        st.warning("The end date was before the start date; the two were swapped.")
        since, until = until, since
    return {
        "dated": DATED[dated],
        "since": _midnight(since) if since else None,
        "until": _midnight(until) + timedelta(days=1) if until else None,
        "valid_at": _midnight(valid) + timedelta(hours=12) if valid else None,
    }


def describe_dates(wanted: MapFilter) -> str:
    """Describe the active date filters, which are hidden in a popover."""
    verb = "Changed" if wanted.dated == "changed" else "Created"
    between = [
        *([f"from {day(wanted.since)}"] if wanted.since else []),
        *([f"to {day(wanted.until - timedelta(days=1))}"] if wanted.until else []),
    ]
    parts = [f"{verb} {' '.join(between)}"] if between else []
    if wanted.valid_at:
        parts.append(f"relations valid on {day(wanted.valid_at)}")
    return "; ".join(parts)


def _midnight(chosen: date) -> datetime:
    return datetime.combine(chosen, time(), UTC)
