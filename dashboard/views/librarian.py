"""Page Librarian: findings, runs, pending decisions and schedule."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import streamlit as st

from dashboard import state
from dashboard.components.elements import part, show
from dashboard.components.formatting import format_count, number
from dashboard.components.links import open_entity
from dashboard.components.paging import offset_of, pager
from dashboard.librarian import cycles
from dashboard.librarian.background_form import background_form
from dashboard.librarian.review import show_review
from dashboard.saving import undo, undo_offer
from dashboard.saving.apply import apply_batch
from dashboard.work import jobs
from dashboard.work.polling import poll
from memory_core import ALL_USERS, Memory, MemoryCoreError
from memory_core.model.graph.librarian import Cycle, CycleKind, CyclePage, LibrarianReport

JOB = "librarian"
LOOK_AGAIN = 0.5
TABS = ("Review", "Concepts", "Cycles")
CYCLES = 20
CONCEPTS = 20
KINDS: dict[CycleKind | Literal[""], str] = {
    "": "every kind",
    "librarian": "librarian",
    "discovery": "discovery",
    "upkeep": "upkeep",
}


def page() -> None:
    memory, project = state.memory(), state.project()
    waiting = memory.suggestions.list_suggestions(project_id=project, limit=1).total
    last = memory.librarian.list_cycles(project_id=project, kind="librarian", limit=1).cycles
    st.title(_sentence(waiting))
    undo.show_offer()
    _head(memory, project, last)
    review, concepts, runs = st.tabs(TABS, key="librarian_tab", on_change="rerun")
    if review.open:
        with review:
            if last or waiting:
                show_review(project)
            else:
                _empty()
    if concepts.open:
        with concepts:
            _concepts(memory, project)
    if runs.open:
        with runs:
            _cycles(memory, project)


def _sentence(waiting: int) -> str:
    if not waiting:
        return "Nothing that the librarian noticed waits for a decision"
    verb = "waits" if waiting == 1 else "wait"
    return f"{format_count(waiting, 'thing')} that the librarian noticed {verb} for a decision"


def _empty() -> None:
    st.write(
        "A cycle groups what is similar and names each group as a concept, looks for one thing "
        "said twice, for facts that exclude each other, and for similar entities that no one "
        "has related. It deletes nothing and merges nothing: what it noticed waits here for "
        "you. A dry run shows what it would do and writes nothing. Run the first one above."
    )


def _head(memory: Memory, project: str, last: list[Cycle]) -> None:
    now = memory.db.clock()
    status = memory.discovery.background_status()
    said = cycles.last_parts(last[0], now) if last else [part("span", "faint", "no cycle yet")]
    left, right = st.columns([3, 2], vertical_alignment="center")
    with left:
        show(*said, *cycles.background_parts(status, now), key="last_cycle")
    with right, st.container(horizontal=True, horizontal_alignment="right"):
        running = _is_running()
        poll(lambda: _work(memory, project, running), every=LOOK_AGAIN if running else None)
        with st.popover("Settings"):
            background_form(status)
    _outcome()


def _is_running() -> bool:
    job = jobs.find_job(JOB)
    return job is not None and job.state == "running"


def _work(memory: Memory, project: str, was_running: bool) -> bool:
    """Show the buttons, or how far the run is; return whether it is over since."""
    job = jobs.find_job(JOB)
    if job is not None and job.state == "running":
        st.progress(job.share, job.message or "Beginning")
        if st.button("Cancel", disabled=job.stopping, key="cycle_cancel"):
            job.stop()
            st.rerun()
        return False
    with st.container(horizontal=True, width="content"):
        every = project == state.EVERY_PROJECT
        where = "in every project, one after the other" if every else "in the project"
        run = st.button("Run now", type="primary", key="cycle_run", help=f"A cycle {where}.")
        dry = st.button("Dry run", key="cycle_dry", help=f"A cycle {where} that writes nothing.")
    if run or dry:
        jobs.start_job(JOB, cycle_of(memory, project, dry_run=dry))
        st.rerun()
    return was_running


def cycle_of(memory: Memory, project: str, *, dry_run: bool) -> Callable[[], list[LibrarianReport]]:
    """Return the work of a cycle over one project or, one after the other, over all."""

    def run() -> list[LibrarianReport]:
        projects = memory.discovery.list_projects() if project == state.EVERY_PROJECT else [project]
        return [memory.librarian.run_cycle(project_id=each, dry_run=dry_run) for each in projects]

    return run


def _outcome() -> None:
    """Show how the last run from here ended, until it is closed."""
    job = jobs.find_job(JOB)
    if job is None or job.state == "running":
        return
    with st.container(border=True):
        if job.state == "failed":
            st.error("The cycle failed. What it had written by then is listed among the cycles.")
            st.code(job.error or "server.log has the details.", language=None, wrap_lines=True)
        elif job.state == "stopped":
            st.write("The cycle was stopped. What it had written by then can be undone below.")
        else:
            _reports(job)
        if st.button("Close", key="outcome_close", type="tertiary"):
            jobs.discard_job(JOB)
            st.rerun()


def _reports(job: jobs.Job) -> None:
    reports = job.result if isinstance(job.result, list) else []
    if not reports:
        st.write("There is no project to look through yet.")
        return
    dry = any(report.cycle.dry_run for report in reports)
    projects = format_count(len(reports), "project")
    nothing = "It would do this in {}; nothing was written."
    st.write((nothing if dry else "Done in {}.").format(projects))
    parts = [each for report in reports for each in cycles.report_parts(report)]
    with st.expander("What it found", expanded=dry):
        show(*parts, key="report")


def _concepts(memory: Memory, project: str) -> None:
    offset = offset_of("concepts", project)
    found = memory.librarian.list_concepts(project_id=project, limit=CONCEPTS, offset=offset)
    if not found.total:
        st.write(
            "A concept is an entity that the librarian makes for a group of similar ones, and "
            "that follows its group as it grows and shrinks. None has been made here yet: it "
            "takes three similar entities."
        )
    picked = show(*[cycles.concept_parts(each) for each in found.concepts], key="concepts")
    pager("concepts", len(found.concepts), found.total, size=CONCEPTS)
    if picked:
        open_entity(picked)


def _cycles(memory: Memory, project: str) -> None:
    kind = st.selectbox(
        "Kind",
        list(KINDS),
        format_func=lambda each: KINDS[each],
        label_visibility="collapsed",
        width=180,
        key="cycle_kind",
    )
    offset = offset_of("cycles", project, kind)
    found = memory.librarian.list_cycles(
        project_id=project, kind=kind or None, limit=CYCLES, offset=offset
    )
    if not found.total:
        st.write("Each run leaves a line here: when, by whom, how long, and what it did.")
        return
    table = cycles.cycles_table(found.cycles, memory.db.clock())
    st.dataframe(table, hide_index=True, key="cycles_table")
    pager("cycles", len(found.cycles), found.total, size=CYCLES)
    _one_cycle(memory, found)


def _one_cycle(memory: Memory, found: CyclePage) -> None:
    """Show everything of one run, and offer to take it back."""
    by_id = {cycle.id: cycle for cycle in found.cycles}
    chosen = st.selectbox(
        "Look at one", list(by_id), format_func=lambda each: f"Cycle {number(each)}", width=180
    )
    cycle = by_id[int(chosen or found.cycles[0].id)]
    left, right = st.columns(2, gap="large")
    with left:
        if cycle.counts:
            table = cycles.counts_table(cycle)
            st.dataframe(table, hide_index=True, height="content", key="cycle_counts")
        if cycle.error:
            show(part("p", "", cycle.error), key="cycle_error")
    with right:
        if cycle.first_seq is None:
            st.write("It wrote nothing, so there is nothing to undo.")
        else:
            _undo(memory, cycle)


def _undo(memory: Memory, cycle: Cycle) -> None:
    """Say first what an undo would do, then do it."""
    if st.session_state.get("undo_asked") != cycle.id:
        if st.button("What would an undo do?", key="cycle_preview"):
            st.session_state["undo_asked"] = cycle.id
            st.rerun()
        return
    try:
        tried = memory.undo.undo(
            cycle.batch_id, dry_run=True, project_id=state.EVERY_PROJECT, user_id=ALL_USERS
        )
    except MemoryCoreError as error:
        state.show_error("This cycle cannot be undone. Nothing was changed.", error)
        return
    names = [each.title for each in tried.left_alone]
    show(part("p", "", cycles.describe_undo(tried.reverted, names)), key="undo_preview")
    if tried.reverted and st.button("Undo this cycle", type="primary", key="cycle_undo"):
        batch_id = apply_batch(
            "The cycle was not undone.",
            lambda memory: memory.undo.undo(
                cycle.batch_id, project_id=state.EVERY_PROJECT, user_id=ALL_USERS
            ),
        )
        if batch_id:
            st.session_state["undo_asked"] = None
            undo_offer.report_done(f"Cycle {cycle.id} was undone.", batch_id)


page()
