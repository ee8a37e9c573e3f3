"""What tests of entries write and look at."""

from __future__ import annotations

from memory_core.storage.tracked import TRACKED

TAGS = ["tea", "morning", "drinks", "habit", "kitchen"]


def write(memory, summary="Ann drinks green tea", tags=TAGS, **more):
    return memory.entries.write(summary, tags, **{"category": "other", **more})


def rows(memory):
    """Return every row of every tracked table."""
    with memory.db.read() as connection:
        return {
            tracked.table: connection.execute(
                f"select * from {tracked.table} order by id"
            ).fetchall()
            for tracked in TRACKED
        }


def scores(memory, query="Ann drinks green tea"):
    found = memory.entry_query.query(query, score_threshold=0, top_k=50)
    return {hit.summary: hit.score for hit in found.hits}
