"""Page Overview: counts, health and recent changes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

import streamlit as st

from dashboard import charts, state
from dashboard.components.change_view import colour_of, headline
from dashboard.components.elements import Part, part, show
from dashboard.components.formatting import ago, exact, format_count, number, readable, shorten
from dashboard.components.lazy_tabs import fold
from dashboard.components.links import open_entity
from dashboard.components.paging import offset_of, pager
from dashboard.health import Check, health
from memory_core import ALL_USERS
from memory_core.model.graph.analytics import DailyGrowth
from memory_core.model.graph.bottles import Bottle
from memory_core.model.graph.entities import Entity
from memory_core.model.graph.graph_view import GraphCounts
from memory_core.model.history import Event

RECENT = 15
LONGEST = 120
BOTTLES = 3
DAYS = 30
LONE = 20


def page() -> None:
    project, seq = state.project(), state.version()
    now = state.memory().db.clock()
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    counts = _counts(project, seq, midnight)
    if not (counts.entities or counts.archived or counts.documents):
        _empty(project)
        return
    st.title(_sentence(counts))
    _figures(counts)
    checks = health(state.memory(), state.server().status()).checks
    show(*_strip((*checks, _relation_check(counts))), key="health")
    lone = _lone(project, seq, counts.orphans)
    left, right = st.columns([3, 2], gap="large")
    with left:
        st.subheader("Recent changes")
        events, total = _events(project, seq, offset_of("recent", project))
        picked = show(*[_change(event, now) for event in events], key="changes")
        pager("recent", len(events), total, size=RECENT)
    with right:
        _show_contents(project, seq)
        _unread(project, now)
        _growth(project, seq, now)
    if picked or lone:
        open_entity(picked or lone)


def _sentence(counts: GraphCounts) -> str:
    if not counts.touched:
        return f"{format_count(counts.entities, 'entity', 'entities')}, none of them changed today"
    return f"{number(counts.touched)} of {number(counts.entities)} entities changed today"


def _figures(counts: GraphCounts) -> None:
    figures = (
        ("Entities", counts.entities, "entities"),
        ("Observations", counts.observations, "observations"),
        ("Relations", counts.relations, "relations"),
        ("Documents", counts.documents, "documents"),
    )
    with st.container(horizontal=True):
        for label, count, kind in figures:
            new = counts.new.get(kind, 0)
            st.metric(label, number(count), f"{number(new)} today" if new else None, width=150)


def _show_contents(project: str, seq: int) -> None:
    st.subheader("What is remembered")
    types = _types(project, seq)
    st.plotly_chart(
        charts.type_bars(types, state.theme()), theme=None, config=charts.CONFIG, key="types"
    )
    rows = {"Type": list(types), "Entities": list(types.values())}
    fold("As a table", lambda: st.dataframe(rows, hide_index=True), key="types_as_table")


def _unread(project: str, now: datetime) -> None:
    """Show the most urgent unread bottles."""
    found = state.memory().bottles.list_bottles(project_id=project, limit=BOTTLES)
    if not found.total:
        return
    st.subheader("Unread bottles")
    show(*[_bottle(bottle, now) for bottle in found.bottles], key="unread")
    many = "the bottle" if found.total == 1 else f"all {number(found.total)} bottles"
    st.page_link("views/bottles.py", label=f"Go to {many}")


def _bottle(bottle: Bottle, now: datetime) -> Part:
    to = f"for {bottle.recipient}" if bottle.recipient else "for anyone"
    return part(
        "div",
        "item",
        part("div", "quote", shorten(bottle.message, 2 * LONGEST)),
        part(
            "div",
            "faint",
            f"{bottle.priority} \u00b7 {to} \u00b7 from {bottle.author} \u00b7 "
            f"{ago(bottle.created_at, now)}",
            title=exact(bottle.created_at),
        ),
    )


def _growth(project: str, seq: int, now: datetime) -> None:
    """Show what each day of the last month brought."""
    days = _days(project, seq, now.date().isoformat())
    st.subheader(f"Changes a day, last {DAYS} days")
    span = ((now - timedelta(days=DAYS)).date().isoformat(), f"{now.date().isoformat()} 12:00")
    st.plotly_chart(
        charts.days_bars(days, state.theme(), span=span),
        theme=None,
        config=charts.CONFIG,
        key="days",
    )
    rows: dict[str, list[str] | list[int]] = {"Day": [each.day for each in days]}
    for name in charts.DEEDS:
        rows[name.capitalize()] = [sum(getattr(each, name).values()) for each in days]
    fold("As a table", lambda: st.dataframe(rows, hide_index=True), key="days_as_table")


def _relation_check(counts: GraphCounts) -> Check:
    """Say how many entities nothing is related to; that is no fault of the memory."""
    lone = counts.orphans
    word = format_count(lone, "entity", "entities") if lone else "none"
    return Check("Without a relation", "green", word, "The librarian looks for relations to them.")


def _lone(project: str, seq: int, count: int) -> str:
    """List the entities that nothing is related to; return the one picked, if any."""
    if not count:
        return ""
    what = f"{format_count(count, 'entity', 'entities')} without a relation"
    return fold(what, lambda: _format_list(_orphans(project, seq), count), key="lone") or ""


def _format_list(found: list[Entity], count: int) -> str:
    items = [
        part(
            "li",
            "tight",
            part("span", "", each.name, pick=f"{each.project_id}\n{each.id}"),
            part("span", "faint", f"  {each.node_type}"),
        )
        for each in found
    ]
    picked = show(part("ul", "", *items), key="lone_ones")
    st.caption(f"showing 1\u2013{len(found)} of {number(count)}")
    return picked


def _strip(checks: Sequence[Check]) -> list[Part]:
    """Return the checks side by side, each with its word and, on hover, its reason."""
    tiles = [
        part(
            "div",
            "check",
            part("div", "faint", part("span", f"dot {check.colour}", "\u25cf "), check.name),
            part("div", "strong", check.word),
            title=check.reason,
        )
        for check in checks
    ]
    # For keyboard and touch users, the reason is shown here.
    trouble = [
        part("p", "faint", f"{check.name}: {check.reason}")
        for check in checks
        if check.colour != "green" and check.reason
    ]
    return [part("div", "checks", *tiles), *trouble]


def _change(event: Event, now: datetime) -> Part:
    """Return one line of the journal: what, to whom, by whom, why, when."""
    pick = {"pick": f"{event.project_id}\n{event.entity_id}"} if event.entity_id else {}
    title = part("span", "", shorten(event.title, LONGEST), **pick)
    return part(
        "div",
        "item",
        headline(event.event, title, colour=colour_of(event), at=event.at, now=now),
        part("div", "faint", f"{event.actor} \u00b7 {readable(event.cause)}"),
    )


def _empty(project: str) -> None:
    st.title("Nothing is remembered yet")
    where = "in this project" if project != state.EVERY_PROJECT else "in this memory"
    st.write(
        f"There is no entity and no document {where}. An assistant that is connected to the MCP "
        "server writes here as it works; this page then shows how much there is, whether "
        "everything is well, and who changed what."
    )
    left, right = st.columns(2, gap="large")
    with left, st.container(border=True):
        st.subheader("Look around first")
        st.write(
            "The demonstration is the memory of a small team over one summer: people, services, "
            "decisions, incidents. It goes into projects of its own."
        )
        if st.button("Load the demonstration", type="primary"):
            _load_demonstration()
    with right, st.container(border=True):
        st.subheader("Connect an assistant")
        st.write("Copy the configuration for your editor, restart it, and ask it to remember.")
        st.page_link("views/server.py", label="Client configuration")


def _load_demonstration() -> None:
    with st.spinner("Loading the demonstration"), state.editing() as memory:
        added = memory.demonstration.load_demonstration()
    st.toast(
        f"Loaded {format_count(added['entities'], 'entity', 'entities')} and "
        f"{format_count(added['observations'], 'observation')}."
    )
    st.session_state["project_wanted"] = "harbour"
    st.rerun()


@st.cache_data(show_spinner=False, max_entries=32)
def _counts(project: str, seq: int, since: datetime) -> GraphCounts:
    return state.memory().atlas.counts(project_id=project, since=since)


@st.cache_data(show_spinner=False, max_entries=32)
def _events(project: str, seq: int, offset: int) -> tuple[list[Event], int]:
    found = state.memory().timelines.list_events(
        project_id=project, user_id=ALL_USERS, order="DESC", limit=RECENT, offset=offset
    )
    return found.events, found.total


@st.cache_data(show_spinner=False, max_entries=32)
def _orphans(project: str, seq: int) -> list[Entity]:
    return state.memory().lifecycle.list_orphans(project_id=project, limit=LONE).entities


@st.cache_data(show_spinner=False, max_entries=32)
def _days(project: str, seq: int, today: str) -> list[DailyGrowth]:
    return state.memory().overview.growth_by_day(project_id=project, days=DAYS)


@st.cache_data(show_spinner=False, max_entries=32)
def _types(project: str, seq: int) -> dict[str, int]:
    return state.memory().overview.list_types(project_id=project)


page()
