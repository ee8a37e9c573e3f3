"""Conversations whose facts were drawn, failed to be, or wait to be."""

from __future__ import annotations

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from memory_core.model.facts.fact_review import ReviewedJobs
from memory_core.model.facts.facts import ExtractionJob

from .. import state
from ..components.cursors import SIZE, Pages
from ..components.formatting import ago, format_count, readable
from .job import PICKED, close_job, show_job
from .reextract import show_progress_or_result
from .scope import NO_USER, FactScope, pick_scope

STATUSES = (
    "",
    "pending",
    "waiting_for_assistant",
    "failed",
    "stored",
    "deferred",
    "duplicate",
    "nothing_memorable",
)


def show_jobs(heading: DeltaGenerator) -> None:
    """Show the conversations of a project, with what came of them."""
    show_progress_or_result()
    with st.container(horizontal=True):
        status = st.selectbox(
            "Outcome",
            STATUSES,
            format_func=lambda name: readable(name).capitalize() or "All",
            width=210,
            key="jobs_status",
        )
        asked = pick_scope()
    pages = Pages("jobs", (asked, status))
    # Never cached: jobs change without a change of knowledge.
    page = state.memory().fact_review.list_jobs(
        asked.whose, status=status, limit=SIZE, cursor=pages.cursor
    )
    with heading:
        st.title(_title(page, status))
    if not page.jobs:
        _show_empty(asked, status)
        return
    _table(page, asked, key=f"{status}_{pages.cursor}")
    pages.footer(len(page.jobs), page.total, page.cursor)
    _show_selected(page)


def _title(page: ReviewedJobs, status: str) -> str:
    if page.unfinished:
        waits = "waits for its" if page.unfinished == 1 else "wait for their"
        return f"{format_count(page.unfinished, 'conversation')} {waits} facts"
    if not page.total and not status:
        return "No conversation was handed in yet"
    return "Every conversation has its facts"


def _table(page: ReviewedJobs, asked: FactScope, *, key: str) -> None:
    now = state.memory().db.clock()
    closed = st.session_state.get("jobs_closed", 0)
    event = st.dataframe(
        pd.DataFrame(
            {
                "Handed in": [ago(job.created_at, now) for job in page.jobs],
                "Outcome": [readable(job.status) for job in page.jobs],
                "Facts": [len(job.facts) for job in page.jobs],
                "Messages": [job.message_count for job in page.jobs],
                "Owner": [_owner_of(job, asked) for job in page.jobs],
                "Extractor": [job.extractor for job in page.jobs],
                "Attempts": [job.attempts for job in page.jobs],
                "Reason": [job.reason for job in page.jobs],
            }
        ),
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row",
        column_config={"Reason": st.column_config.TextColumn(width=330)},
        key=f"jobs_{closed}_{hash(asked)}_{key}",
    )
    # A row may be gone between the click and this run.
    rows = [row for row in event.selection.rows if row < len(page.jobs)]
    if rows:
        st.session_state[PICKED] = page.jobs[rows[0]].id
    elif st.session_state.pop("jobs_selected", False):
        st.session_state.pop(PICKED, None)
    st.session_state["jobs_selected"] = bool(rows)


def _show_selected(page: ReviewedJobs) -> None:
    picked = st.session_state.get(PICKED, "")
    known = {job.id: job for job in page.jobs}
    if picked in known:
        show_job(known[picked])
        return
    if picked:
        close_job()
    st.caption("Pick a conversation to read it, try it again, or draw its facts by hand.")


def _owner_of(job: ExtractionJob, asked: FactScope) -> str:
    names = [name for name in (job.user_id, job.agent_id, job.session_id) if name] or [NO_USER]
    if asked.project == state.EVERY_PROJECT:
        names.insert(0, job.project_id)
    return " \u00b7 ".join(names)


def _show_empty(asked: FactScope, status: str) -> None:
    if status or asked.narrow:
        st.write("No conversation fits these filters. Take one of them away.")
        return
    st.write(
        "A conversation is stored here before anybody is asked for the facts in it, so that a "
        "model that fails loses nothing. An assistant hands one in with memory_extract and draws "
        "the facts with its own model; where LLM_PROVIDER names a model or plain rules, remember "
        f"does it by itself. Transcripts of done ones go after {_retention()}."
    )


def _retention() -> str:
    days = state.memory().settings.fact_defaults().transcript_days
    return format_count(days, "day")
