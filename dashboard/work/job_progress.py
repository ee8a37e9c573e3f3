"""Progress bar, ETA and Cancel button for a background job."""

from __future__ import annotations

import streamlit as st

from ..components.formatting import number
from . import jobs
from .polling import poll

REFRESH_SECONDS = 1.0


def show_progress(name: str) -> bool:
    """Show the job of that name while it runs, then rerun the page; return whether it runs."""
    job = jobs.find_job(name)
    running = job is not None and job.state == "running"
    if running:
        poll(lambda: _show_state(name), every=REFRESH_SECONDS)
    return running


def show_failure(said: str, job: jobs.Job) -> None:
    """Say what failed, and why as far as it is known; the reason may quote memory."""
    st.error(said)
    st.code(job.error or "The log of the dashboard says why.", language=None, wrap_lines=True)


def _show_state(name: str) -> bool:
    """Show how far the work is; return whether it is over."""
    job = jobs.find_job(name)
    if job is None or job.state != "running":
        return True
    said = f"{number(job.done)} of {number(job.total)}" if job.total else "At work"
    if (left := job.seconds_left) is not None:
        said += f", about {_format_duration(left)} left"
    st.progress(job.share, said)
    if st.button("Cancel", disabled=job.stopping, key=f"cancel_{name}"):
        job.stop()
        st.rerun()
    return False


def _format_duration(seconds: float) -> str:
    return f"{max(seconds, 1):.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"
