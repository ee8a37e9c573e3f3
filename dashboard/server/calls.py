"""Recent tool calls of all clients."""

from __future__ import annotations

from datetime import datetime

import streamlit as st

from memory_core.model.search.statistics import RecordedCall

from .. import state
from ..components.elements import Part, part, show
from ..components.formatting import ago, exact, milliseconds
from ..work.polling import poll

SHOWN = 12
LOOK_AGAIN = 2.0


def calls() -> None:
    """Show the newest calls of the selected project, refreshed while the toggle is on."""
    left, right = st.columns(2, vertical_alignment="center")
    left.subheader("Latest calls")
    live = right.toggle("Refresh every two seconds", value=True, key="calls_live")
    poll(_look, every=LOOK_AGAIN if live else None)


def _look() -> bool:
    memory, project = state.memory(), state.project()
    found = memory.statistics.call_statistics(project_id=project, but_by=state.ACTOR, limit=SHOWN)
    if found:
        now = memory.db.clock()
        show(*[call_parts(call, now) for call in found], key="calls")
        st.caption("Newest first, from all server processes of this memory.")
    else:
        st.write(
            "Each tool call is listed here when it completes: tool, client, duration and errors. "
            "Connect a client below to see the first."
        )
    return False


def call_parts(call: RecordedCall, now: datetime) -> Part:
    """Return one call on two lines: tool and outcome, then client, project and time."""
    who = [call.actor or "unknown", call.project_id]
    if call.hits is not None:
        who.append(f"found {call.hits}")
    failed = part("span", "chip red", call.error) if call.error else ""
    return part(
        "div",
        "item",
        part(
            "div",
            "row",
            part("div", "line", part("span", "mono strong", call.operation), failed),
            part("span", "number", milliseconds(call.milliseconds)),
        ),
        part(
            "div",
            "row",
            part("span", "faint", " \u00b7 ".join(each for each in who if each)),
            part("time", "faint number", ago(call.at, now), title=exact(call.at)),
        ),
    )
