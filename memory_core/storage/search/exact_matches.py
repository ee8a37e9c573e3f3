"""Rows that a query names by id, name or title, and rows that alone contain one of its terms."""

from __future__ import annotations

import itertools
import json
from collections.abc import Collection, Iterable
from typing import Any

import numpy as np
from apsw import Connection
from numpy.typing import NDArray

from . import full_text, search_documents

# The kinds of rows that callers know by their id, as a JSON list in SQL.
_KINDS = """'["entities", "observations", "chunks", "entries", "context_chunks", "bottles"]'"""

# For each form of the names: compared with ids, names and titles of any kind of row.
_NAMED = f"""
with asked as (select value as form from json_each(:forms)),
    places as (select value as project_id from json_each(:projects))
select s.id
from asked, json_each({_KINDS}) kinds
    join searchables s on s.kind = kinds.value and s.row_id = asked.form
union
select s.id
from asked, places
    join entities e on e.project_id = places.project_id and e.folded_key = asked.form
    join searchables s on s.kind = 'entities' and s.row_id = e.id
union
select s.id
from asked
    join entity_names n on n.folded = asked.form
    join searchables s on s.kind = 'entities' and s.row_id = n.entity_id
union
select s.id
from asked, places
    join documents d on d.project_id = places.project_id
        and (d.folded_title = asked.form or d.id = asked.form)
    join chunks c on c.document_id = d.id and c.position = 0
    join searchables s on s.kind = 'chunks' and s.row_id = c.id
"""

# Ids are hexadecimal, so that "g" follows every continuation.
_BY_PREFIX = f"""
select s.id
from json_each({_KINDS}) kinds
    join searchables s on s.kind = kinds.value
        and s.row_id > :prefix and s.row_id < :prefix || 'g'
limit 2
"""

_WITH_TERM = """
select rowid from piece_terms where piece_terms match :query limit :limit
"""

# A term of more passages is not rare, even if only one of them is allowed.
_MOST = 64

Ids = NDArray[np.uint64]


def named_rows(connection: Connection, forms: Collection[str], *, project_id: str) -> set[int]:
    """Return the rows whose id, name or title is one of *forms* (folded, and as given)."""
    projects = search_documents.projects(connection) if project_id == "*" else [project_id]
    bound = {"forms": json.dumps(list(forms)), "projects": json.dumps(projects)}
    rows: list[Any] = connection.execute(_NAMED, bound).fetchall()
    return {row["id"] for row in rows}


def rows_with_id_prefix(connection: Connection, prefix: str) -> set[int]:
    """Return the only row whose id begins with *prefix*; none if there are several."""
    rows: list[Any] = connection.execute(_BY_PREFIX, {"prefix": prefix}).fetchall()
    return {row["id"] for row in rows} if len(rows) == 1 else set()


def only_rows(
    connection: Connection, terms: Iterable[str], *, allowed: Ids | None
) -> dict[str, int]:
    """Return for each term that one allowed row alone contains in its own text, that row."""
    found = {}
    for term in terms:
        bound = {"query": f"own : ({full_text.any_of([term])})", "limit": _MOST}
        hits: list[Any] = connection.execute(_WITH_TERM, bound).fetchall()
        pieces = [hit["rowid"] for hit in hits]
        rows = {piece >> 24 for piece in allowed_ids(pieces, allowed)}
        if len(rows) == 1 and len(pieces) < _MOST:
            found[term] = rows.pop()
    return found


def allowed_ids(pieces: list[int], allowed: Ids | None) -> list[int]:
    """Return those of *pieces* that are in *allowed*, which is sorted."""
    if allowed is None or not pieces:
        return pieces
    if not len(allowed):
        return []
    ids = np.array(pieces, np.uint64)
    places = np.minimum(np.searchsorted(allowed, ids), len(allowed) - 1)
    return list(itertools.compress(pieces, allowed[places] == ids))
