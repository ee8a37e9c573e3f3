"""The memory as a file: out of it, and the place of the form that brings one in."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import streamlit as st

from memory_core import Memory
from memory_core.model.import_export import Exported

from .. import state
from ..components.elements import part, show
from ..components.formatting import size
from ..saving import undo_offer
from ..saving.apply import run_operation
from .importing import take_in


def exchange(memory: Memory) -> None:
    """Offer both ways."""
    out, into = st.columns(2, gap="large")
    with out:
        _export(memory)
    with into:
        take_in(memory)


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
            done: Exported | None = run_operation(
                "No file was written.",
                lambda m: m.interchange.export(name.strip(), project_id=project),
            )
        if done:
            st.session_state["exported"] = done
    if last := st.session_state.get("exported"):
        _exported(memory, last)


def _exported(memory: Memory, done: Exported) -> None:
    path = Path(done.path)
    show(
        part("p", "strong", f"{path.name}, {size(done.size_bytes)}, holds"),
        undo_offer.row_count_parts(done.rows),
        part("p", "faint mono", f"SHA-256 {done.sha256}"),
        key="exported",
    )
    st.code(str(path), language=None, wrap_lines=True)
    if path.exists():
        st.download_button(
            "Download it",
            partial(memory.interchange.exported, done.path),
            file_name=path.name,
            mime="application/jsonl",
            on_click="ignore",
        )
