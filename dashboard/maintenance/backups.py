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


def copies(memory: Memory) -> None:
    st.write(
        "A copy is the whole memory at one moment. It is proven before it gets its name: opened, "
        "checked page by page, and counted. The ten newest are kept."
    )
    if st.button("Back up now"):
        with st.spinner("Copying and proving"):
            made: Backup | None = run_operation(
                "No copy was made, and the memory is as it was.", lambda m: m.upkeep.backup()
            )
        if made:
            st.session_state["copied"] = made
            st.rerun()
    if copied := st.session_state.get("copied"):
        about = f"{Path(copied.path).name}, {size(copied.size_bytes)}, proven to hold"
        show(
            part("p", "strong", about), undo_offer.row_count_parts(copied.rows), key="copied_proof"
        )
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
            done: RestoredBackup | None = run_operation(
                "Nothing was restored, and the memory is as it was.",
                lambda m: m.upkeep.restore_backup(str(chosen), confirm=typed.strip()),
            )
        if done:
            st.session_state["restored"] = done
            reload_pages(f"Restored {Path(done.restored).name}.")
    if last := st.session_state.get("restored"):
        kept = (
            f"What was there before is kept as {Path(last.replaced).name}; restore it to go back."
        )
        show(
            part("p", "strong", f"The memory now is {Path(last.restored).name}, proven to hold"),
            undo_offer.row_count_parts(last.rows),
            part("p", "faint", kept),
            key="restored_proof",
        )
