"""What was asked lately, by whomever; one click asks it again."""

from __future__ import annotations

from datetime import datetime

import streamlit as st

from memory_core.model.search.statistics import Question

from .. import state
from ..components.elements import Part, part, show
from ..components.formatting import ago, exact, shortened

SHOWN, LONGEST = 8, 160


def asked_lately(*, but: str = "") -> str:
    """List the newest questions of the picked project *but* one; return the one picked, if any."""
    memory = state.memory()
    found = memory.statistics.questions(project_id=state.project(), limit=SHOWN + 1)
    others = [each for each in found if each.query != but][:SHOWN]
    if not others:
        return ""
    st.caption("Asked lately")
    now = memory.db.clock()
    return show(part("ul", "", *[_line(each, now) for each in others]), key="asked_lately")


def _line(asked: Question, now: datetime) -> Part:
    return part(
        "li",
        "tight",
        part("span", "", shortened(asked.query, LONGEST), pick=asked.query),
        part(
            "span", "faint", f"  {asked.actor} \u00b7 {ago(asked.at, now)}", title=exact(asked.at)
        ),
    )
