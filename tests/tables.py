"""Dump table contents for before/after comparisons."""

from __future__ import annotations

from memory_core.storage.history.tracked import TRACKED


def rows(memory):
    """Return every row of every tracked table."""
    with memory.db.read() as connection:
        return {
            tracked.table: connection.execute(
                f"select * from {tracked.table} order by id"
            ).fetchall()
            for tracked in TRACKED
        }
