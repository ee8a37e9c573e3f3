"""Copies of the memory: made, listed, and put in its place; each with its proof."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from memory_core import Memory
from memory_core.model.maintenance import Backup, RestoredBackup

from .. import tables
from ..components.elements import part, show
from ..components.formatting import size
from ..saving import undo_offer
from ..saving.apply import reload_pages, run_operation


def show_backups(memory: Memory) -> None:
    st.write(
        "A backup is a consistent copy of the whole database. It is verified before it is listed: "
        "opened, integrity-checked and counted. The ten newest are kept."
    )
    if st.button("Back up now"):
        with st.spinner("Creating and verifying"):
            made: Backup | None = run_operation(
                "No backup was created. The memory is unchanged.",
                lambda m: m.upkeep.create_backup(),
            )
        if made:
            st.session_state["copied"] = made
            st.rerun()
    if copied := st.session_state.get("copied"):
        about = f"{Path(copied.path).name}, {size(copied.size_bytes)}, verified"
        show(
            part("p", "strong", about), undo_offer.row_count_parts(copied.rows), key="copied_proof"
        )
    listed = memory.upkeep.list_backups()
    if not listed:
        st.info("No backups yet.")
        return
    st.dataframe(tables.backups_table(listed, memory.db.clock()), hide_index=True)
    st.code(str(memory.upkeep.folder), language=None)
    _restore(listed)


def _restore(listed: list[Path]) -> None:
    st.subheader("Restore")
    st.write(
        "Replaces the whole memory with a backup, for all clients. The backup is verified first, "
        "and the current database is kept as another backup."
    )
    with st.form("restore", border=False):
        chosen = st.selectbox("Backup", [path.name for path in listed])
        typed = st.text_input("Type the backup's name to confirm", key="restore_name")
        sent = st.form_submit_button("Restore this backup")
    if sent and typed.strip() != chosen:
        st.error("The name does not match. Nothing was restored.")
    elif sent:
        with st.spinner("Verifying and restoring"):
            done: RestoredBackup | None = run_operation(
                "Nothing was restored. The memory is unchanged.",
                lambda m: m.upkeep.restore_backup(str(chosen), confirm=typed.strip()),
            )
        if done:
            st.session_state["restored"] = done
            reload_pages(f"Restored {Path(done.restored).name}.")
    if last := st.session_state.get("restored"):
        kept = f"The previous database is kept as {Path(last.replaced).name}; restore it to revert."
        show(
            part("p", "strong", f"Restored from {Path(last.restored).name}, verified"),
            undo_offer.row_count_parts(last.rows),
            part("p", "faint", kept),
            key="restored_proof",
        )
