"""Messages in bottles: what one session left for a later one, and leaving one oneself."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from functools import partial

import streamlit as st

from dashboard import state
from dashboard.components.elements import Part, part, show
from dashboard.components.formatting import ago, day, exact, format_count, number
from dashboard.components.paging import offset_of, pager
from dashboard.saving import undo, undo_offer
from dashboard.saving.apply import apply_batch
from memory_core.model.graph.bottles import PRIORITIES, Bottle, BottleList

PAGE = "bottles"
SIZE = 20
COLOUR = {"urgent": "red", "high": "amber", "medium": "blue", "low": ""}


def page() -> None:
    project, version = state.project(), state.version()
    heading = st.container()
    undo.show_offer()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        names = _recipients(project, version)
        recipient = st.selectbox(
            "For", ["", *names], format_func=lambda name: name or "All recipients", width=220
        )
        acknowledged = st.toggle("Acknowledged too")
    offset = offset_of(PAGE, project, recipient, acknowledged)
    shown = partial(
        state.memory().bottles.list_bottles,
        project_id=project,
        include_acknowledged=acknowledged,
        recipient=recipient,
        limit=SIZE,
    )
    found = shown(offset=offset)
    # The urgent ones come first, so the first page knows of them.
    first = found if not offset else shown()
    with heading:
        st.title(_sentence(first, recipient, acknowledged))
        if found.expired:
            st.caption(f"{format_count(found.expired, 'bottle')} expired and hidden")
    left, right = st.columns([3, 2], gap="large")
    with left:
        _list(found)
    with right:
        _write_form(project)


def _sentence(found: BottleList, recipient: str, acknowledged: bool) -> str:
    if not found.total:
        return "No bottle waits to be read" if not acknowledged else "No bottle was left here"
    urgent = sum(bottle.priority == "urgent" for bottle in found.bottles)
    what = format_count(found.total, "bottle")
    verb = "is" if found.total == 1 else "are"
    to = "for that recipient " if recipient else ""
    said = f"{what} {to}{verb} here" if acknowledged else f"{what} {to}{_waits(found.total)}"
    if not urgent or found.total == 1:
        return said
    some = f"{number(urgent)} or more" if urgent == SIZE < found.total else number(urgent)
    return f"{said}, {some} of them urgent"


def _waits(count: int) -> str:
    return "waits to be read" if count == 1 else "wait to be read"


def _list(found: BottleList) -> None:
    if not found.bottles:
        st.write(
            "A bottle is a message from one session to a later one: what to mind, what was left "
            "half done. Assistants leave them with create_bottle and are shown them when a "
            "session begins. Write the first one here, or change the filters above."
        )
    now = state.memory().db.clock()
    for bottle in found.bottles:
        with st.container(border=True):
            said, actions = st.columns([3, 1], vertical_alignment="center")
            with said:
                show(*bottle_parts(bottle, now), key=f"bottle_{bottle.id}")
            with actions, st.container(horizontal=True, horizontal_alignment="right", gap="xsmall"):
                _actions(bottle)
    pager(PAGE, len(found.bottles), found.total, size=SIZE)


def bottle_parts(bottle: Bottle, now: datetime) -> list[Part]:
    """Return one bottle: how urgent, for whom, what it says, from whom and since when."""
    to = f"for {bottle.recipient}" if bottle.recipient else "for anyone"
    head = part(
        "div",
        "row",
        part(
            "div",
            "line",
            part("span", f"chip {COLOUR[bottle.priority]}", bottle.priority),
            part("span", "strong", to),
            part("span", "faint", bottle.project_id),
        ),
        part("time", "faint number", ago(bottle.created_at, now), title=exact(bottle.created_at)),
    )
    said = [f"from {bottle.author}"]
    if bottle.expires_at:
        said.append(f"expires {day(bottle.expires_at)}")
    if bottle.acknowledged_at:
        said.append(f"acknowledged by {bottle.acknowledged_by} {ago(bottle.acknowledged_at, now)}")
    hover = exact(bottle.expires_at) if bottle.expires_at else ""
    below = part("div", "faint", " \u00b7 ".join(said), title=hover)
    return [head, part("div", "quote", bottle.message), below]


def _actions(bottle: Bottle) -> None:
    unread = bottle.acknowledged_at is None
    if unread and st.button("Acknowledge", key=f"acknowledge_{bottle.id}"):
        batch_id = apply_batch(
            "The bottle was not acknowledged.",
            lambda memory: memory.bottles.acknowledge_bottles(
                bottle.id, project_id=bottle.project_id
            ),
        )
        if batch_id:
            undo_offer.report_done("A bottle was acknowledged.", batch_id)
    if st.button(
        "Expire", key=f"expire_{bottle.id}", type="tertiary", help="Stop showing it to anybody."
    ):
        batch_id = apply_batch(
            "The bottle is still shown.",
            lambda memory: memory.bottles.expire_bottle(bottle.id, project_id=bottle.project_id),
        )
        if batch_id:
            undo_offer.report_done("A bottle was made to expire.", batch_id)


def _write_form(project: str) -> None:
    st.subheader("Write one")
    # What was typed stays until it is written: each bottle has a form of its own.
    written = st.session_state.setdefault("bottles_written", 0)
    with st.form(f"write_bottle_{written}"):
        message = st.text_area("Message", max_chars=20_000, height=140)
        recipient = st.text_input("Recipient", placeholder="anyone", max_chars=200)
        left, right = st.columns(2)
        priority = left.selectbox("Priority", PRIORITIES, index=1, format_func=str.capitalize)
        expires = right.date_input("Expires after", value=None)
        where = project
        if project == state.EVERY_PROJECT:
            projects = state.projects(state.version()) or ["default"]
            where = str(st.selectbox("Into project", projects, key=f"bottle_project_{written}"))
        sent = st.form_submit_button("Leave the bottle", type="primary")
    if not sent:
        return
    batch_id = apply_batch(
        "The bottle was not left.",
        lambda memory: memory.bottles.create_bottle(
            message,
            project_id=where,
            priority=priority,
            recipient=recipient.strip(),
            expires_at=_end_of(expires),
        ),
    )
    if batch_id:
        st.session_state["bottles_written"] += 1
        undo_offer.report_done("A bottle was left.", batch_id)


def _end_of(chosen: date | None) -> datetime | None:
    """Return the last moment of a day: "after the third" is not the third at midnight."""
    return datetime.combine(chosen, time.max, UTC) if chosen else None


@st.cache_data(show_spinner=False, max_entries=32)
def _recipients(project: str, version: int) -> list[str]:
    return state.memory().bottles.list_recipients(project_id=project)


page()
