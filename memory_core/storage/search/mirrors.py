"""Positions of the mirrors of the vectors, and the texts sent to them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import apsw
import numpy as np
from apsw import Connection
from numpy.typing import NDArray

# Vectors of passages, and merged vectors of entries.
Source = Literal["pieces", "entries"]

_RECORD = """
select address, uuid, model, position, built_to, updated_at, failure
from mirrors
where name = :name and source = :source
"""

_SAVE = """
insert into mirrors
    (name, source, address, uuid, model, position, built_to, updated_at, failure)
values
    (:name, :source, :address, :uuid, :model, :position, :built_to, :updated_at, :failure)
on conflict (name, source) do update set
    address = excluded.address, uuid = excluded.uuid, model = excluded.model,
    position = excluded.position, built_to = excluded.built_to,
    updated_at = excluded.updated_at, failure = excluded.failure
"""

_FORGET = """
delete from mirrors where name = :name
"""

_PASSAGES = """
select
    pieces.id,
    s.kind,
    s.row_id,
    s.project_id,
    substr(s.text, pieces.start + 1, pieces.length) as text
from carray(:ids) as asked
cross join pieces on pieces.id = asked.value
cross join searchables s on s.id = pieces.id >> 24
"""

_SUMMARIES = """
select s.id, s.kind, s.row_id, s.project_id, s.text
from carray(:ids) as asked
cross join searchables s on s.id = asked.value
"""


@dataclass(frozen=True)
class Record:
    """Position of a mirror; built_to is None after the first complete build."""

    address: str
    uuid: str
    model: str
    position: int
    built_to: int | None
    updated_at: str
    failure: str = ""


def record(connection: Connection, name: str, source: Source) -> Record | None:
    row: Any = connection.execute(_RECORD, {"name": name, "source": source}).fetchone()
    return Record(**row) if row else None


def save(connection: Connection, name: str, source: Source, *, record: Record) -> None:
    connection.execute(_SAVE, {"name": name, "source": source, **vars(record)})


def forget(connection: Connection, name: str) -> None:
    """Delete the position of a mirror, so that it is rebuilt."""
    connection.execute(_FORGET, {"name": name})


def texts_of(
    connection: Connection, source: Source, ids: NDArray[np.uint64]
) -> dict[int, dict[str, str]]:
    """Return the text of each vector, with its row."""
    if not len(ids):
        return {}
    query = _PASSAGES if source == "pieces" else _SUMMARIES
    rows: list[Any] = connection.execute(
        query, {"ids": apsw.carray(ids.astype(np.int64))}
    ).fetchall()
    return {row.pop("id"): row for row in rows}
