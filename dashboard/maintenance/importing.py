"""A file into the memory: first what it would bring, then the import, and the way back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import streamlit as st

from memory_core import ALL_USERS, Memory, MemoryCoreError, as_one_batch, new_id
from memory_core.model.import_export import Imported

from .. import state
from ..components.elements import Part, part, show
from ..components.formatting import counted, number
from ..saving import undo_offer
from ..work import jobs
from ..work.job_progress import show_progress, tell_failed

PREVIEW, IMPORT = "import_preview", "import"
# A small file is read while one waits.
AT_ONCE = 1.5
# How a person calls a format, and how the service does; a bundle is a folder, and comes as a zip.
FORMATS = {
    "Find out": "auto",
    "Export of this program": "jsonl",
    "Knowledge-graph server (JSON lines)": "mcp",
    "SQLite file": "sqlite",
    "Open Knowledge Format bundle (zip of its folder)": "okf",
}
READ_AS = {
    "jsonl": "an export of this program",
    "memory": "a memory file of this program",
    "mcp": "the file of a knowledge-graph server",
    "sqlite": "the SQLite file of another program",
    "okf": "an Open Knowledge Format bundle",
}
SHOWN = 20


@dataclass(frozen=True)
class Given:
    """A file that was handed in, and how it is to be read."""

    name: str
    content: bytes = field(repr=False)
    format: str
    project: str


@dataclass(frozen=True)
class Previewed:
    """What an import of a file would do."""

    given: Given
    would: Imported


def take_in(memory: Memory) -> None:
    """Offer the form, or show how far its file has come."""
    st.subheader("Import")
    st.write(
        "Adds what a file says. Nothing that is there is lost by it, what is known already is not "
        "written twice, and one Undo takes all of it back. You see first what it would bring."
    )
    if show_progress(PREVIEW) or show_progress(IMPORT):
        return
    if job := jobs.job(IMPORT):
        _ended(job)
    if job := jobs.job(PREVIEW):
        _previewed(memory, job)
        return
    _form(memory)


def _form(memory: Memory) -> None:
    project = state.project()
    with st.form("import", border=False, clear_on_submit=True):
        given = st.file_uploader("File", key="import_file")
        called = str(st.selectbox("Format", list(FORMATS), key="import_format"))
        into = st.text_input(
            "Into the project",
            "" if project == state.EVERY_PROJECT else project,
            help="Empty: the rows of an export keep their own; all else goes into default.",
        )
        sent = st.form_submit_button("Show what it would bring", type="primary")
    if sent and given is None:
        st.error("There is no file yet. Choose one.")
    elif sent and given is not None:
        _preview(memory, Given(given.name, given.getvalue(), FORMATS[called], into.strip()))


def _preview(memory: Memory, given: Given) -> None:
    def act() -> Previewed:
        with _laid_down(memory, given) as path:
            would = memory.interchange.preview(path, format=given.format, project_id=given.project)
        return Previewed(given, would)

    jobs.put_away(IMPORT)
    jobs.start(PREVIEW, act).wait(AT_ONCE)
    st.rerun()


def _previewed(memory: Memory, job: jobs.Job) -> None:
    """Show what the import would do, with the button that does it."""
    seen = job.result
    if isinstance(seen, Previewed):
        show(*_report(seen.would, "would be"), key="previewed")
        changes = sum(seen.would.added.values())
        if not changes:
            st.info("Nothing in it is new: an import would add no row.")
    elif job.state == "stopped":
        st.warning("Cancelled. Nothing was imported.")
    else:
        tell_failed("The file cannot be imported. Nothing was changed.", job)
    with st.container(horizontal=True):
        if isinstance(seen, Previewed) and st.button("Import it", type="primary"):
            _begin(memory, seen.given)
        if st.button("Choose another file"):
            jobs.put_away(PREVIEW)
            st.rerun()


def _begin(memory: Memory, given: Given) -> None:
    """Import in a thread, so that it goes on whatever becomes of the page."""
    batch_id = new_id()

    def act() -> Imported:
        with _laid_down(memory, given) as path, as_one_batch(batch_id):
            return memory.interchange.import_file(
                path, format=given.format, project_id=given.project
            )

    jobs.put_away(PREVIEW)
    st.session_state["import_batch"] = batch_id
    jobs.start(IMPORT, act).wait(AT_ONCE)
    st.rerun()


@contextmanager
def _laid_down(memory: Memory, given: Given) -> Iterator[str]:
    """Yield where the file lies for as long as it is read."""
    folder = memory.interchange.folder
    folder.mkdir(mode=0o700, exist_ok=True)
    with TemporaryDirectory(dir=folder, prefix="upload-") as place:
        file = Path(place) / (Path(given.name).name or "upload")
        file.write_bytes(given.content)
        yield str(file)


def _ended(job: jobs.Job) -> None:
    """Report how the last import ended; what it wrote can be taken back in any case."""
    batch_id = st.session_state.get("import_batch", "")
    if job.state == "failed":
        tell_failed("The file was not imported as a whole.", job)
    elif job.state == "stopped":
        st.warning("Cancelled. What was read until then is in the memory.")
    elif isinstance(job.result, Imported):
        batch_id = job.result.batch_id
        show(*_report(job.result, "were"), key="imported")
    with st.container(horizontal=True):
        if batch_id and st.button("Take the import back"):
            _take_back(batch_id)
        if st.button("Close the report"):
            jobs.put_away(IMPORT)
            st.rerun()


def _take_back(batch_id: str) -> None:
    try:
        with state.editing() as memory:
            undone = memory.undo.undo(batch_id, project_id=state.EVERY_PROJECT, user_id=ALL_USERS)
    except MemoryCoreError as error:
        state.show_error("The import was not taken back.", error)
        return
    jobs.put_away(IMPORT)
    rows = sum(undone.reverted.values())
    undo_offer.report_done(f"The import was taken back: {counted(rows, 'row')}.", undone.batch_id)


def _report(done: Imported, were: str) -> list[Part]:
    """Return what is new, what is known and what was left alone, each with its count."""
    added, known = sum(done.added.values()), sum(done.already_there.values())
    parts: list[Part] = [
        part("p", "strong", f"{Path(done.path).name}, read as {READ_AS[done.format]}"),
        part(
            "div",
            "line",
            _count("green", f"{number(added)} new"),
            _count("", f"{number(known)} known already"),
            _count(
                "amber" if done.refused_count else "", f"{number(done.refused_count)} left alone"
            ),
        ),
    ]
    if added:
        parts += [part("h3", "", f"New, {were} added"), undo_offer.row_count_parts(done.added)]
    if known:
        parts += [part("h3", "", "Known already, not written twice")]
        parts.append(undo_offer.row_count_parts(done.already_there))
    if done.notice:
        parts.append(part("p", "", part("span", "chip amber", "note"), f" {done.notice}"))
    if done.refused_count:
        parts.append(part("h3", "", "Left alone: in conflict with what is known, or not sound"))
        parts += [_line(f"{each.where}: {each.why}") for each in done.refused[:SHOWN]]
    if done.mapped:
        parts.append(part("h3", "", "Words that the ontology does not have"))
        parts += [_line(f"{word}: {number(n)}") for word, n in list(done.mapped.items())[:SHOWN]]
    if done.not_recognised:
        parts.append(part("h3", "", "Not understood"))
        parts += [_line(each) for each in done.not_recognised[:SHOWN]]
    return parts


def _count(colour: str, said: str) -> Part:
    return part("span", f"chip {colour}".strip(), said)


def _line(text: str) -> Part:
    more: dict[str, Any] = {"title": text} if len(text) > 300 else {}
    return part("div", "tight", text[:300], **more)
