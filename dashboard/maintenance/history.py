"""Size of the history, preview of trimming, and the button that trims."""

from __future__ import annotations

import streamlit as st

from memory_core import Memory
from memory_core.model.maintenance import HistorySize, TrimResult

from ..components.formatting import format_count, number, size
from ..saving.apply import reload_pages, run_operation


def show_history(memory: Memory) -> None:
    st.subheader("History")
    st.write(
        "Every change is kept, so that it can be viewed and undone. Trimming deletes old states "
        "permanently; current records stay as they are."
    )
    days, versions, _ = st.columns([1, 1, 2])
    settings = memory.settings
    keep_days = days.number_input(
        "Keep days",
        0,
        36_500,
        settings.history_keep_days,
        help="Every state of these days is kept. 0: no limit. Default: HISTORY_KEEP_DAYS.",
    )
    keep_versions = versions.number_input(
        "Keep versions",
        0,
        1_000_000,
        settings.history_keep_versions,
        help="So many newest states of each record are kept. 0: no limit. Default: "
        "HISTORY_KEEP_VERSIONS. A state that either limit keeps is kept.",
    )
    preview = memory.history_trimming.history_size(
        keep_days=int(keep_days), keep_versions=int(keep_versions)
    )
    st.write(_describe(preview))
    if preview.trimmable_changes:
        _trim(preview)


def _describe(preview: HistorySize) -> str:
    now = f"{format_count(preview.changes, 'change')}, {size(preview.size_bytes)}."
    if not preview.keep_days and not preview.keep_versions:
        return f"{now} No limit is set, so nothing can be trimmed."
    if not preview.trimmable_changes:
        return f"{now} Nothing is older than these limits."
    return (
        f"{now} Trimming deletes {format_count(preview.trimmable_changes, 'change')} of "
        f"{format_count(preview.trimmable_records, 'record')}."
    )


def _trim(preview: HistorySize) -> None:
    with st.form("trim_history", border=False):
        backup = st.checkbox("Create a backup first; it still holds the old states", value=True)
        confirmed = st.checkbox(f"Delete {number(preview.trimmable_changes)} changes permanently")
        sent = st.form_submit_button("Trim history")
    if sent and not confirmed:
        st.error("Nothing was deleted. Tick the box to confirm.")
    elif sent:
        with st.spinner("Trimming"):
            done: TrimResult | None = run_operation(
                "The history was not trimmed.",
                lambda memory: memory.history_trimming.trim_history(
                    keep_days=preview.keep_days,
                    keep_versions=preview.keep_versions,
                    backup=backup,
                ),
            )
        if done:
            freed = max(0, done.before.size_bytes - done.after.size_bytes)
            reload_pages(
                f"Deleted {format_count(done.deleted_changes, 'change')}; the history is "
                f"{size(freed)} smaller."
            )
