"""
The vectors of record, what has none yet, and the log that indexes follow.

1. A vector belongs to a model and to the digest of what was embedded, so equal
   texts are embedded once and a rebuild embeds nothing. It is stored as float16.
2. Triggers keep the queue (unembedded), the log (vector_log) and their counters
   (vector_state) level with pieces and embeddings, whoever writes.
3. The store names the one model whose vectors are in use. To change it is to
   reindex: every follower of the log below the new floor starts again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import apsw
import numpy as np

# For annotations outside storage/, where apsw is not imported.
from apsw import Connection as Connection
from numpy.typing import NDArray

from ..errors import DimensionMismatch, IndexUnavailable
from ..model.vectors import ModelIdentity

# The number of a piece within its searchable takes the lower bits of its id.
PIECE_BITS = 24

# Rows turned into one matrix at a time: 12 MB of float32 at 384 dimensions.
_BLOCK = 8192

_STANDING = """
select
    store.uuid,
    store.embedding_model as model,
    store.embedding_dimension as dimension,
    vector_state.pieces,
    vector_state.unembedded,
    vector_state.log_floor as floor,
    max(
        vector_state.log_floor, coalesce((select max(seq) from vector_log), 0)
    ) as position,
    (
        select seq || ' ' || batch_id from changes order by seq desc limit 1
    ) as change
from store, vector_state
"""

_KNOWS = """
select exists (select 1 from changes where seq || ' ' || batch_id = :change and seq = :seq)
"""

_TAKE = """
select pieces.id, pieces.digest, pieces.start, pieces.length
from unembedded
cross join pieces on pieces.id = unembedded.piece_id
order by unembedded.piece_id desc
limit :limit
"""

_WAITING = """
select piece_id from unembedded order by piece_id
"""

_TEXT = """
select text from searchables where id = :id
"""

# A piece may have gone while it was being embedded: then its vector goes too.
_STORE = """
insert into embeddings (model, digest, vector)
select :model, :digest, :vector
where exists (select 1 from pieces where digest = :digest)
on conflict (model, digest) do nothing
"""

_LOG_WAITING = """
insert into vector_log (piece_id)
select piece_id from unembedded
where piece_id in (select id from pieces where digest = :digest)
"""

_STOP_WAITING = """
delete from unembedded
where piece_id in (select id from pieces where digest = :digest)
"""

# cross join: SQLite keeps the order as written; left to itself it starts at embeddings.
_VECTORS_OF = """
select pieces.id, embeddings.vector
from carray(:ids) as asked
cross join pieces on pieces.id = asked.value
cross join embeddings
    on embeddings.model = :model and embeddings.digest = pieces.digest
"""

_ALL_VECTORS = """
select pieces.id, embeddings.vector
from pieces
cross join embeddings
    on embeddings.model = :model and embeddings.digest = pieces.digest
"""

_LOG_SINCE = """
select changed.piece_id, embeddings.vector
from (select distinct piece_id from vector_log where seq > :seq) as changed
left join pieces on pieces.id = changed.piece_id
left join embeddings
    on embeddings.model = :model and embeddings.digest = pieces.digest
"""

_HAS_VECTORS = """
select exists (select 1 from embeddings where model = :model)
"""

_SET_MODEL = """
update store set embedding_model = :model, embedding_dimension = :dimension
"""

_EMPTY_QUEUE = """
delete from unembedded
"""

_FILL_QUEUE = """
insert into unembedded (piece_id)
select id from pieces
where not exists (
    select 1 from embeddings, store
    where embeddings.model = store.embedding_model and embeddings.digest = pieces.digest
)
"""

_RECOUNT = """
update vector_state
set pieces = (select count(*) from pieces), unembedded = (select count(*) from unembedded)
"""

_ADVANCE_LOG = """
insert into vector_log (piece_id) values (0)
"""

_RAISE_FLOOR = """
update vector_state set log_floor = max(log_floor, :floor)
"""

_PRUNE_LOG = """
delete from vector_log where seq <= :floor
"""

_PRUNE_VECTORS = """
delete from embeddings
where model <> (select embedding_model from store)
    or not exists (select 1 from pieces where pieces.digest = embeddings.digest)
"""


@dataclass(frozen=True)
class Standing:
    """Which store this is, whose vectors it uses, and how far its log goes."""

    uuid: str
    model: str
    dimension: int
    pieces: int
    unembedded: int
    floor: int
    position: int
    # The newest change and its batch, which no other time line of this store has.
    change: str | None = None

    @property
    def indexed(self) -> int:
        """How many vectors an index that is level with this moment holds."""
        return self.pieces - self.unembedded


@dataclass(frozen=True)
class Unembedded:
    """A piece that waits for its vector."""

    piece_id: int
    digest: bytes
    text: str


@dataclass(frozen=True)
class Vectors:
    """Row i of the matrix is the vector of piece ids[i]; gone lists ids that have none."""

    ids: NDArray[np.uint64]
    matrix: NDArray[np.float32]
    gone: NDArray[np.uint64]


def standing(connection: Connection) -> Standing:
    row = connection.execute(_STANDING).fetchone()
    if row is None:
        raise IndexUnavailable("The memory file has lost its vector counters. Restore a backup.")
    return Standing(**row)


def knows(connection: Connection, change: str | None) -> bool:
    """Return whether *change*, as Standing has it, was made in this time line of the store."""
    seq = int(change.partition(" ")[0]) if change else 0
    if not seq:
        return standing(connection).change is None
    return bool(connection.execute(_KNOWS, {"change": change, "seq": seq}).get)


def is_writing(connection: Connection) -> bool:
    """Return whether the caller's block may yet be rolled back."""
    return connection.txn_state() == apsw.SQLITE_TXN_WRITE


def take_unembedded(connection: Connection, limit: int) -> list[Unembedded]:
    """Return pieces that wait for a vector, the newest first."""
    taken = []
    texts: dict[int, str] = {}
    rows: list[Any] = connection.execute(_TAKE, {"limit": limit}).fetchall()
    for row in rows:
        id = row["id"] >> PIECE_BITS
        if id not in texts:
            texts[id] = _text(connection, id)
        piece = texts[id][row["start"] : row["start"] + row["length"]]
        taken.append(Unembedded(row["id"], row["digest"], piece))
    return taken


def unembedded_ids(connection: Connection) -> NDArray[np.uint64]:
    """Return the ids of all pieces that wait for a vector, in order."""
    rows = plain(connection, _WAITING, {})
    return np.array([row[0] for row in rows], dtype=np.uint64)


def store_vectors(
    connection: Connection,
    identity: ModelIdentity,
    *,
    items: Iterable[tuple[bytes, NDArray[np.float32]]],
) -> None:
    """Store vectors by digest; raise DimensionMismatch if they are not of the store's model."""
    require_model(connection, identity)
    for digest, vector in items:
        if vector.shape != (identity.dimension,):
            raise DimensionMismatch(
                f"A vector of {identity.model} must have {identity.dimension} numbers, not "
                f"{vector.size}. Nothing was stored."
            )
        blob = np.asarray(vector, dtype="<f2").tobytes()
        row = {"model": identity.model, "digest": digest, "vector": blob}
        connection.execute(_STORE, row)
        if not connection.changes():
            # It was there already; the trigger that ends the wait did not fire.
            connection.execute(_LOG_WAITING, {"digest": digest})
            connection.execute(_STOP_WAITING, {"digest": digest})


def vectors_of(connection: Connection, model: str, piece_ids: NDArray[np.uint64]) -> Vectors:
    """Return the vectors of those of *piece_ids* that have one, in order of id."""
    # Sorted, because neighbours share pages.
    asked = np.sort(piece_ids).astype(np.int64)
    if not len(asked):
        return as_vectors([])
    return as_vectors(plain(connection, _VECTORS_OF, {"ids": apsw.carray(asked), "model": model}))


def all_vectors(connection: Connection, model: str) -> Iterator[Vectors]:
    """Yield every piece with a vector of *model*, in blocks."""
    return blocks(plain(connection, _ALL_VECTORS, {"model": model}))


def log_since(connection: Connection, model: str, *, seq: int) -> Iterator[Vectors]:
    """Yield what every piece logged after *seq* has now, each once, in blocks."""
    return blocks(plain(connection, _LOG_SINCE, {"model": model, "seq": seq}))


def log_position(connection: Connection) -> int:
    """Return the last entry of the vector log; it never goes back."""
    return standing(connection).position


def require_model(connection: Connection, identity: ModelIdentity) -> None:
    """Raise DimensionMismatch unless the store's vectors are of that model."""
    require_same(standing(connection), identity)


def require_same(now: Standing, identity: ModelIdentity) -> None:
    """Raise DimensionMismatch unless the vectors in use are of that model."""
    if (now.model, now.dimension) != (identity.model, identity.dimension):
        raise DimensionMismatch(
            f"This memory holds vectors of {now.model or 'no model'} ({now.dimension} numbers), "
            f"and the model now in use is {identity.model} ({identity.dimension}). Search answers "
            "from full text until you reindex (optimize_memory with reindex=true), or name the "
            "former model again (EMBEDDING_PROVIDER, EMBEDDING_MODEL, EMBEDDING_DIMENSIONS)."
        )


def use_model(connection: Connection, identity: ModelIdentity) -> None:
    """Make *identity* the store's model, unless vectors of another one are in use."""
    model = standing(connection).model
    if not model or not connection.execute(_HAS_VECTORS, {"model": model}).get:
        reindex(connection, identity)
    require_model(connection, identity)


def reindex(connection: Connection, identity: ModelIdentity) -> None:
    """Switch the store to *identity*; pieces it has no vector of wait for one."""
    connection.execute(_SET_MODEL, {"model": identity.model, "dimension": identity.dimension})
    requeue(connection)


def requeue(connection: Connection) -> None:
    """Make the queue and the counters anew from what is there; indexes start again."""
    connection.execute(_EMPTY_QUEUE)
    connection.execute(_FILL_QUEUE)
    connection.execute(_RECOUNT)
    # One entry nobody has seen, so that the floor is above every index's position.
    connection.execute(_ADVANCE_LOG)
    prune_log(connection, log_position(connection))


def prune_log(connection: Connection, floor: int) -> int:
    """Delete the log up to *floor*; return how many entries went."""
    floor = min(floor, log_position(connection))
    connection.execute(_RAISE_FLOOR, {"floor": floor})
    connection.execute(_PRUNE_LOG, {"floor": floor})
    return connection.changes()


def prune_vectors(connection: Connection) -> int:
    """Delete vectors of other models and of texts that are gone; return how many."""
    connection.execute(_PRUNE_VECTORS)
    return connection.changes()


def _text(connection: Connection, searchable_id: int) -> str:
    row = connection.execute(_TEXT, {"id": searchable_id}).fetchone()
    return (row["text"] if row else None) or ""


def plain(connection: Connection, query: str, bindings: dict[str, Any]) -> Iterator[Any]:
    """Yield rows as plain tuples, of all that a query gives."""
    cursor = connection.cursor()
    # Tuples: a dict a row would cost more than reading the row.
    cursor.row_trace = None
    return iter(cursor.execute(query, bindings))


def blocks(rows: Iterator[tuple[int, bytes | None]]) -> Iterator[Vectors]:
    """Yield rows as matrices of bounded size."""
    block: list[tuple[int, bytes | None]] = []
    for row in rows:
        block.append(row)
        if len(block) == _BLOCK:
            yield as_vectors(block)
            block = []
    if block:
        yield as_vectors(block)


def as_vectors(rows: Iterable[tuple[int, bytes | None]]) -> Vectors:
    """Return rows as one matrix, apart from those that have no vector."""
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
