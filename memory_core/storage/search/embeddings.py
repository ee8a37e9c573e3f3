"""
Stored vectors of passages, and the model that made them.

1. A vector is stored as float16 by model and text digest, so equal texts are embedded once
   and a rebuild embeds nothing.
2. Passages without a vector are in a queue, and a log records changes for the indexes
   (vector_log.py). Triggers keep both up to date for all writers.
3. The store records the one model whose vectors are in use. Changing it reindexes: every
   index behind the new floor of the log starts again.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import apsw
import numpy as np

# For annotations outside storage/, where apsw is not imported.
from apsw import Connection as Connection
from numpy.typing import NDArray

from ...errors import DimensionMismatchError
from ...model.search.vectors import ModelIdentity
from .vector_log import PIECES, Standing

# The number of a passage within its search document is in the lower bits of its id.
PIECE_BITS = 24

_KNOWS = """
select exists (select 1 from changes where seq = :seq and seq || ' ' || batch_id = :change)
"""

_TAKE = """
select pieces.id, pieces.digest, pieces.start, pieces.length
from unembedded
cross join pieces on pieces.id = unembedded.piece_id
order by unembedded.piece_id desc
limit :limit
"""

_TEXT = """
select text from searchables where id = :id
"""

# A passage may be deleted while it is embedded; then its vector is not stored.
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

_HAS_VECTORS = """
select exists (select 1 from embeddings where model = :model)
"""

_SET_MODEL = """
update store set embedding_model = :model, embedding_dimension = :dimension
"""

_PRUNE_VECTORS = """
delete from embeddings
where model <> (select embedding_model from store)
    or not exists (select 1 from pieces where pieces.digest = embeddings.digest)
"""

# The common statements, for passages.
standing = PIECES.standing
vectors_of = PIECES.vectors_of
log_position = PIECES.position
prune_log = PIECES.prune
requeue = PIECES.requeue


@dataclass(frozen=True)
class Unembedded:
    """A passage without a vector."""

    piece_id: int
    digest: bytes
    text: str


def knows(connection: Connection, change: str | None) -> bool:
    """Return whether *change* (Standing.change) is in the history of this store."""
    seq = int(change.partition(" ")[0]) if change else 0
    if not seq:
        return standing(connection).change is None
    return bool(connection.execute(_KNOWS, {"change": change, "seq": seq}).get)


def is_writing(connection: Connection) -> bool:
    """Return whether the caller's transaction can still be rolled back."""
    return connection.txn_state() == apsw.SQLITE_TXN_WRITE


def take_unembedded(connection: Connection, limit: int) -> list[Unembedded]:
    """Return passages without a vector, newest first."""
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


def store_vectors(
    connection: Connection,
    identity: ModelIdentity,
    *,
    items: Iterable[tuple[bytes, NDArray[np.float32]]],
) -> None:
    """
    Store vectors by digest; raise DimensionMismatchError if they are not of the store's model.
    """
    require_model(connection, identity)
    for digest, vector in items:
        if vector.shape != (identity.dimension,):
            raise DimensionMismatchError(
                f"A vector of {identity.model} must have {identity.dimension} numbers, not "
                f"{vector.size}. Nothing was stored."
            )
        blob = np.asarray(vector, dtype="<f2").tobytes()
        row = {"model": identity.model, "digest": digest, "vector": blob}
        connection.execute(_STORE, row)
        if not connection.changes():
            # The vector existed, so the trigger that empties the queue did not run.
            connection.execute(_LOG_WAITING, {"digest": digest})
            connection.execute(_STOP_WAITING, {"digest": digest})


def require_model(connection: Connection, identity: ModelIdentity) -> None:
    """Raise DimensionMismatchError unless the store uses that model."""
    require_same(standing(connection), identity)


def require_same(now: Standing, identity: ModelIdentity) -> None:
    """Raise DimensionMismatchError unless *now* uses that model."""
    if (now.model, now.dimension) != (identity.model, identity.dimension):
        raise DimensionMismatchError(
            f"This memory contains vectors of {now.model or 'no model'} ({now.dimension} numbers), "
            f"and the model now in use is {identity.model} ({identity.dimension}). Search answers "
            "from full text until you reindex "
            "(the tool optimize_memory with reindex=true), or name the former model again "
            "(EMBEDDING_PROVIDER, EMBEDDING_MODEL, EMBEDDING_DIMENSIONS)."
        )


def use_model(connection: Connection, identity: ModelIdentity) -> None:
    """Set the model of the store, unless vectors of another model are in use."""
    model = standing(connection).model
    if not model or not connection.execute(_HAS_VECTORS, {"model": model}).get:
        reindex(connection, identity)
    require_model(connection, identity)


def reindex(connection: Connection, identity: ModelIdentity) -> None:
    """Change the model of the store and queue the passages without a vector of it."""
    connection.execute(_SET_MODEL, {"model": identity.model, "dimension": identity.dimension})
    requeue(connection)


def prune_vectors(connection: Connection) -> int:
    """Delete vectors of other models and of deleted texts; return their number."""
    connection.execute(_PRUNE_VECTORS)
    return connection.changes()


def _text(connection: Connection, searchable_id: int) -> str:
    row = connection.execute(_TEXT, {"id": searchable_id}).fetchone()
    return (row["text"] if row else None) or ""
