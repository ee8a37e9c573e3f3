"""
Merged vectors of entries.

They use the same queue and log as the embeddings of passages (vector_log.py), but one vector
combines six texts (rules/facts/merged_vectors.py), and its id is that of the entry's search
document.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from apsw import Connection
from numpy.typing import NDArray

from ...model.search.vectors import ModelIdentity
from ..search import embeddings
from ..search.vector_log import ENTRIES

# Log entries kept for indexes that are behind; older ones are deleted.
_LOG_KEPT = 50_000

_TAKE = """
select merged.id, merged.digest, entries.summary, entries.tags
from unmerged
cross join merged on merged.id = unmerged.id
cross join searchables on searchables.id = merged.id
cross join entries on entries.id = searchables.row_id
order by unmerged.id desc
limit :limit
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

_NORMS = """
select merged.id, merged_vectors.norm
from merged
cross join merged_vectors
    on merged_vectors.model = :model and merged_vectors.digest = merged.digest
where merged.id in (select value from json_each(:ids))
"""

# Entries of one exact project and user, with their vectors.
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

# As above, with summary vectors, for one exact scope, and without expiring entries.
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

# Queries shared by all kinds of vectors, for entries.
standing = ENTRIES.standing


@dataclass(frozen=True)
class Unmerged:
    """An entry without a merged vector."""

    id: int
    digest: str
    summary: str
    tags: tuple[str, ...]

    @property
    def texts(self) -> tuple[str, ...]:
        return (self.summary, *self.tags)


@dataclass(frozen=True)
class Made:
    """Result for an entry: the normalised merged vector, its norm and the norm of the summary."""

    digest: str
    vector: NDArray[np.float32]
    norm: float
    summary: NDArray[np.float32]


@dataclass(frozen=True)
class Rows:
    """Row i of the matrix is the vector of the entry ids[i]."""

    ids: list[str]
    matrix: NDArray[np.float16]


def take_unmerged(connection: Connection, limit: int) -> list[Unmerged]:
    """Return entries without a vector, newest first."""
    rows: list[Any] = connection.execute(_TAKE, {"limit": limit}).fetchall()
    return [
        Unmerged(row["id"], row["digest"], row["summary"], tuple(json.loads(row["tags"])))
        for row in rows
    ]


def is_pending(connection: Connection, entry_id: str) -> bool:
    """Return whether an entry has no vector yet."""
    return bool(connection.execute(_IS_PENDING, {"entry_id": entry_id}).get)


def store(connection: Connection, identity: ModelIdentity, made: Iterable[Made]) -> None:
    """Store vectors; raise DimensionMismatchError if they are not of the store's model."""
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
    floor = ENTRIES.position(connection) - _LOG_KEPT
    if floor > 0:
        ENTRIES.prune(connection, floor)


def norms(connection: Connection, model: str, ids: Sequence[int]) -> dict[int, float]:
    """Return the norms of the merged vectors before normalisation."""
    rows = connection.execute(_NORMS, {"model": model, "ids": json.dumps(list(ids))})
    return {row["id"]: row["norm"] for row in rows}


def of_scope(connection: Connection, *, project_id: str, user_id: str, now: str) -> Rows:
    """Return the vectors to be grouped together, oldest first."""
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
    """Rebuild the table of vectors, the queue and the counters from the entries."""
    connection.execute(_FORGET_WRONG)
    connection.execute(_ADD_MISSING)
    ENTRIES.requeue(connection)


def _rows(connection: Connection, query: str, scope: dict[str, str]) -> Rows:
    now = embeddings.standing(connection)
    found: list[Any] = connection.execute(query, {**scope, "model": now.model}).fetchall()
    joined = b"".join(row["vector"] for row in found)
    matrix = np.frombuffer(joined, dtype="<f2").astype(np.float16)
    return Rows([row["id"] for row in found], matrix.reshape(len(found), -1 if found else 0))
