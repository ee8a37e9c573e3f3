"""Write and read entries in tests."""

from __future__ import annotations

TAGS = ["tea", "morning", "drinks", "habit", "kitchen"]


def write(memory, summary="Ann drinks green tea", tags=TAGS, **more):
    return memory.entries.write_entry(summary, tags, **{"category": "other", **more})


def scores(memory, query="Ann drinks green tea"):
    found = memory.entry_query.query_entries(query, score_threshold=0, top_k=50)
    return {hit.summary: hit.score for hit in found.hits}
