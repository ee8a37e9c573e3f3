"""Integrity checks of a memory file: SQLite's own, and consistency between tables."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import apsw
from apsw import Connection

from .. import rebuild, schema
from ..history.tracked import TRACKED
from ..search import embeddings, full_text

_UUID = """
select uuid from store
"""

_NEWEST = """
select seq, at from changes where seq = (select max(seq) from change_log)
"""

_BACKWARDS = """
select count(*)
from (select at, lag(at) over (order by id) as before from change_transactions)
where at < before
"""

_PIECES = """
select count(*) from pieces
"""

# One row per passage. Counting through the full-text table would read all of it.
_TERMS = """
select count(*) from piece_terms_docsize
"""

_ORPHAN_PIECES = """
select count(*) from pieces p
where not exists (select 1 from searchables where id = p.id >> 24 and text is not null)
"""

_ORPHAN_COUNTERS = """
select count(*) from usage u
where not exists (select 1 from searchables where kind = u.kind and row_id = u.row_id)
"""

_VECTORS = """
select store.embedding_model as model,
    (select count(*) from pieces p where exists (
        select 1 from embeddings where model = store.embedding_model and digest = p.digest
    )) as stored,
    (select count(*) from unembedded) as pending,
    (select count(*) from pieces p
        where not exists (select 1 from unembedded where piece_id = p.id)
            and not exists (
                select 1 from embeddings
                where model = store.embedding_model and digest = p.digest
            )) as lost,
    (select count(*) from embeddings
        where model = store.embedding_model
            and length(vector) <> 2 * store.embedding_dimension) as damaged,
    vector_state.pieces <> (select count(*) from pieces)
        or vector_state.unembedded <> (select count(*) from unembedded) as miscounted
from store, vector_state
"""

_IN_FUTURE = """
select count(*)
from change_log l join change_transactions t on t.id = l.txn
where t.at > :now
"""

_CALM_CLOCK = """
update change_transactions set at = :now where at > :now
"""

_CALM_CONTEXT = """
update change_context set at = min(at, :now)
"""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

# Errors that SQLite reports for the full-text index, which is derived data.
_FULL_TEXT = "piece_terms"


@dataclass(frozen=True)
class Newest:
    """The last entry of the audit log."""

    seq: int
    at: str


def identity(connection: Connection) -> dict[str, Any]:
    """Return the identity of this file, by the names of model.health.FileHealth."""
    return {
        "uuid": str(connection.execute(_UUID).get),
        "schema_version": schema.version(connection),
        "application_id": f"{connection.pragma('application_id'):#x}",
        "journal_mode": str(connection.pragma("journal_mode")),
    }


def faults(connection: Connection) -> list[str]:
    """Return SQLite's errors in tables and indexes, without the full-text index."""
    found: list[Any] = connection.execute("pragma integrity_check").fetchall()
    # One column, read independently of its name.
    texts = [next(iter(row.values() if isinstance(row, dict) else row)) for row in found]
    return [str(text) for text in texts if text != "ok" and _FULL_TEXT not in str(text)]


def only_indexes(found: list[str]) -> bool:
    """Return whether all faults are in indexes, which SQLite can rebuild from the tables."""
    return all("index" in fault and "Tree" not in fault for fault in found)


def broken_references(connection: Connection) -> int:
    return len(connection.execute("pragma foreign_key_check").fetchall())


def full_text_fault(connection: Connection) -> str:
    """Return the error of the FTS5 integrity check, or "". Needs a write transaction."""
    try:
        full_text.check(connection)
    except apsw.Error as error:
        return str(error) or type(error).__name__
    return ""


def texts(connection: Connection, *, thorough: bool) -> dict[str, int]:
    """Return the counts of model.health.TextHealth."""
    try:
        rows = int(connection.execute(_TERMS).get)
    except apsw.Error:
        rows = -1
    counts = {"pieces": int(connection.execute(_PIECES).get), "rows": rows}
    if not thorough:
        return counts
    return {
        **counts,
        "unlike_the_tables": rebuild.wrong_texts(connection),
        "orphans": int(connection.execute(_ORPHAN_PIECES).get),
        "orphan_counters": int(connection.execute(_ORPHAN_COUNTERS).get),
        "unlike_the_names": rebuild.wrong_names(connection),
    }


def vectors(connection: Connection, *, thorough: bool) -> dict[str, Any]:
    """Return the counts of model.health.VectorHealth; *thorough* counts the rows."""
    if not thorough:
        now = embeddings.standing(connection)
        return {"model": now.model, "stored": now.indexed, "pending": now.unembedded}
    row: Any = connection.execute(_VECTORS).fetchone()
    return {**row, "miscounted": bool(row["miscounted"])}


def newest(connection: Connection) -> Newest:
    row: Any = connection.execute(_NEWEST).fetchone()
    return Newest(**row) if row else Newest(0, "")


def backwards(connection: Connection) -> int:
    """Return the number of changes older than their predecessor."""
    return int(connection.execute(_BACKWARDS).get)


def unlike_the_journal(connection: Connection) -> Iterator[tuple[str, str]]:
    """Yield kind and id of each row that differs from its last state in the audit log."""
    for tracked in TRACKED:
        columns = [row["name"] for row in connection.execute(f"pragma table_info({tracked.table})")]
        for row in connection.execute(_compare(tracked.table, columns)):
            if not _agree(row["journal"], row["state"]):
                yield tracked.table, row["id"]


def calm_clock(connection: Connection, now: str) -> int:
    """Move changes with future timestamps to *now*, in order; return their number."""
    microseconds = (datetime.fromisoformat(now) - _EPOCH) // timedelta(microseconds=1)
    moved = int(connection.execute(_IN_FUTURE, {"now": microseconds}).get)
    connection.execute(_CALM_CLOCK, {"now": microseconds})
    connection.execute(_CALM_CONTEXT, {"now": now})
    return moved


def _compare(table: str, columns: list[str]) -> str:
    state = ", ".join(f"'{name}', r.{name}" for name in columns)
    newest = (
        "(select state from changes where seq = (select max(seq) from change_log "
        "where row = (select id from terms where text = {1}) "
        "and kind = (select id from terms where text = '{0}')))"
    )
    return f"""
        select r.id, {newest.format(table, "r.id")} as journal, json_object({state}) as state
        from {table} r
        where journal is not json_object({state})
        union all
        select c.row_id, c.state, null
        from changes c
        where c.kind = '{table}' and c.state is not null
            and not exists (select 1 from {table} where id = c.row_id)
            and c.seq = (
                select max(seq) from change_log where row = c.row_term and kind = c.kind_term
            )
        """


def _agree(journal: str | None, state: str | None) -> bool:
    """Compare by columns. Older states lack columns that were added later."""
    if journal is None or state is None:
        return False
    then, now = json.loads(journal), json.loads(state)
    return all(now.get(name) == value for name, value in then.items())
