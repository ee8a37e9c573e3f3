"""Page Maintenance: health, backups, import and export, erasure."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import streamlit as st

from dashboard import state, tables
from dashboard.components.elements import part, show
from dashboard.components.formatting import ago, format_count, number, size
from dashboard.maintenance.backups import show_backups
from dashboard.maintenance.export import show_export_import
from dashboard.maintenance.health_report import figures_of, problem_parts, proof_parts, row_parts
from dashboard.maintenance.history import show_history
from dashboard.saving import undo, undo_offer
from dashboard.saving.apply import reload_pages, run_operation
from dashboard.work import jobs
from dashboard.work.job_progress import show_failure, show_progress
from memory_core import ALL_USERS, Memory
from memory_core.model.health import HealthCheckResult, HealthReport
from memory_core.model.maintenance import EraseResult, OptimizeResult

REINDEX = "reindex"
TABS = ("Vectors", "Space", "Backups", "Export and import", "Clear")


def page() -> None:
    memory = state.memory()
    quick = memory.health.health_report(thorough=False)
    # What a thorough look found holds until something is written.
    at, checkup = st.session_state.get("checkup_at", 0), st.session_state.get("checkup")
    report = checkup.report if checkup and at == quick.journal.newest_seq else quick
    st.title(_sentence(report, quick.vectors.pending))
    _figures(quick, memory.db.clock())
    undo.show_offer()
    _health(report)
    vectors, space, backups, files, clear = st.tabs(TABS, key="upkeep_tab")
    with vectors:
        _vectors(memory)
    with space:
        _space(memory)
    with backups:
        show_backups(memory)
    with files:
        show_export_import(memory)
    with clear:
        _clear(memory)


def _sentence(report: HealthReport, waiting: int) -> str:
    if not report.problems:
        said = "The memory is sound" if report.thorough else "Nothing is wrong at a quick look"
        waits = format_count(waiting, "text waits", "texts wait")
        return f"{said}, {waits} for a vector" if waiting else said
    if report.status == "red":
        return f"{format_count(len(report.problems), 'problem')} found"
    return f"{format_count(len(report.problems), 'thing')} may need a look"


def _figures(report: HealthReport, now: datetime) -> None:
    copied = Path(report.last_backup) if report.last_backup else None
    figures = (
        ("Memory file", size(report.file.size_bytes)),
        ("Changes", number(report.journal.newest_seq)),
        ("Waiting for a vector", number(report.vectors.pending)),
        ("Last backup", ago(_created_at(copied), now) if copied else "none"),
    )
    with st.container(horizontal=True):
        for label, value in figures:
            st.metric(label, value, width=170)


def _health(report: HealthReport) -> None:
    """Show the state of each part, and offer a full check and a repair."""
    with st.container(horizontal=True):
        look = st.button("Check everything", type="secondary" if report.problems else "primary")
        repair = bool(report.problems) and st.button("Repair", type="primary")
    if look or repair:
        checkup = _checkup(repair=repair)
        if checkup:
            st.session_state["checkup"] = checkup
            st.session_state["checkup_at"] = checkup.report.journal.newest_seq
            st.rerun()
    show(
        *[problem_parts(each.colour, each.what, each.way_out) for each in report.problems],
        key="bad",
    )
    if last := st.session_state.get("checkup"):
        show(*proof_parts(last), key="proof")
    _parts(report)


def _parts(report: HealthReport) -> None:
    """Show each part in figures, folded away where there is nothing new in them."""
    with st.expander("Part by part", expanded=report.thorough or bool(report.problems)):
        left, right = st.columns(2, gap="large")
        for place, (name, rows) in enumerate(figures_of(report).items()):
            with left if place % 2 == 0 else right:
                show(part("h3", "", name), *row_parts(rows), key=f"part_{place}")


def _checkup(*, repair: bool) -> HealthCheckResult | None:
    what = "The repair was not done" if repair else "The check was not done"
    with st.spinner("Repairing" if repair else "Reading everything"):
        done: HealthCheckResult | None = run_operation(
            f"{what}, and nothing was changed.", lambda m: m.health.checkup(repair=repair)
        )
    return done


def _vectors(memory: Memory) -> None:
    """Rebuild vectors in a background job that every tab shows."""
    st.write(
        "Every text is searched by a vector that the embedding model makes of it. After "
        "EMBEDDING_MODEL has changed they are all rebuilt; otherwise only those that are "
        "missing. Searches go on meanwhile, by full text where there is no vector yet."
    )
    if show_progress(REINDEX):
        return
    if job := jobs.find_job(REINDEX):
        _show_result(job)
    st.caption(f"{format_count(memory.follower.pending(), 'text')} waiting for a vector")
    if st.button("Rebuild vectors"):
        jobs.start_job(REINDEX, memory.reindex)
        st.rerun()


def _show_result(job: jobs.Job) -> None:
    if job.state == "failed":
        show_failure(
            "The vectors were not made. The texts and the vectors that were there are as before.",
            job,
        )
    elif job.state == "stopped":
        st.warning(
            "Cancelled. What has a vector keeps it; what still waits is embedded in the background."
        )
    else:
        st.success(f"Done: {format_count(int(str(job.result)), 'vector')} made.")


def _space(memory: Memory) -> None:
    st.write(
        "Drops vectors of texts that are gone, folds the log into the file and gives back the room "
        "that nothing uses. Nothing that is remembered is touched, and neither is its past."
    )
    if st.button("Optimise"):
        with st.spinner("Tidying up"):
            st.session_state["optimised"] = run_operation(
                "The file was not made smaller. Nothing that is remembered was changed.",
                lambda memory: memory.optimize(),
            )
    done: OptimizeResult | None = st.session_state.get("optimised")
    if done and done.notice:
        st.warning("The file could not be made smaller now; try again when nothing reads it.")
    if done:
        st.dataframe(tables.sizes_table(done), hide_index=True)
    show_history(memory)


def _clear(memory: Memory) -> None:
    project = state.project()
    whole = project == state.EVERY_PROJECT
    word = memory.db.path.name if whole else project
    rows = _rows_of(project, state.version())
    st.write(
        "Erases everything in this memory, with its past and for good."
        if whole
        else "Erases everything in the project that is picked on the left, with its past, for good."
    )
    show(undo_offer.row_count_parts(rows), key="clear_counts")
    if not any(rows.values()):
        st.info("There is nothing to erase.")
        return
    what = "memory file" if whole else "project"
    st.write(f"To confirm, type the name of the {what}:")
    st.code(word, language=None)
    with st.form("clear", border=False):
        typed = st.text_input(f"Name of the {what}", key="clear_name")
        backup = st.checkbox("Make a copy first; it still holds everything", value=True)
        sent = st.form_submit_button("Erase for good")
    if sent and typed.strip() != word:
        st.error("That is not the name. Nothing was erased.")
    elif sent:
        with st.spinner("Erasing"):
            done: EraseResult | None = run_operation(
                "Nothing was erased.",
                lambda m: m.upkeep.clear_project(
                    project, project_id=project, user_id=ALL_USERS, backup=backup
                ),
            )
        if done:
            reload_pages(f"Erased {format_count(sum(done.erased.values()), 'row')}. {done.notice}")


def _created_at(path: Path) -> datetime:
    return datetime.fromtimestamp(path.stat().st_mtime, UTC)


@st.cache_data(show_spinner=False, max_entries=16)
def _rows_of(project: str, seq: int) -> dict[str, int]:
    return state.memory().upkeep.rows_of(project)


page()
