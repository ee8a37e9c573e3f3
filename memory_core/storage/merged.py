"""
The merged vectors of entries: which there are, which wait, and the log that an index follows.

As storage/embeddings.py for pieces, but one vector stands for six texts (rules/merged.py),
and its id is that of the entry's searchable.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import apsw
import numpy as np
from apsw import Connection
from numpy.typing import NDArray

from ..model.vectors import ModelIdentity
from . import embeddings
from .embeddings import Standing, Vectors

# Entries of the log that every index may still have to read; older ones go.
_LOG_KEPT = 50_000

_STANDING = """
select
    store.uuid,
    store.embedding_model as model,
    store.embedding_dimension as dimension,
    merged_state.entries as pieces,
    merged_state.unmerged as unembedded,
    merged_state.log_floor as floor,
    max(
        merged_state.log_floor, coalesce((select max(seq) from merged_log), 0)
    ) as position,
    (
        select seq || ' ' || batch_id from changes order by seq desc limit 1
    ) as change
from store, merged_state
"""

_TAKE = """
select merged.id, merged.digest, entries.summary, entries.tags
from unmerged
cross join merged on merged.id = unmerged.id
cross join searchables on searchables.id = merged.id
cross join entries on entries.id = searchables.row_id
order by unmerged.id desc
limit :limit
"""

_WAITING = """
select id from unmerged order by id
"""

_IS_PENDING = """
select exists (
    select 1
    from searchables s join unmerged u on u.id = s.id
    where s.kind = 'entries' and s.row_id = :entry_id
)
"""

_STORE = """
insert into merged_vectors (model, digest, vector, norm, summary)
select :model, :digest, :vector, :norm, :summary
where exists (select 1 from merged where digest = :digest)
on conflict (model, digest) do nothing
"""

_VECTORS_OF = """
select merged.id, merged_vectors.vector
from carray(:ids) as asked
cross join merged on merged.id = asked.value
cross join merged_vectors
    on merged_vectors.model = :model and merged_vectors.digest = merged.digest
"""

_ALL_VECTORS = """
select merged.id, merged_vectors.vector
from merged
cross join merged_vectors
    on merged_vectors.model = :model and merged_vectors.digest = merged.digest
"""

_LOG_SINCE = """
select changed.id, merged_vectors.vector
from (select distinct id from merged_log where seq > :seq) as changed
left join merged on merged.id = changed.id
left join merged_vectors
    on merged_vectors.model = :model and merged_vectors.digest = merged.digest
"""

_NORMS = """
select merged.id, merged_vectors.norm
from merged
cross join merged_vectors
    on merged_vectors.model = :model and merged_vectors.digest = merged.digest
where merged.id in (select value from json_each(:ids))
"""

# Entries of one exact project and user that a reader may see, with their vector.
_OF_SCOPE = """
select entries.id, merged_vectors.vector
from entries
cross join merged_vectors
    on merged_vectors.model = :model and merged_vectors.digest = entries.digest
where entries.project_id = :project_id and entries.user_id = :user_id
    and entries.form = 'entry' and entries.status = 'active'
    and (entries.expires_at is null or entries.expires_at > :now)
order by entries.created_at, entries.id
"""

# As above, by the summary alone, of one whole scope, and only what stays.
_SUMMARIES = """
select entries.id, merged_vectors.summary as vector
from entries
cross join merged_vectors
    on merged_vectors.model = :model and merged_vectors.digest = entries.digest
where entries.project_id = :project_id and entries.user_id = :user_id
    and entries.agent_id = :agent_id and entries.session_id = :session_id
    and entries.form = 'entry' and entries.status = 'active'
    and entries.is_time_sensitive = 0 and entries.expires_at is null
order by entries.created_at, entries.id
"""

_RAISE_FLOOR = """
update merged_state set log_floor = max(log_floor, :floor)
"""

_PRUNE_LOG = """
delete from merged_log where seq <= :floor
"""

_FORGET_WRONG = """
delete from merged
where not exists (
    select 1
    from searchables s join entries e on e.id = s.row_id
    where s.id = merged.id and s.kind = 'entries' and s.text is not null
        and e.form = 'entry' and e.digest = merged.digest
)
"""

_ADD_MISSING = """
insert into merged (id, digest)
select s.id, e.digest
from searchables s join entries e on e.id = s.row_id
where s.kind = 'entries' and s.text is not null and e.form = 'entry'
    and not exists (select 1 from merged where id = s.id)
"""

_EMPTY_QUEUE = """
delete from unmerged
"""

_FILL_QUEUE = """
insert into unmerged (id)
select id from merged
where not exists (
    select 1 from merged_vectors, store
    where merged_vectors.model = store.embedding_model and merged_vectors.digest = merged.digest
)
"""

_RECOUNT = """
update merged_state
set entries = (select count(*) from merged), unmerged = (select count(*) from unmerged)
"""

_ADVANCE_LOG = """
insert into merged_log (id) values (0)
"""


@dataclass(frozen=True)
class Unmerged:
    """An entry that waits for its merged vector."""

    id: int
    digest: str
    summary: str
    tags: tuple[str, ...]

    @property
    def texts(self) -> tuple[str, ...]:
        return (self.summary, *self.tags)


@dataclass(frozen=True)
class Made:
    """What is stored for an entry: the merged vector at length 1, its norm, the summary's."""

    digest: str
    vector: NDArray[np.float32]
    norm: float
    summary: NDArray[np.float32]


@dataclass(frozen=True)
class Rows:
    """Row i of the matrix is the vector of the entry ids[i]."""

    ids: list[str]
    matrix: NDArray[np.float16]


def standing(connection: Connection) -> Standing:
    """Return how far the merged vectors and their log are."""
    row: Any = connection.execute(_STANDING).fetchone()
    return Standing(**row)


def take_unmerged(connection: Connection, limit: int) -> list[Unmerged]:
    """Return entries that wait for their vector, the newest first."""
    rows: list[Any] = connection.execute(_TAKE, {"limit": limit}).fetchall()
    return [
        Unmerged(row["id"], row["digest"], row["summary"], tuple(json.loads(row["tags"])))
        for row in rows
    ]


def is_pending(connection: Connection, entry_id: str) -> bool:
    """Return whether an entry waits for its vector."""
    return bool(connection.execute(_IS_PENDING, {"entry_id": entry_id}).get)


def unembedded_ids(connection: Connection) -> NDArray[np.uint64]:
    """Return the ids of all entries that wait for a vector, in order."""
    rows = embeddings.plain(connection, _WAITING, {})
    return np.array([row[0] for row in rows], dtype=np.uint64)


def store(connection: Connection, identity: ModelIdentity, made: Iterable[Made]) -> None:
    """Store vectors; raise DimensionMismatch if they are not of the store's model."""
    embeddings.require_model(connection, identity)
    for each in made:
        bound = {
            "model": identity.model,
            "digest": each.digest,
            "vector": each.vector.astype("<f2").tobytes(),
            "norm": each.norm,
            "summary": each.summary.astype("<f2").tobytes(),
        }
        connection.execute(_STORE, bound)
    floor = standing(connection).position - _LOG_KEPT
    if floor > 0:
        _prune_log(connection, floor)


def vectors_of(connection: Connection, model: str, ids: NDArray[np.uint64]) -> Vectors:
    asked = np.sort(ids).astype(np.int64)
    if not len(asked):
        return embeddings.as_vectors([])
    bound = {"ids": apsw.carray(asked), "model": model}
    return embeddings.as_vectors(embeddings.plain(connection, _VECTORS_OF, bound))


def all_vectors(connection: Connection, model: str) -> Iterator[Vectors]:
    """Yield every entry with a vector of *model*, in blocks."""
    return embeddings.blocks(embeddings.plain(connection, _ALL_VECTORS, {"model": model}))


def log_since(connection: Connection, model: str, *, seq: int) -> Iterator[Vectors]:
    """Yield what every entry logged after *seq* has now, each once, in blocks."""
    bound = {"model": model, "seq": seq}
    return embeddings.blocks(embeddings.plain(connection, _LOG_SINCE, bound))


def norms(connection: Connection, model: str, ids: Sequence[int]) -> dict[int, float]:
    """Return how long the merged vectors were before they were scaled to length 1."""
    rows = connection.execute(_NORMS, {"model": model, "ids": json.dumps(list(ids))})
    return {row["id"]: row["norm"] for row in rows}


def of_scope(connection: Connection, *, project_id: str, user_id: str, now: str) -> Rows:
    """Return the vectors of what is to be grouped together, oldest first."""
    bound = {"project_id": project_id, "user_id": user_id, "now": now}
    return _rows(connection, _OF_SCOPE, bound)


def summaries(
    connection: Connection, *, project_id: str, user_id: str, agent_id: str, session_id: str
) -> Rows:
    """Return the vectors of the summaries of one exact scope, oldest first."""
    scope = {
        "project_id": project_id,
        "user_id": user_id,
        "agent_id": agent_id,
        "session_id": session_id,
    }
    return _rows(connection, _SUMMARIES, scope)


def requeue(connection: Connection) -> None:
    """Make the queue and the counters anew from the entries; indexes start again."""
    for query in (_FORGET_WRONG, _ADD_MISSING, _EMPTY_QUEUE, _FILL_QUEUE, _RECOUNT, _ADVANCE_LOG):
        connection.execute(query)
    _prune_log(connection, standing(connection).position)


def _prune_log(connection: Connection, floor: int) -> None:
    connection.execute(_RAISE_FLOOR, {"floor": floor})
    connection.execute(_PRUNE_LOG, {"floor": floor})


def _rows(connection: Connection, query: str, scope: dict[str, str]) -> Rows:
    now = embeddings.standing(connection)
    found: list[Any] = connection.execute(query, {**scope, "model": now.model}).fetchall()
    joined = b"".join(row["vector"] for row in found)
    matrix = np.frombuffer(joined, dtype="<f2").astype(np.float16)
    return Rows([row["id"] for row in found], matrix.reshape(len(found), -1 if found else 0))
