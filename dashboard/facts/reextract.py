"""Drawing the facts of a conversation once more: a model takes its time, and can be stopped."""

from __future__ import annotations

import streamlit as st

from memory_core import Memory
from memory_core.model.facts.facts import ExtractionJob, RememberResult

from .. import state
from ..saving import undo_offer
from ..work import jobs
from ..work.job_progress import show_failure, show_progress
from .new_fact import outcome_text

JOB_NAME = "drawing"
# Rules answer at once, and so does a model that is not there.
WAIT_SECONDS = 1.5


def show_retry_button(conversation: ExtractionJob) -> None:
    """Offer to extract the facts again if an extractor is configured."""
    memory = state.memory()
    able = memory.extractor is not None and not _is_running()
    if st.button("Try again", key="job_retry", disabled=not able):
        _start(memory, conversation.id)
    if memory.extractor is None:
        st.caption("No extractor is set to try again with: LLM_PROVIDER names one.")


def show_progress_or_result() -> None:
    """Show how far it is, or once how it ended."""
    if _is_running():
        st.caption(
            "Drawing the facts of a conversation. A model cannot be interrupted: Cancel takes "
            "effect when it has answered, and nothing is stored then."
        )
    if show_progress(JOB_NAME):
        return
    job = jobs.find_job(JOB_NAME)
    if job is None:
        return
    jobs.discard_job(JOB_NAME)
    if job.state == "stopped":
        st.warning(
            "Cancelled. No fact was stored; what was drawn is kept with the conversation, and "
            "trying again stores it."
        )
    elif job.state == "failed":
        show_failure("It was not tried again.", job)
    elif isinstance(job.result, RememberResult):
        _show_result(job.result)


def report_result(done: RememberResult) -> None:
    """Say what became of the facts, and offer to take them back."""
    left_out = f" Left out: {' '.join(done.refused[:5])}" if done.refused else ""
    undo_offer.report_done(outcome_text(done) + left_out, done.batch_id)


def _show_result(done: RememberResult) -> None:
    if done.outcome != "extraction_failed":
        report_result(done)
    st.error("It was tried again and failed. No fact was stored; the conversation is kept.")
    st.code(done.reason, language=None, wrap_lines=True)


def _is_running() -> bool:
    job = jobs.find_job(JOB_NAME)
    return job is not None and job.state == "running"


def _start(memory: Memory, id: str) -> None:
    jobs.start_job(JOB_NAME, lambda: memory.conversation.retry_job(id)).wait(WAIT_SECONDS)
    st.rerun()
