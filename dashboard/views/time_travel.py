"""Two moments: what was there then, what came, changed and went since, and who did it."""

from __future__ import annotations

from datetime import datetime

import streamlit as st

from dashboard import state
from dashboard.components.change_view import SIGNS, timeline_parts
from dashboard.components.elements import Part, part, show
from dashboard.components.formatting import counted_change, exact, number
from dashboard.components.lazy_tabs import tabs
from dashboard.components.links import open_entity
from dashboard.components.paging import offset_of, pager
from dashboard.components.time_range import choose
from dashboard.history.history_graph import show_past_graph
from dashboard.history.restore_panel import SEEN, change_row
from dashboard.saving import undo
from memory_core import ALL_USERS, MemoryCoreError
from memory_core.model.history import Difference, Timeline

SIZE, EVENTS, MOST = 20, 50, 500
KINDS = ("entity", "observation", "relation")
ALL_KINDS = (*KINDS, "document", "session", "bottle", "entry")


def page() -> None:
    project, seq = state.project(), state.version()
    if not seq:
        _empty()
        return
    heading = st.container()
    undo.show_offer()
    start, end = choose(state.memory().db.clock())
    found = _difference(project, start, end, seq)
    with heading:
        st.title(_sentence(found))
    show(*_counts(found, start, end), key="counts")
    undo.confirm_undo()
    tabs(
        {
            "What changed": lambda: _changes(found),
            "The graph then": lambda: show_past_graph(project, start, end, seq, found),
            "Timeline": lambda: _timeline(project, start, end, seq),
        },
        key="travel_tab",
    )
    st.session_state[SEEN] = seq


def _sentence(found: Difference) -> str:
    added, changed, removed = (_sum(found, word) for word in SIGNS)
    if not added + changed + removed:
        return "Nothing differs between the two moments"
    return f"{number(added)} added, {number(changed)} changed, {number(removed)} removed"


def _sum(found: Difference, change: str) -> int:
    return sum(n for what, n in found.counts.items() if what.endswith(change))


def _counts(found: Difference, start: datetime, end: datetime) -> list[Part]:
    """Return the counts by kind, each with its sign, its colour and its word."""
    chips = [
        part("span", f"chip {colour}", f"{sign} {counted_change(what, found.counts[what])}")
        for kind in KINDS
        for change, (sign, colour) in SIGNS.items()
        if (what := f"{kind} {change}") in found.counts
    ]
    between = f"from {exact(start)} to {exact(end)}"
    return [part("div", "line", *chips), part("div", "faint", between)]


def _changes(found: Difference) -> None:
    """Show each row that differs, with what it was, and the way back."""
    if not found.changes:
        st.write(
            "Each entity, fact and relation that was added, changed or removed between the two "
            "moments stands here, with who did it. Choose an earlier first moment."
        )
        return
    with st.container(horizontal=True):
        kinds = st.multiselect("Kinds", KINDS, placeholder="All", key="travel_kinds", width=260)
        what = st.multiselect(
            "Changes", list(SIGNS), placeholder="All", key="travel_what", width=260
        )
    rows = [
        change
        for change in reversed(found.changes)
        if (not kinds or change.kind in kinds) and (not what or change.change in what)
    ]
    if found.cursor:
        st.caption(
            f"These are the first {MOST} of {number(sum(found.counts.values()))}; choose moments "
            "that lie closer together to see the rest."
        )
    offset = offset_of("travel", found.from_seq, found.to_seq, tuple(kinds), tuple(what))
    shown = rows[offset : offset + SIZE]
    now = state.memory().db.clock()
    for change in shown:
        change_row(change, now, found.from_seq, place="changed")
    if not rows:
        st.write("No change is of that kind.")
    pager("travel", len(shown), len(rows), size=SIZE)


def _timeline(project: str, start: datetime, end: datetime, seq: int) -> None:
    """Show every event between the two moments, newest first unless asked otherwise."""
    types = [each.name for each in state.memory().graph.ontology.entity_types]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        entity = st.text_input(
            "Entity",
            placeholder="Its name or id",
            disabled=project == state.EVERY_PROJECT,
            help="Pick a project first: a name may mean two things in two projects.",
            width=180,
        )
        node_type = st.selectbox("Type", ["", *types], format_func=_any, width=150)
        kind = st.selectbox("Kind", ["", *ALL_KINDS], format_func=_any, width=140)
        actor = st.selectbox("By", ["", *_actors(project, seq)], format_func=_any, width=150)
        order = st.selectbox("Order", ["Newest first", "Oldest first"], width=140)
    asked = (project, entity if project != state.EVERY_PROJECT else "", node_type, kind, actor)
    offset = offset_of("timeline", *asked, order, start, end)
    direction = "DESC" if order == "Newest first" else "ASC"
    try:
        found = _events(*asked, start, end, direction, offset, seq)
    except MemoryCoreError as error:
        state.show_error("The timeline of that entity cannot be shown. Nothing was changed.", error)
        return
    if not found.events:
        st.write("Nothing happened between the two moments that these filters let through.")
    now = state.memory().db.clock()
    picked = show(*[timeline_parts(event, now) for event in found.events], key="timeline")
    pager("timeline", len(found.events), found.total, size=EVENTS)
    if picked.startswith("undo\n"):
        undo.request_undo(int(picked.removeprefix("undo\n")))
        st.rerun()
    if picked:
        open_entity(picked)


def _any(name: str) -> str:
    return name or "All"


def _empty() -> None:
    st.title("There is no past yet")
    st.write(
        "Every change is kept with who made it and when. Once something is remembered, this page "
        "compares two moments, shows the graph as it was, and brings back what was lost. The "
        "Overview has a button that loads a demonstration."
    )
    st.page_link("views/overview.py", label="To the Overview")


@st.cache_data(show_spinner="Comparing the two moments", max_entries=16)
def _difference(project: str, start: datetime, end: datetime, seq: int) -> Difference:
    return state.memory().history.diff(start, end, project_id=project, limit=MOST)


@st.cache_data(show_spinner=False, max_entries=32)
def _actors(project: str, seq: int) -> list[str]:
    return state.memory().timelines.list_actors(project_id=project)


@st.cache_data(show_spinner=False, max_entries=64)
def _events(
    project: str,
    entity: str,
    node_type: str,
    kind: str,
    actor: str,
    start: datetime,
    end: datetime,
    order: str,
    offset: int,
    seq: int,
) -> Timeline:
    return state.memory().timelines.list_events(
        project_id=project,
        user_id=ALL_USERS,
        entity=entity,
        entity_type=node_type,
        kind=kind,
        actor=actor,
        start=start,
        end=end,
        order=order,
        limit=EVENTS,
        offset=offset,
    )


page()
