"""
Queue of rows without a vector, their vectors, and the log that indexes follow.

There are two kinds, in separate tables that triggers keep up to date: passages with their
embeddings (embeddings.py), and entries with their merged vectors (merged_vectors.py). The
statements are the same except for table and column names, which only come from the constants
PIECES and ENTRIES.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import apsw
import numpy as np
from apsw import Connection
from numpy.typing import NDArray

from ...errors import IndexUnavailableError

# Rows per matrix: 12 MB of float32 at 384 dimensions.
_BLOCK = 8192

_STANDING = """
select
    store.uuid,
    store.embedding_model as model,
    store.embedding_dimension as dimension,
    {state}.{count} as pieces,
    {state}.{queue} as unembedded,
    {state}.log_floor as floor,
    max(
        {state}.log_floor, coalesce((select max(seq) from {log}), 0)
    ) as position,
    (
        select l.seq || ' ' || t.batch_id
        from change_log l join change_transactions t on t.id = l.txn
        order by l.seq desc limit 1
    ) as change
from store, {state}
"""

_WAITING = """
select {id} from {queue} order by {id}
"""

# cross join fixes the order; otherwise SQLite starts with the vectors.
_VECTORS_OF = """
select {rows}.id, {vectors}.vector
from carray(:ids) as asked
cross join {rows} on {rows}.id = asked.value
cross join {vectors}
    on {vectors}.model = :model and {vectors}.digest = {rows}.digest
"""

_ALL_VECTORS = """
select {rows}.id, {vectors}.vector
from {rows}
cross join {vectors}
    on {vectors}.model = :model and {vectors}.digest = {rows}.digest
"""

_LOG_SINCE = """
select changed.{id}, {vectors}.vector
from (select distinct {id} from {log} where seq > :seq) as changed
left join {rows} on {rows}.id = changed.{id}
left join {vectors}
    on {vectors}.model = :model and {vectors}.digest = {rows}.digest
"""

_EMPTY_QUEUE = """
delete from {queue}
"""

_FILL_QUEUE = """
insert into {queue} ({id})
select id from {rows}
where not exists (
    select 1 from {vectors}, store
    where {vectors}.model = store.embedding_model and {vectors}.digest = {rows}.digest
)
"""

_RECOUNT = """
update {state}
set {count} = (select count(*) from {rows}), {queue} = (select count(*) from {queue})
"""

_ADVANCE_LOG = """
insert into {log} ({id}) values (0)
"""

_RAISE_FLOOR = """
update {state} set log_floor = max(log_floor, :floor)
"""

_PRUNE_LOG = """
delete from {log} where seq <= :floor
"""


@dataclass(frozen=True)
class Standing:
    """Identity of the store, its embedding model, and the position of its log."""

    uuid: str
    model: str
    dimension: int
    pieces: int
    unembedded: int
    floor: int
    position: int
    # The newest change and its batch, unique to this history of the store.
    change: str | None = None

    @property
    def indexed(self) -> int:
        """The number of vectors in an index that is up to date."""
        return self.pieces - self.unembedded


@dataclass(frozen=True)
class Vectors:
    """Row i of the matrix is the vector of ids[i]; gone lists the ids without a vector."""

    ids: NDArray[np.uint64]
    matrix: NDArray[np.float32]
    gone: NDArray[np.uint64]


@dataclass(frozen=True)
class VectorLog:
    """The tables of one kind of vector, with their queries."""

    # The table of rows by digest, and the table of vectors.
    rows: str
    vectors: str
    # The queue of rows without a vector, and the counter column of the state.
    queue: str
    log: str
    state: str
    # The counter column of all rows.
    count: str
    # The name of the row id in the queue and the log.
    id: str

    def standing(self, connection: Connection) -> Standing:
        """Return the current state of the vectors and their log."""
        row: Any = connection.execute(self._with_names(_STANDING)).fetchone()
        if row is None:
            raise IndexUnavailableError(
                "The vector counters of the memory file are missing. Restore a backup."
            )
        return Standing(**row)

    def unembedded_ids(self, connection: Connection) -> NDArray[np.uint64]:
        """Return the ids of all rows without a vector, in order."""
        rows = plain(connection, self._with_names(_WAITING), {})
        return np.array([row[0] for row in rows], dtype=np.uint64)

    def vectors_of(self, connection: Connection, model: str, ids: NDArray[np.uint64]) -> Vectors:
        """Return the existing vectors of *ids*, in order of id."""
        # Sorted, because neighbours share pages.
        asked = np.sort(ids).astype(np.int64)
        if not len(asked):
            return _as_vectors([])
        bound = {"ids": apsw.carray(asked), "model": model}
        return _as_vectors(plain(connection, self._with_names(_VECTORS_OF), bound))

    def all_vectors(self, connection: Connection, model: str) -> Iterator[Vectors]:
        """Yield all rows with a vector of *model*, in blocks."""
        return _blocks(plain(connection, self._with_names(_ALL_VECTORS), {"model": model}))

    def log_since(self, connection: Connection, model: str, *, seq: int) -> Iterator[Vectors]:
        """Yield the current vectors of the rows logged after *seq*, each row once, in blocks."""
        bound = {"model": model, "seq": seq}
        return _blocks(plain(connection, self._with_names(_LOG_SINCE), bound))

    def position(self, connection: Connection) -> int:
        """Return the last entry of the log, which only increases."""
        return self.standing(connection).position

    def requeue(self, connection: Connection) -> None:
        """Rebuild the queue and the counters from the tables; indexes start again."""
        # Finally a new entry, so that the floor is above the position of all indexes.
        for query in (_EMPTY_QUEUE, _FILL_QUEUE, _RECOUNT, _ADVANCE_LOG):
            connection.execute(self._with_names(query))
        self.prune(connection, self.position(connection))

    def prune(self, connection: Connection, floor: int) -> int:
        """Delete the log up to *floor*; return the number of entries."""
        floor = min(floor, self.position(connection))
        connection.execute(self._with_names(_RAISE_FLOOR), {"floor": floor})
        connection.execute(self._with_names(_PRUNE_LOG), {"floor": floor})
        return connection.changes()

    def _with_names(self, query: str) -> str:
        """Return a statement with the names of these tables."""
        return query.format_map(vars(self))


PIECES = VectorLog(
    rows="pieces",
    vectors="embeddings",
    queue="unembedded",
    log="vector_log",
    state="vector_state",
    count="pieces",
    id="piece_id",
)

ENTRIES = VectorLog(
    rows="merged",
    vectors="merged_vectors",
    queue="unmerged",
    log="merged_log",
    state="merged_state",
    count="entries",
    id="id",
)


def plain(connection: Connection, query: str, bindings: dict[str, Any]) -> Iterator[Any]:
    """Yield the rows of a query as tuples."""
    cursor = connection.cursor()
    # Tuples: a dict per row would cost more than reading the row.
    cursor.row_trace = None
    return iter(cursor.execute(query, bindings))


def _blocks(rows: Iterator[tuple[int, bytes | None]]) -> Iterator[Vectors]:
    """Yield rows as matrices of bounded size."""
    block: list[tuple[int, bytes | None]] = []
    for row in rows:
        block.append(row)
        if len(block) == _BLOCK:
            yield _as_vectors(block)
            block = []
    if block:
        yield _as_vectors(block)


def _as_vectors(rows: Iterable[tuple[int, bytes | None]]) -> Vectors:
    """Return rows as one matrix, and separately the ids without a vector."""
    ids, blobs, gone = [], [], []
    for id, blob in rows:
        if blob is None:
            gone.append(id)
        else:
            ids.append(id)
            blobs.append(blob)
    matrix = np.frombuffer(b"".join(blobs), dtype="<f2").astype(np.float32)
    return Vectors(
        ids=np.array(ids, dtype=np.uint64),
        matrix=matrix.reshape(len(ids), -1) if ids else matrix.reshape(0, 0),
        gone=np.array(gone, dtype=np.uint64),
    )
