"""
Vector table in a temporary database, searched with the extension sqlite-vec.

SQLite stores data that does not fit its page cache in an unnamed file, which is deleted
with the connection. sqlite-vec compares row ids as 32-bit numbers, so a filter of larger ids
returns wrong rows: vectors get small numbers (slots), and a second table maps them to ids.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import apsw
import numpy as np
from numpy.typing import NDArray

# The maximum that sqlite-vec returns in one search.
MOST_FOUND = 4096

_PAGE_CACHE_KIB = 16_384

_SLOTS = """
create table slots (slot integer primary key, id integer not null unique)
"""

_VECTORS = """
create virtual table vectors using vec0(slot integer primary key, vector float[{dimension}])
"""

_DECLARED = """
select sql from sqlite_schema where name = 'vectors'
"""

_COUNTS = """
select count(*), coalesce(max(slot), 0) from slots
"""

_TAKE_SLOT = """
insert into slots (slot, id) values (?, ?)
"""

_ADD = """
insert into vectors (slot, vector) values (?, ?)
"""

_SLOT_OF = """
select slot from slots where id = ?
"""

_REMOVE = """
delete from vectors where slot = ?
"""

_FREE_SLOT = """
delete from slots where slot = ?
"""

_NEAREST = """
select slots.id, near.distance
from (
    select slot, distance from vectors where vector match :vector and k = :limit
) as near
join slots on slots.slot = near.slot
order by near.distance, slots.id
"""

_NEAREST_ALLOWED = """
select slots.id, near.distance
from (
    select slot, distance
    from vectors
    where vector match :vector and k = :limit and slot in (
        select slot from slots where id in (select value from carray(:allowed))
    )
) as near
join slots on slots.slot = near.slot
order by near.distance, slots.id
"""


class VectorTable:
    """Vectors of one dimension by id. Raises ValueError or RuntimeError, not apsw errors."""

    def __init__(self, dimension: int, *, extension: str, payload: bytes | None = None) -> None:
        """Create an empty table, or load the output of to_bytes(). *extension* is a file."""
        with _translate_errors():
            self._db = _open_database("", extension)
            if payload is None:
                self._db.execute(_SLOTS)
                self._db.execute(_VECTORS.format(dimension=dimension))
            else:
                _fill(self._db, payload, extension)
                if f"float[{dimension}]" not in str(self._db.execute(_DECLARED).get):
                    raise ValueError("another dimension")
            counted: Any = self._db.execute(_COUNTS).fetchone()
            self._count, self._last_slot = map(int, counted)

    def __len__(self) -> int:
        return self._count

    def add(self, ids: Sequence[int], vectors: NDArray[np.float32]) -> None:
        slots = range(self._last_slot + 1, self._last_slot + 1 + len(ids))
        with _translate_errors(), self._db:
            self._db.executemany(_TAKE_SLOT, zip(slots, ids, strict=True))
            rows = ((slot, row.tobytes()) for slot, row in zip(slots, vectors, strict=True))
            self._db.executemany(_ADD, rows)
        self._last_slot += len(ids)
        self._count += len(ids)

    def remove(self, ids: Sequence[int]) -> None:
        with _translate_errors(), self._db:
            for id in ids:
                slot = self._db.execute(_SLOT_OF, (id,)).get
                if slot is not None:
                    self._db.execute(_REMOVE, (slot,))
                    self._db.execute(_FREE_SLOT, (slot,))
                    self._count -= 1

    def nearest(
        self, vector: NDArray[np.float32], limit: int, *, allowed: NDArray[np.uint64] | None
    ) -> tuple[NDArray[np.uint64], NDArray[np.float64]]:
        """Return up to *limit* ids and distances, of *allowed* if given, nearest first."""
        rows: list[Any] = []
        if allowed is None or len(allowed):
            bound: dict[str, Any] = {
                "vector": np.ascontiguousarray(vector, dtype="<f4").tobytes(),
                "limit": min(limit, MOST_FOUND),
            }
            if allowed is not None:
                bound["allowed"] = apsw.carray(allowed.astype(np.int64))
            with _translate_errors():
                query = _NEAREST if allowed is None else _NEAREST_ALLOWED
                rows = self._db.execute(query, bound).fetchall()
        ids = np.array([row[0] for row in rows], dtype=np.uint64)
        return ids, np.array([row[1] for row in rows], dtype=np.float64)

    def to_bytes(self) -> bytes:
        with _translate_errors():
            return bytes(self._db.serialize("main"))


def _open_database(name: str, extension: str) -> apsw.Connection:
    db = apsw.Connection(name)
    db.enable_load_extension(True)
    db.load_extension(extension)
    db.enable_load_extension(False)
    # Data that is lost with the process needs no durability.
    db.pragma("synchronous", "off")
    db.pragma("journal_mode", "memory")
    db.pragma("cache_size", -_PAGE_CACHE_KIB)
    return db


def _fill(db: apsw.Connection, payload: bytes, extension: str) -> None:
    # The payload is in memory, and copied page by page into the file.
    read = _open_database(":memory:", extension)
    read.deserialize("main", payload)
    with db.backup("main", read, "main") as copying:
        copying.step()
    read.close()


@contextmanager
def _translate_errors() -> Iterator[None]:
    try:
        yield
    except (apsw.ConstraintError, apsw.SQLError, apsw.MismatchError) as error:
        raise ValueError(f"the table of vectors refused: {error}") from error
    except apsw.Error as error:
        raise RuntimeError(f"the table of vectors failed: {error}") from error
