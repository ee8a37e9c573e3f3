"""Drawing the facts of a conversation once more: a model takes its time, and can be stopped."""

from __future__ import annotations

import streamlit as st

from memory_core import Memory
from memory_core.model.facts.facts import ExtractionJob, RememberResult

from .. import state
from ..saving import undo_offer
from ..work import jobs
from ..work.job_progress import show_progress, tell_failed
from .new_fact import said_of

DRAWING = "drawing"
# Rules answer at once, and so does a model that is not there.
AT_ONCE = 1.5


def try_again_button(conversation: ExtractionJob) -> None:
    """Offer to draw the facts again, where there is somebody to ask."""
    memory = state.memory()
    able = memory.extractor is not None and not _is_running()
    if st.button("Try again", key="job_retry", disabled=not able):
        _begin(memory, conversation.id)
    if memory.extractor is None:
        st.caption("No extractor is set to try again with: LLM_PROVIDER names one.")


def drawing() -> None:
    """Show how far it is, or once how it ended."""
    if _is_running():
        st.caption(
            "Drawing the facts of a conversation. A model cannot be interrupted: Cancel takes "
            "effect when it has answered, and nothing is stored then."
        )
    if show_progress(DRAWING):
        return
    job = jobs.job(DRAWING)
    if job is None:
        return
    jobs.put_away(DRAWING)
    if job.state == "stopped":
        st.warning(
            "Cancelled. No fact was stored; what was drawn is kept with the conversation, and "
            "trying again stores it."
        )
    elif job.state == "failed":
        tell_failed("It was not tried again.", job)
    elif isinstance(job.result, RememberResult):
        _ended(job.result)


def told(done: RememberResult) -> None:
    """Say what became of the facts, and offer to take them back."""
    left_out = f" Left out: {' '.join(done.refused[:5])}" if done.refused else ""
    undo_offer.report_done(said_of(done) + left_out, done.batch_id)


def _ended(done: RememberResult) -> None:
    if done.outcome != "extraction_failed":
        told(done)
    st.error("It was tried again and failed. No fact was stored; the conversation is kept.")
    st.code(done.reason, language=None, wrap_lines=True)


def _is_running() -> bool:
    job = jobs.job(DRAWING)
    return job is not None and job.state == "running"


def _begin(memory: Memory, id: str) -> None:
    jobs.start(DRAWING, lambda: memory.conversation.retry(id)).wait(AT_ONCE)
    st.rerun()
