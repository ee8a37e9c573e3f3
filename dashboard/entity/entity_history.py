"""The past of one entity: a slider over its changes, what it was then, what each one did."""

from __future__ import annotations

import streamlit as st

from memory_core.model.history import EventChange

from .. import state
from ..components.change_view import NAME, difference_parts, event_parts, then_parts
from ..components.elements import part, show
from ..components.formatting import exact, format_count, shorten
from ..components.paging import offset_of, pager
from ..components.rows import side_by_side
from ..entity_snapshot import entity_then
from ..saving import undo

SIZE = 20
# So many of the newest changes can be reached with the slider.
REACH = 200


def show_history(project: str, entity_id: str, seq: int) -> None:
    """Show the slider and, below it, every change with the button that takes it back."""
    changes, total = _changes(project, entity_id, seq, REACH, 0)
    if not changes:
        return
    undo.confirm_undo()
    _slider(project, entity_id, seq, changes[::-1])
    if total > REACH:
        st.caption(f"The slider reaches the newest {REACH} of {format_count(total, 'change')}.")
    st.subheader("Every change, newest first")
    offset = offset_of("past", project, entity_id)
    page, total = _changes(project, entity_id, seq, SIZE, offset)
    now = state.memory().db.clock()
    for change in page:
        said, acts = side_by_side(f"past_{change.event.seq}")
        with said:
            show(event_parts(change, now), key=f"past_{change.event.seq}")
        if acts.button("Undo", key=f"past_undo_{change.event.seq}"):
            undo.request_undo(change.event.seq)
            st.rerun()
    pager("past", len(page), total, size=SIZE)


def _slider(project: str, entity_id: str, seq: int, changes: list[EventChange]) -> None:
    last = len(changes)
    place = last
    if last > 1:
        key = f"past_place_{project}_{entity_id}_{last}"
        place = st.slider("Change", 1, last, last, key=key, help="Each step is one change of it.")
    event = changes[place - 1].event
    st.caption(f"Change {place} of {last}, at {exact(event.at)}")
    left, right = st.columns(2, gap="large")
    with left, st.container(border=True):
        st.markdown("**As it was known then**")
        then = entity_then(project, entity_id, event.at.isoformat(), seq)
        parts = then_parts(then, state.theme()) if then else [part("p", "", "It was deleted then.")]
        show(*parts, key="then")
    with right, st.container(border=True):
        st.markdown("**What this change did**")
        change = changes[place - 1]
        who = part("div", "faint", f"{event.actor} \u00b7 {event.event} \u00b7 {exact(event.at)}")
        name = part("div", "strong", shorten(event.title, NAME))
        show(name, who, *difference_parts(change.before, change.after), key="did")


@st.cache_data(show_spinner=False, max_entries=64)
def _changes(
    project: str, entity_id: str, seq: int, limit: int, offset: int
) -> tuple[list[EventChange], int]:
    return state.memory().timelines.list_changes(
        entity_id, project_id=project, limit=limit, offset=offset
    )
