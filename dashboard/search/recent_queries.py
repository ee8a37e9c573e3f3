"""Recent queries of all clients."""

from __future__ import annotations

from datetime import datetime

import streamlit as st

from memory_core.model.search.statistics import RecentQuery

from .. import state
from ..components.elements import Part, part, show
from ..components.formatting import ago, exact, shorten

SHOWN, LONGEST = 8, 160


def show_recent_queries(*, but: str = "") -> str:
    """List the newest queries of the selected project except *but*; return a clicked one."""
    memory = state.memory()
    found = memory.statistics.recent_questions(project_id=state.project(), limit=SHOWN + 1)
    others = [each for each in found if each.query != but][:SHOWN]
    if not others:
        return ""
    st.caption("Recent queries")
    now = memory.db.clock()
    return show(part("ul", "", *[_line(each, now) for each in others]), key="asked_lately")


def _line(question: RecentQuery, now: datetime) -> Part:
    return part(
        "li",
        "tight",
        part("span", "", shorten(question.query, LONGEST), pick=question.query),
        part(
            "span",
            "faint",
            f"  {question.actor} \u00b7 {ago(question.at, now)}",
            title=exact(question.at),
        ),
    )
