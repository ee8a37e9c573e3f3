"""Consistency check of a database: all parts agree and no acknowledged write is lost."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from memory_core.memory import Memory

from .worlds import open_small


class Acknowledged(NamedTuple):
    """A row that was promised: its table and id, and a text that finds it ("" if none does)."""

    table: str
    id: str
    text: str = ""


def complaints(path: Path, promised: Iterable[Acknowledged] = ()) -> list[str]:
    """Open a memory as the next start would, and return all that is wrong with it."""
    memory = open_small(path)
    try:
        return complaints_of(memory, promised)
    finally:
        memory.close()


def complaints_of(memory: Memory, promised: Iterable[Acknowledged] = ()) -> list[str]:
    """Return what is wrong after the next search."""
    promised = list(promised)
    memory.catch_up()
    memory.search.search_memory("rope", project_id="*")
    memory.entry_query.query_entries("rope")
    report = memory.health.health_report()
    found = [f"health: {problem.what}" for problem in report.problems]
    if report.vectors.pending or report.vectors.stored != report.text.pieces:
        found.append(f"vectors: {report.vectors.stored} of {report.text.pieces}")
    if report.vectors.index.vectors != report.text.pieces:
        found.append(f"index: {report.vectors.index.vectors} of {report.text.pieces}")
    found += [f"lost: {row}" for row in _find_lost(memory, promised)]
    return found + [f"not found: {row}" for row in _unfindable(memory, promised)]


def ids_of(memory: Memory, table: str) -> set[str]:
    with memory.db.read() as connection:
        rows: Any = connection.execute(f"select id from {table}").fetchall()
    return {row["id"] for row in rows}


def _find_lost(memory: Memory, promised: list[Acknowledged]) -> list[Acknowledged]:
    by_table: dict[str, list[Acknowledged]] = defaultdict(list)
    for row in promised:
        by_table[row.table].append(row)
    return [
        row
        for table, rows in by_table.items()
        for there in (ids_of(memory, table),)
        for row in rows
        if row.id not in there
    ]


def _unfindable(memory: Memory, promised: list[Acknowledged]) -> list[Acknowledged]:
    """Search for the newest few by full text and by vector; return those that one misses."""
    missed = []
    for row in [row for row in promised if row.text][-3:]:
        for channel in ("vector", "lexical"):
            answer = memory.search.search_memory(
                row.text, project_id="*", channel_weights={channel: 0}
            )
            if row.id not in {hit.row_id for hit in answer.hits}:
                missed.append(row)
    return missed
