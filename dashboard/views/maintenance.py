"""Whether the memory is sound, and what keeps it so."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import streamlit as st

from dashboard import jobs, state, tables, undo_offer
from dashboard.elements import Part, part, show
from dashboard.job_progress import show_progress
from dashboard.words import ago, counted, exact, number, size
from memory_core import Memory, MemoryCoreError
from memory_core.model.health import Checkup, HealthReport
from memory_core.model.upkeep import Backup, Erased, Optimized, RestoredBackup

REINDEX = "reindex"
TABS = ("Vectors", "Space", "Backups", "Clear")


def page() -> None:
    memory = state.memory()
    quick = memory.health.report(thorough=False)
    # What a thorough look found holds until something is written.
    at, checkup = st.session_state.get("checkup_at", 0), st.session_state.get("checkup")
    report = checkup.report if checkup and at == quick.journal.newest_seq else quick
    st.title(_sentence(report, quick.vectors.pending))
    _figures(quick, memory.db.clock())
    undo_offer.offer()
    _health(report)
    vectors, space, copies, clear = st.tabs(TABS, key="upkeep_tab")
    with vectors:
        _vectors(memory)
    with space:
        _space()
    with copies:
        _copies(memory)
    with clear:
        _clear(memory)


def _sentence(report: HealthReport, waiting: int) -> str:
    if not report.problems:
        said = "The memory is sound" if report.thorough else "Nothing is wrong at a quick look"
        waits = counted(waiting, "text waits", "texts wait")
        return f"{said}, {waits} for a vector" if waiting else said
    if report.status == "red":
        return f"{counted(len(report.problems), 'thing')} must be mended"
    return f"{counted(len(report.problems), 'thing')} may need a look"


def _figures(report: HealthReport, now: datetime) -> None:
    copied = Path(report.last_backup) if report.last_backup else None
    figures = (
        ("Memory file", size(report.file.size_bytes)),
        ("Changes", number(report.journal.newest_seq)),
        ("Waiting for a vector", number(report.vectors.pending)),
        ("Last backup", ago(_made(copied), now) if copied else "none"),
    )
    with st.container(horizontal=True):
        for label, value in figures:
            st.metric(label, value, width=170)


def _health(report: HealthReport) -> None:
    """Show how each part is, and offer to look closely and to mend."""
    with st.container(horizontal=True):
        look = st.button("Check everything", type="secondary" if report.problems else "primary")
        mend = bool(report.problems) and st.button("Repair", type="primary")
    if look or mend:
        checkup = _checkup(repair=mend)
        if checkup:
            st.session_state["checkup"] = checkup
            st.session_state["checkup_at"] = checkup.report.journal.newest_seq
            st.rerun()
    show(*[_problem(each.colour, each.what, each.way_out) for each in report.problems], key="bad")
    if last := st.session_state.get("checkup"):
        show(*_proof(last), key="proof")
    parts = _parts_of(report)
    left, right = st.columns(2, gap="large")
    for place, (name, rows) in enumerate(parts.items()):
        with left if place % 2 == 0 else right:
            show(part("h3", "", name), *_rows(rows), key=f"part_{place}")


def _checkup(*, repair: bool) -> Checkup | None:
    what = "The repair was not done" if repair else "The check was not done"
    with st.spinner("Repairing" if repair else "Reading everything"):
        done: Checkup | None = _tried(
            f"{what}, and nothing was changed.", lambda m: m.health.checkup(repair=repair)
        )
    return done


def _problem(colour: str, what: str, way_out: str) -> Part:
    word = "wrong" if colour == "red" else "note"
    heading = part(
        "div", "line", part("span", f"chip {colour}", word), part("span", "strong", what)
    )
    return part("div", "item", heading, part("div", "faint", way_out))


def _proof(checkup: Checkup) -> list[Part]:
    """Say what was looked at and done, so that nobody has to believe it."""
    report = checkup.report
    at = f"Everything was read at {exact(report.checked_at)}."
    if not checkup.repaired:
        return [part("p", "faint", f"{at} {_verdict(report)}")]
    before = ", ".join(problem.what for problem in checkup.problems_before)
    return [
        part("h3", "", "The repair"),
        part("p", "faint", f"Found before: {before}"),
        part("p", "faint", f"A copy was made first: {checkup.backup}"),
        *[part("p", "", f"\u2713 {step}") for step in checkup.repaired],
        part("p", "", f"{at} {_verdict(report)}"),
    ]


def _verdict(report: HealthReport) -> str:
    left = len(report.problems)
    return f"{counted(left, 'problem')} left." if left else "No problem was found."


def _parts_of(report: HealthReport) -> dict[str, list[tuple[str, str]]]:
    file, text, vectors, journal = report.file, report.text, report.vectors, report.journal

    def read(count: int) -> str:
        # At a quick look nobody has counted these.
        return number(count) if report.thorough else "not checked"

    return {
        "File": [
            ("Place", file.path),
            ("Size", f"{size(file.size_bytes)}, its log {size(file.wal_bytes)}"),
            ("Schema", f"{file.schema_version} of {file.known_schema_version}"),
            ("Integrity", "; ".join(file.integrity)),
            ("Broken references", read(file.broken_references)),
        ],
        "Full text": [
            ("Integrity", text.integrity),
            ("Pieces", number(text.pieces)),
            ("Rows, one for each piece", number(text.rows)),
            ("Unlike the tables", read(text.unlike_the_tables)),
            ("Orphans", read(text.orphans)),
        ],
        "Vectors": [
            ("Model", vectors.model or "none yet"),
            ("Its state", f"{vectors.model_state} {vectors.model_reason}".strip()),
            ("Stored", number(vectors.stored)),
            ("Waiting", number(vectors.pending)),
            ("Lost or damaged", read(vectors.lost + vectors.damaged)),
        ],
        "Journal": [
            ("Newest change", number(journal.newest_seq)),
            ("Made", exact(journal.newest_at) if journal.newest_at else "never"),
            ("Unlike the tables", read(journal.unlike_the_tables)),
            ("Out of order", read(journal.backwards)),
        ],
    }


def _rows(listed: list[tuple[str, str]]) -> list[Part]:
    return [
        part(
            "div",
            "row tight",
            part("span", "faint", name),
            # Of a path the last part is enough to see; the rest is there on hover.
            part("span", "", Path(value).name if name == "Place" else value, title=value),
        )
        for name, value in listed
    ]


def _vectors(memory: Memory) -> None:
    """Make vectors anew, in a thread that every tab can see."""
    st.write(
        "Every text is searched by a vector that the embedding model makes of it. After "
        "EMBEDDING_MODEL has changed they are all made anew; otherwise only those that are "
        "missing. Searches go on meanwhile, by full text where there is no vector yet."
    )
    if show_progress(REINDEX):
        return
    if job := jobs.job(REINDEX):
        _ended(job)
    st.caption(f"{counted(memory.follower.pending(), 'text')} waiting for a vector")
    if st.button("Make vectors anew"):
        jobs.start(REINDEX, memory.reindex)
        st.rerun()


def _ended(job: jobs.Job) -> None:
    if job.state == "failed":
        st.error(
            "The vectors were not made. The texts and the vectors that were there are as before."
        )
        st.code(job.error or "The log of the dashboard says why.", language=None, wrap_lines=True)
    elif job.state == "stopped":
        st.warning(
            "Cancelled. What has a vector keeps it; what still waits is embedded in the background."
        )
    else:
        st.success(f"Done: {counted(int(str(job.result)), 'vector')} made.")


def _space() -> None:
    st.write(
        "Drops vectors of texts that are gone, folds the log into the file and gives back the room "
        "that nothing uses. Nothing that is remembered is touched, and neither is its past."
    )
    if st.button("Optimise"):
        with st.spinner("Tidying up"):
            st.session_state["optimised"] = _tried(
                "The file was not made smaller. Nothing that is remembered was changed.",
                lambda memory: memory.optimize(),
            )
    done: Optimized | None = st.session_state.get("optimised")
    if done is None:
        return
    if done.notice:
        st.warning("The file could not be made smaller now; try again when nothing reads it.")
    st.dataframe(tables.sizes_table(done), hide_index=True)


def _copies(memory: Memory) -> None:
    st.write(
        "A copy is the whole memory at one moment. It is proven before it gets its name: opened, "
        "checked page by page, and counted. The ten newest are kept."
    )
    if st.button("Back up now"):
        with st.spinner("Copying and proving"):
            made: Backup | None = _tried(
                "No copy was made, and the memory is as it was.", lambda m: m.upkeep.backup()
            )
        if made:
            st.session_state["copied"] = made
            st.rerun()
    if copied := st.session_state.get("copied"):
        about = f"{Path(copied.path).name}, {size(copied.size_bytes)}, proven to hold"
        show(part("p", "strong", about), undo_offer.proof(copied.rows), key="copied_proof")
    listed = memory.upkeep.backups()
    if not listed:
        st.info("There is no copy yet. The first one appears here.")
        return
    st.dataframe(tables.backups_table(listed, memory.db.clock()), hide_index=True)
    st.code(str(memory.upkeep.folder), language=None)
    _restore(listed)


def _restore(listed: list[Path]) -> None:
    st.subheader("Restore")
    st.write(
        "Replaces the whole memory by a copy, for everyone who uses it. The copy is proven first, "
        "and what is replaced is kept as a copy of its own."
    )
    with st.form("restore", border=False):
        chosen = st.selectbox("Copy", [path.name for path in listed])
        typed = st.text_input("Type the name of the copy to confirm", key="restore_name")
        sent = st.form_submit_button("Restore this copy")
    if sent and typed.strip() != chosen:
        st.error("That is not the name of the copy. Nothing was restored.")
    elif sent:
        with st.spinner("Proving and restoring"):
            done: RestoredBackup | None = _tried(
                "Nothing was restored, and the memory is as it was.",
                lambda m: m.upkeep.restore_backup(str(chosen), confirm=typed.strip()),
            )
        if done:
            st.session_state["restored"] = done
            _start_over(f"Restored {Path(done.restored).name}.")
    if last := st.session_state.get("restored"):
        kept = (
            f"What was there before is kept as {Path(last.replaced).name}; restore it to go back."
        )
        show(
            part("p", "strong", f"The memory now is {Path(last.restored).name}, proven to hold"),
            undo_offer.proof(last.rows),
            part("p", "faint", kept),
            key="restored_proof",
        )


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
    show(undo_offer.proof(rows), key="clear_counts")
    if not any(rows.values()):
        st.info("There is nothing to erase.")
        return
    st.write("To confirm, type the name of the " + ("memory file:" if whole else "project:"))
    st.code(word, language=None)
    with st.form("clear", border=False):
        backup = st.checkbox("Make a copy first; it still holds everything", value=True)
        typed = st.text_input("Name", key="clear_name", label_visibility="collapsed")
        sent = st.form_submit_button("Erase for good")
    if sent and typed.strip() != word:
        st.error("That is not the name. Nothing was erased.")
    elif sent:
        with st.spinner("Erasing"):
            done: Erased | None = _tried(
                "Nothing was erased.",
                lambda m: m.upkeep.clear(project, project_id=project, backup=backup),
            )
        if done:
            _start_over(f"Erased {counted(sum(done.erased.values()), 'row')}. {done.notice}")


def _tried(failing: str, act: Callable[[Memory], Any]) -> Any:
    """Do something in the name of the dashboard; say *failing* and return None if it fails."""
    try:
        with state.editing() as memory:
            return act(memory)
    except MemoryCoreError as error:
        state.failed(failing, error)
        return None


def _start_over(said: str) -> None:
    """Forget all that was read before: numbers of changes may mean something else now."""
    st.cache_data.clear()
    for key in ("checkup", "optimised"):
        st.session_state.pop(key, None)
    undo_offer.done(said)


def _made(path: Path) -> datetime:
    return datetime.fromtimestamp(path.stat().st_mtime, UTC)


@st.cache_data(show_spinner=False, max_entries=16)
def _rows_of(project: str, seq: int) -> dict[str, int]:
    return state.memory().upkeep.rows_of(project)


page()
