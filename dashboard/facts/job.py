"""One conversation: what came of it, what was said, and two ways to its facts."""

from __future__ import annotations

from datetime import datetime

import streamlit as st

from memory_core.model.facts.extraction import Message
from memory_core.model.facts.facts import ExtractionJob

from .. import state
from ..components.elements import Part, part, show
from ..components.formatting import ago, exact, format_count, readable
from ..saving.apply import apply_edit
from .reextract import report_result, show_retry_button
from .scope import owner_parts, scope_of

PICKED = "job_picked"
SENT_COUNT = "job_sent"
OPEN = ("pending", "waiting_for_assistant", "failed")
COLOURS = {"pending": "blue", "waiting_for_assistant": "blue", "failed": "red", "stored": "green"}
# Messages of a page of the transcript, and facts that are listed.
MESSAGES, FACTS = 20, 50


def show_job(job: ExtractionJob) -> None:
    """Show a conversation with all that can be done about it."""
    st.divider()
    show(*_job_parts(job, state.memory().db.clock()), key="job")
    open = job.status in OPEN
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button("Close", key="job_close"):
            close_job()
            st.rerun()
        if open:
            show_retry_button(job)
    if open:
        _manual_facts_form(job)
    with st.expander(
        f"What was said ({format_count(job.message_count, 'message')})", key="job_said"
    ):
        _transcript(job.id)


def close_job() -> None:
    """Have no conversation picked."""
    st.session_state.pop(PICKED, None)
    # A table of another key has nothing selected.
    st.session_state["jobs_closed"] = st.session_state.get("jobs_closed", 0) + 1


def _job_parts(job: ExtractionJob, now: datetime) -> list[Part]:
    times = [
        part("time", "", f"handed in {ago(job.created_at, now)}", title=exact(job.created_at)),
        part("span", "", format_count(job.message_count, "message")),
        part("span", "", f"extractor {job.extractor}"),
        part("span", "", format_count(job.attempts, "attempt")),
    ]
    if job.next_attempt_at and job.status in OPEN and state.memory().extractor:
        when = exact(job.next_attempt_at)
        said = f"next attempt {when}" if job.next_attempt_at > now else "next attempt is due"
        times.append(part("time", "chip amber", said, title=when))
    parts: list[Part] = [
        part(
            "div",
            "line",
            part("span", f"chip {COLOURS.get(job.status, '')}", readable(job.status)),
            *owner_parts(scope_of(job), state.EVERY_PROJECT),
        ),
        part("div", "line faint", *times),
    ]
    if job.reason:
        parts += [part("h3", "", "Why it failed"), part("div", "quote", job.reason)]
    parts += _fact_parts(job)
    if job.refused:
        parts.append(part("h3", "", "Left out"))
        parts += [part("div", "quote faint", why) for why in job.refused[:FACTS]]
    return parts


def _fact_parts(job: ExtractionJob) -> list[Part]:
    if not job.facts:
        return []
    return [
        part("h3", "", "What came of it"),
        *[
            part(
                "div",
                "item",
                part("span", "chip", readable(fact.outcome)),
                " ",
                part("span", "", fact.content),
            )
            for fact in job.facts[:FACTS]
        ],
    ]


def _transcript(id: str) -> None:
    messages = state.memory().fact_review.get_job(id).messages
    last = (len(messages) - 1) // MESSAGES + 1
    at = int(st.number_input("Page", 1, last, 1, key=f"said_{id}")) if last > 1 else 1
    first = (at - 1) * MESSAGES
    shown = messages[first : first + MESSAGES]
    show(*[_message(message) for message in shown], key="job_messages")
    st.caption(f"showing {first + 1}\u2013{first + len(shown)} of {len(messages)}")


def _message(message: Message) -> Part:
    who = f"{message.name} ({message.role})" if message.name else message.role
    return part("div", "item", part("div", "faint", who), part("div", "quote", message.content))


def _manual_facts_form(job: ExtractionJob) -> None:
    """Let the facts be typed, one a line; what was typed stays until it is stored."""
    count = st.session_state.setdefault(SENT_COUNT, 0)
    key = f"submit_{job.id}_{count}"
    with st.form(key, border=False):
        typed = st.text_area(
            "Facts by hand, one a line",
            height=120,
            key=f"{key}_facts",
            help="Each a sentence in the third person that can be understood alone.",
        )
        with st.container(horizontal=True):
            sent = st.form_submit_button("Store these facts", type="primary")
            nothing = st.form_submit_button("Nothing worth keeping")
    with st.expander("What a fact has to be", key="job_contract"):
        st.code(state.memory().fact_review.extraction_contract(), language=None, wrap_lines=True)
    facts = [{"content": line.strip()} for line in typed.splitlines() if line.strip()]
    if sent and not facts:
        st.error("Nothing was stored: there is no fact yet. Write at least one.")
    elif nothing and facts:
        st.error("Nothing was stored: you have typed facts. Store them, or clear the field.")
    elif sent or nothing:
        _submit_facts(job, facts)


def _submit_facts(job: ExtractionJob, facts: list[dict[str, str]]) -> None:
    done = apply_edit(
        "The facts were not saved. Your input is still here.",
        lambda m: m.conversation.submit_facts(job.id, facts),
    ).value
    if done:
        st.session_state[SENT_COUNT] += 1
        report_result(done)
