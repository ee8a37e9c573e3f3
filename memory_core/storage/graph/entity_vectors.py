"""Vectors and texts for comparing entities."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from apsw import Connection
from numpy.typing import NDArray

# Concepts of the librarian are not compared.
_PAGE = """
select id, key, name, node_type, aliases
from entities
where project_id = :project_id and status = 'active' and (name, id) > (:name, :id)
    and not (node_type = 'concept' and coalesce(properties ->> 'source', '') = 'librarian')
order by name, id
limit :limit
"""

# cross join: SQLite keeps the order as written.
_VECTORS = """
select s.subject_id, s.row_id, e.vector
from json_each(:row_ids) asked
cross join searchables s on s.subject_id = asked.value
cross join pieces p on p.id >= s.id << 24 and p.id < (s.id + 1) << 24
cross join embeddings e on e.model = :model and e.digest = p.digest
where s.active = 1 and s.text is not null and s.kind in ('entities', 'observations')
"""

_TEXTS = """
select s.subject_id, substr(s.text, 1, :longest) as text
from json_each(:row_ids) asked
cross join searchables s on s.subject_id = asked.value
where s.active = 1 and s.text is not null and s.kind = 'observations'
order by s.subject_id, s.id
"""

_FACTS = """
select row_id, text
from searchables
where kind = 'observations' and text is not null
    and row_id in (select value from json_each(:row_ids))
"""

_SEVERAL_FACTS = """
select entity_id
from observations
where entity_id in (select value from json_each(:row_ids)) and status = 'active'
group by entity_id
having count(*) > 1
"""


@dataclass(frozen=True)
class Card:
    """An entity to compare."""

    row_id: str
    key: str
    name: str
    node_type: str
    aliases: tuple[str, ...]


@dataclass(frozen=True)
class Pieces:
    """Row i of the matrix is a vector of the row row_ids[i], which belongs to subjects[i]."""

    subjects: list[str]
    row_ids: list[str]
    matrix: NDArray[np.float32]


def cards(
    connection: Connection, project_id: str, *, after: tuple[str, str], limit: int
) -> list[Card]:
    """Return the next active entities that are not librarian concepts, by name and id."""
    bound = {"project_id": project_id, "name": after[0], "id": after[1], "limit": limit}
    return [
        Card(
            row_id=row["id"],
            key=row["key"],
            name=row["name"],
            node_type=row["node_type"],
            aliases=tuple(json.loads(row["aliases"])),
        )
        for row in connection.execute(_PAGE, bound)
    ]


def pieces(connection: Connection, model: str, row_ids: list[str]) -> Pieces:
    """Return the vectors of all active records of these entities."""
    subjects, rows, blobs = [], [], []
    for subject, row_id, blob in _plain(
        connection, _VECTORS, {"model": model, "row_ids": json.dumps(row_ids)}
    ):
        subjects.append(subject)
        rows.append(row_id)
        blobs.append(blob)
    matrix = np.frombuffer(b"".join(blobs), dtype="<f2").astype(np.float32)
    return Pieces(subjects, rows, matrix.reshape(len(rows), -1) if rows else matrix.reshape(0, 0))


def texts(
    connection: Connection, row_ids: list[str], *, each: int, longest: int
) -> dict[str, list[str]]:
    """Return the first facts of each entity, each truncated to *longest* characters."""
    found: dict[str, list[str]] = defaultdict(list)
    bound = {"row_ids": json.dumps(row_ids), "longest": longest}
    for subject, text in _plain(connection, _TEXTS, bound):
        if len(found[subject]) < each:
            found[subject].append(text)
    return found


def facts(connection: Connection, row_ids: Iterable[str]) -> dict[str, str]:
    """Return the texts of observations by id."""
    rows = connection.execute(_FACTS, {"row_ids": json.dumps(list(row_ids))})
    return {row["row_id"]: row["text"] for row in rows}


def with_several_facts(connection: Connection, row_ids: list[str]) -> set[str]:
    """Return the entities with more than one active observation."""
    rows = connection.execute(_SEVERAL_FACTS, {"row_ids": json.dumps(row_ids)})
    return {row["entity_id"] for row in rows}


def _plain(connection: Connection, query: str, bindings: dict[str, Any]) -> Iterator[Any]:
    cursor = connection.cursor()
    # Tuples: a dict per row would cost more than reading the row.
    cursor.row_trace = None
    return iter(cursor.execute(query, bindings))
