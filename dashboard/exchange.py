"""The memory as a file: out of it, and into it from an export or from another program."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import streamlit as st

from memory_core import Memory, MemoryCoreError, as_one_batch, new_id
from memory_core.model.interchange import Exported, Imported

from . import jobs, state, undo_offer
from .changes import tried
from .elements import Part, part, show
from .job_progress import show_progress
from .words import counted, number, size

IMPORT = "import"
# How a person calls a format, and how the service does; a bundle is a folder, and comes by a tool.
FORMATS = {
    "Find out": "auto",
    "Export of this program": "jsonl",
    "Knowledge-graph server (JSON lines)": "mcp",
    "SQLite file": "sqlite",
}
SHOWN = 20


def exchange(memory: Memory) -> None:
    """Offer both ways."""
    out, into = st.columns(2, gap="large")
    with out:
        _export(memory)
    with into:
        _import(memory)


def _export(memory: Memory) -> None:
    project = state.project()
    st.subheader("Export")
    st.write(
        "Writes what is known now, all of one moment, as JSON lines that any program can read. "
        "The past is not in it; a backup has that, too."
    )
    what = "all projects" if project == state.EVERY_PROJECT else "the project picked on the left"
    with st.form("export", border=False):
        name = st.text_input("Name of the file", "memory.jsonl", max_chars=200)
        sent = st.form_submit_button(f"Export {what}")
    if sent:
        with st.spinner("Writing"):
            done: Exported | None = tried(
                "No file was written.",
                lambda m: m.interchange.export(name.strip(), project_id=project),
            )
        if done:
            st.session_state["exported"] = done
    if last := st.session_state.get("exported"):
        _exported(last)


def _exported(done: Exported) -> None:
    path = Path(done.path)
    show(
        part("p", "strong", f"{path.name}, {size(done.size_bytes)}, holds"),
        undo_offer.proof(done.rows),
        part("p", "faint mono", f"SHA-256 {done.sha256}"),
        key="exported",
    )
    st.code(str(path), language=None, wrap_lines=True)
    if path.exists():
        st.download_button(
            "Download it",
            path.read_bytes,
            file_name=path.name,
            mime="application/jsonl",
            on_click="ignore",
        )


def _import(memory: Memory) -> None:
    st.subheader("Import")
    st.write(
        "Adds what a file says. Nothing that is there is lost by it, what is known already is not "
        "written twice, and one Undo takes all of it back."
    )
    if show_progress(IMPORT):
        return
    if job := jobs.job(IMPORT):
        _ended(job)
    project = state.project()
    with st.form("import", border=False, clear_on_submit=True):
        given = st.file_uploader("File", key="import_file")
        called = str(st.selectbox("Format", list(FORMATS), key="import_format"))
        into = st.text_input(
            "Into the project",
            "" if project == state.EVERY_PROJECT else project,
            help="Empty: the rows of an export keep their own; all else goes into default.",
        )
        sent = st.form_submit_button("Import", type="primary")
    if sent and given is None:
        st.error("There is no file yet. Choose one.")
    elif sent and given is not None:
        _begin(memory, given.name, given.getvalue(), FORMATS[called], into.strip())


def _begin(memory: Memory, name: str, content: bytes, format: str, project: str) -> None:
    """Import in a thread, so that it goes on whatever becomes of the page."""
    batch_id = new_id()

    def act() -> Imported:
        folder = memory.interchange.folder
        folder.mkdir(mode=0o700, exist_ok=True)
        with TemporaryDirectory(dir=folder, prefix="upload-") as place, as_one_batch(batch_id):
            file = Path(place) / (Path(name).name or "upload")
            file.write_bytes(content)
            return memory.interchange.import_file(str(file), format=format, project_id=project)

    jobs.put_away(IMPORT)
    st.session_state["import_batch"] = batch_id
    jobs.start(IMPORT, act).wait(1.5)
    st.rerun()


def _ended(job: jobs.Job) -> None:
    """Report how the last import ended; what it wrote can be taken back in any case."""
    batch_id = st.session_state.get("import_batch", "")
    if job.state == "failed":
        st.error("The file was not imported as a whole.")
        st.code(job.error or "The log of the dashboard says why.", language=None, wrap_lines=True)
    elif job.state == "stopped":
        st.warning("Cancelled. What was read until then is in the memory.")
    elif isinstance(job.result, Imported):
        batch_id = job.result.batch_id
        show(*_report(job.result), key="imported")
    with st.container(horizontal=True):
        if batch_id and st.button("Take the import back"):
            _take_back(batch_id)
        if st.button("Close the report"):
            jobs.put_away(IMPORT)
            st.rerun()


def _take_back(batch_id: str) -> None:
    try:
        with state.editing() as memory:
            undone = memory.undo.undo(batch_id, project_id=state.EVERY_PROJECT)
    except MemoryCoreError as error:
        state.failed("The import was not taken back.", error)
        return
    jobs.put_away(IMPORT)
    rows = sum(undone.reverted.values())
    undo_offer.done(f"The import was taken back: {counted(rows, 'row')}.", undone.batch_id)


def _report(done: Imported) -> list[Part]:
    name = Path(done.path).name
    added = sum(done.added.values())
    parts: list[Part] = [
        part("p", "strong", f"{name}, read as {done.format}: {counted(added, 'row')} added"),
        undo_offer.proof(done.added),
    ]
    if known := sum(done.already_there.values()):
        parts.append(part("p", "", f"{counted(known, 'row was', 'rows were')} known already."))
    if done.notice:
        parts.append(part("p", "", part("span", "chip amber", "note"), f" {done.notice}"))
    if done.refused_count:
        parts.append(part("h3", "", f"Left alone: {number(done.refused_count)}"))
        parts += [_line(f"{each.where}: {each.why}") for each in done.refused[:SHOWN]]
    if done.mapped:
        parts.append(part("h3", "", "Words that the ontology does not have"))
        parts += [_line(f"{word}: {number(n)}") for word, n in list(done.mapped.items())[:SHOWN]]
    if done.not_recognised:
        parts.append(part("h3", "", "Not understood"))
        parts += [_line(each) for each in done.not_recognised[:SHOWN]]
    return parts


def _line(text: str) -> Part:
    more: dict[str, Any] = {"title": text} if len(text) > 300 else {}
    return part("div", "tight", text[:300], **more)
