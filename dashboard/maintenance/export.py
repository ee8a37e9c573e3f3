"""Export form, next to the import form."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import streamlit as st

from memory_core import Memory
from memory_core.model.import_export import ExportResult

from .. import state
from ..components.elements import part, show
from ..components.formatting import size
from ..saving import undo_offer
from ..saving.apply import run_operation
from .importing import show_import


def show_export_import(memory: Memory) -> None:
    out, into = st.columns(2, gap="large")
    with out:
        _export(memory)
    with into:
        show_import(memory)


def _export(memory: Memory) -> None:
    project = state.project()
    st.subheader("Export")
    st.write(
        "Writes a consistent snapshot of the current data as JSON lines. The history is not "
        "included; use a backup for that."
    )
    what = "all projects" if project == state.EVERY_PROJECT else "the selected project"
    with st.form("export", border=False):
        name = st.text_input("File name", "memory.jsonl", max_chars=200)
        sent = st.form_submit_button(f"Export {what}")
    if sent:
        with st.spinner("Writing"):
            done: ExportResult | None = run_operation(
                "The export failed. No file was written.",
                lambda m: m.interchange.export_project(name.strip(), project_id=project),
            )
        if done:
            st.session_state["exported"] = done
    if last := st.session_state.get("exported"):
        _export_result(memory, last)


def _export_result(memory: Memory, done: ExportResult) -> None:
    path = Path(done.path)
    show(
        part("p", "strong", f"{path.name}, {size(done.size_bytes)}, contains"),
        undo_offer.row_count_parts(done.rows),
        part("p", "faint mono", f"SHA-256 {done.sha256}"),
        key="exported",
    )
    st.code(str(path), language=None, wrap_lines=True)
    if path.exists():
        st.download_button(
            "Download",
            partial(memory.interchange.read_export, done.path),
            file_name=path.name,
            mime="application/jsonl",
            on_click="ignore",
        )
