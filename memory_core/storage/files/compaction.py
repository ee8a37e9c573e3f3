"""Sizes of a memory file, and compaction."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import apsw
from apsw import Connection

from .. import database
from ..history import purge
from ..search import embeddings
from .backups import size

_COUNTS = """
select
    (select count(*) from change_log) as changes,
    (select count(*) from pieces) as pieces,
    (select count(*) from embeddings) as embeddings,
    (select count(*) from vector_log) as vector_log
"""

_MERGE_TERMS = """
insert into piece_terms (piece_terms) values ('optimize')
"""

# Rebuilding is as fast for an index that is further behind than this.
_LOG_KEPT = 100_000

# Milliseconds to wait for readers and writers of other processes.
_PATIENCE = 1000


def sizes(connection: Connection, path: Path) -> dict[str, int]:
    """Return the sizes of the parts of a memory file, by the names of model.upkeep.Sizes."""
    row: Any = connection.execute(_COUNTS).fetchone()
    free = int(connection.pragma("freelist_count")) * int(connection.pragma("page_size"))
    wal = path.with_name(f"{path.name}-wal")
    return {"file_bytes": size(path), "wal_bytes": size(wal), "free_bytes": free, **row}


def tidy(connection: Connection) -> tuple[int, int]:
    """Delete unused vectors and log entries that every index has read; return both counts."""
    vectors = embeddings.prune_vectors(connection)
    floor = embeddings.log_position(connection) - _LOG_KEPT
    entries = embeddings.prune_log(connection, floor) if floor > 0 else 0
    connection.execute(_MERGE_TERMS)
    purge.forget_unused_terms(connection)
    return vectors, entries


def reindex(path: Path) -> None:
    """Rebuild all SQLite indexes from the tables."""
    connection = database.connect(path)
    try:
        connection.execute("reindex")
    finally:
        connection.close()


def compact(path: Path) -> bool:
    """
    Return free space to the file system and checkpoint the log; return False if it is in use.

    The file is rewritten, which overwrites erased data. This needs as much free space as the
    file has, and exclusive access.
    """
    connection = database.connect(path)
    connection.set_busy_timeout(_PATIENCE)
    try:
        connection.execute("vacuum")
        busy: Any = connection.execute("pragma wal_checkpoint(truncate)").fetchone()
        return not busy["busy"]
    except (apsw.BusyError, apsw.FullError, apsw.IOError):
        return False
    finally:
        connection.close()
