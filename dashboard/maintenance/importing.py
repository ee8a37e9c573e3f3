"""Import form: upload, preview, import, undo."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import streamlit as st

from memory_core import Memory, as_one_batch, new_id
from memory_core.model.import_export import ImportResult

from .. import state
from ..components.elements import Part, part, show
from ..components.formatting import format_count, number
from ..saving import undo, undo_offer
from ..work import jobs
from ..work.job_progress import show_failure, show_progress

PREVIEW, IMPORT = "import_preview", "import"
# Wait this long for a small file before showing progress.
AT_ONCE = 1.5
# Label and service name of each format; a bundle is a folder, uploaded as a zip.
FORMATS = {
    "Detect automatically": "auto",
    "Turbovec export (JSON lines)": "jsonl",
    "Knowledge-graph server (JSON lines)": "mcp",
    "SQLite file": "sqlite",
    "Open Knowledge Format bundle (zip of its folder)": "okf",
}
READ_AS = {
    "jsonl": "a Turbovec export",
    "memory": "a Turbovec database",
    "turbovec": "a database of an earlier Turbovec MCP",
    "turbomem": "a turbomem database",
    "vellum": "a VellumMem database",
    "mcp": "a knowledge-graph server file",
    "sqlite": "a foreign SQLite file",
    "okf": "an Open Knowledge Format bundle",
}
SHOWN = 20


@dataclass(frozen=True)
class Upload:
    """An uploaded file with its format and target project."""

    name: str
    content: bytes = field(repr=False)
    format: str
    project: str


@dataclass(frozen=True)
class Preview:
    """Result of a trial import."""

    given: Upload
    would: ImportResult


def show_import(memory: Memory) -> None:
    st.subheader("Import")
    st.write(
        "Adds the contents of a file. Existing data is kept, duplicates are skipped, and one Undo "
        "reverts the whole import. A preview comes first."
    )
    if show_progress(PREVIEW) or show_progress(IMPORT):
        return
    if job := jobs.find_job(IMPORT):
        _outcome(job)
    if job := jobs.find_job(PREVIEW):
        _preview_result(memory, job)
        return
    _form(memory)


def _form(memory: Memory) -> None:
    project = state.project()
    with st.form("import", border=False, clear_on_submit=True):
        given = st.file_uploader("File", key="import_file")
        called = str(st.selectbox("Format", list(FORMATS), key="import_format"))
        into = st.text_input(
            "Project",
            "" if project == state.EVERY_PROJECT else project,
            help="Empty: rows of an export keep their project; other files go into default.",
        )
        sent = st.form_submit_button("Preview import", type="primary")
    if sent and given is None:
        st.error("Choose a file first.")
    elif sent and given is not None:
        _preview(memory, Upload(given.name, given.getvalue(), FORMATS[called], into.strip()))


def _preview(memory: Memory, given: Upload) -> None:
    def act() -> Preview:
        with _temporary_copy(memory, given) as path:
            would = memory.interchange.preview_import(
                path, format=given.format, project_id=given.project
            )
        return Preview(given, would)

    jobs.discard_job(IMPORT)
    jobs.start_job(PREVIEW, act).wait(AT_ONCE)
    st.rerun()


def _preview_result(memory: Memory, job: jobs.Job) -> None:
    """Show the preview and the Import button."""
    seen = job.result
    if isinstance(seen, Preview):
        show(*_report(seen.would, "would be"), key="previewed")
        changes = sum(seen.would.added.values())
        if not changes:
            st.info("All rows exist already: the import would add nothing.")
    elif job.state == "stopped":
        st.warning("Cancelled. Nothing was imported.")
    else:
        show_failure("The file cannot be imported. Nothing was changed.", job)
    with st.container(horizontal=True):
        if isinstance(seen, Preview) and st.button("Import", type="primary"):
            _begin(memory, seen.given)
        if st.button("Choose another file"):
            jobs.discard_job(PREVIEW)
            st.rerun()


def _begin(memory: Memory, given: Upload) -> None:
    """Import in a thread that outlives the page."""
    batch_id = new_id()

    def act() -> ImportResult:
        with _temporary_copy(memory, given) as path, as_one_batch(batch_id):
            return memory.interchange.import_file(
                path, format=given.format, project_id=given.project
            )

    jobs.discard_job(PREVIEW)
    st.session_state["import_batch"] = batch_id
    jobs.start_job(IMPORT, act).wait(AT_ONCE)
    st.rerun()


@contextmanager
def _temporary_copy(memory: Memory, given: Upload) -> Iterator[str]:
    """Yield the path of a temporary copy of the upload."""
    with memory.interchange.temporary_folder() as place:
        file = place / (Path(given.name).name or "upload")
        file.write_bytes(given.content)
        yield str(file)


def _outcome(job: jobs.Job) -> None:
    """Report the outcome of the last import, with an undo in every case."""
    batch_id = st.session_state.get("import_batch", "")
    if job.state == "failed":
        show_failure("The import did not complete.", job)
    elif job.state == "stopped":
        st.warning("Cancelled. Rows imported before that are in the memory.")
    elif isinstance(job.result, ImportResult):
        batch_id = job.result.batch_id
        show(*_report(job.result, "were"), key="imported")
    with st.container(horizontal=True):
        if batch_id and st.button("Undo import"):
            _undo_import(batch_id)
        if st.button("Close"):
            jobs.discard_job(IMPORT)
            st.rerun()


def _undo_import(batch_id: str) -> None:
    undone = undo.undo("The import was not undone.", batch_id=batch_id)
    if undone is None:
        return
    jobs.discard_job(IMPORT)
    rows = sum(undone.reverted.values())
    undo_offer.report_done(f"The import was undone: {format_count(rows, 'row')}.", undone.batch_id)


def _report(done: ImportResult, were: str) -> list[Part]:
    """Return new, existing and skipped rows with their counts."""
    added, known = sum(done.added.values()), sum(done.already_there.values())
    parts: list[Part] = [
        part("p", "strong", f"{Path(done.path).name}, read as {READ_AS[done.format]}"),
        part(
            "div",
            "line",
            _count("green", f"{number(added)} new"),
            _count("", f"{number(known)} existing"),
            _count("amber" if done.refused_count else "", f"{number(done.refused_count)} skipped"),
        ),
    ]
    if added:
        parts += [part("h3", "", f"New, {were} added"), undo_offer.row_count_parts(done.added)]
    if known:
        parts += [part("h3", "", "Existing, skipped")]
        parts.append(undo_offer.row_count_parts(done.already_there))
    if done.notice:
        parts.append(part("p", "", part("span", "chip amber", "note"), f" {done.notice}"))
    if done.refused_count:
        parts.append(part("h3", "", "Skipped: conflicting or invalid"))
        parts += [_line(f"{each.where}: {each.why}") for each in done.refused[:SHOWN]]
    if done.mapped:
        parts.append(part("h3", "", "Types missing from the ontology"))
        parts += [_line(f"{word}: {number(n)}") for word, n in list(done.mapped.items())[:SHOWN]]
    if done.not_recognised:
        parts.append(part("h3", "", "Unsupported"))
        parts += [_line(each) for each in done.not_recognised[:SHOWN]]
    return parts


def _count(colour: str, said: str) -> Part:
    return part("span", f"chip {colour}".strip(), said)


def _line(text: str) -> Part:
    more: dict[str, Any] = {"title": text} if len(text) > 300 else {}
    return part("div", "tight", text[:300], **more)
