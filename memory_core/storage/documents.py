"""Rows of documents and of their chunks."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

from apsw import Connection

from ..clock import format_timestamp
from ..errors import ConflictError, NotFoundError
from ..model.documents import Document, DocumentChunk
from ..rules.text.normalization import fold_name
from .scoping import page_of

_BY_ID = """
select id, project_id, title, source, media_type, digest, characters, chunk_count, created_at,
    updated_at
from documents
where project_id = :project_id and id = :id
"""

_BY_TITLE = """
select id, project_id, title, source, media_type, digest, characters, chunk_count, created_at,
    updated_at
from documents
where project_id = :project_id and folded_title = :folded_title
"""

_BY_SOURCE = """
select id, project_id, title, source, media_type, digest, characters, chunk_count, created_at,
    updated_at
from documents
where project_id = :project_id and source = :source
order by created_at, id
limit 1
"""

_PAGE = """
select id, project_id, title, source, media_type, digest, characters, chunk_count, created_at,
    updated_at
from documents
where project_id = :project_id
    and (:query = '' or instr(folded_title, :query) > 0)
    and (folded_title, id) > (:folded_title, :id)
order by folded_title, id
limit :limit
"""

_COUNT = """
select count(*)
from documents
where project_id = :project_id and (:query = '' or instr(folded_title, :query) > 0)
"""

_INSERT = """
insert into documents (id, project_id, title, folded_title, source, media_type, digest,
    characters, chunk_count, created_at, updated_at)
values (:id, :project_id, :title, :folded_title, :source, :media_type, :digest,
    :characters, :chunk_count, :created_at, :updated_at)
on conflict (project_id, folded_title) do nothing
"""

_REWRITE = """
update documents
set source = :source, media_type = :media_type, digest = :digest, characters = :characters,
    chunk_count = :chunk_count, updated_at = :updated_at
where id = :id
"""

_DELETE = """
delete from documents where id = :id
"""

_CHUNKS = """
select id, position, text
from chunks
where document_id = :document_id and position > :position
order by position
limit :limit
"""

_CHUNK_IDS = """
select id from chunks where document_id = :document_id order by position
"""

_CHUNK_TEXTS = """
select id, text from chunks where id in (select value from json_each(:ids))
"""

_INSERT_CHUNK = """
insert into chunks (id, project_id, document_id, position, text, created_at)
values (:id, :project_id, :document_id, :position, :text, :created_at)
"""

_MOVE_CHUNK = """
update chunks set position = :position where id = :id
"""

_DELETE_CHUNK = """
delete from chunks where id = :id
"""


def find(connection: Connection, project_id: str, title_or_id: str) -> Document | None:
    """Return the document with this id or, if there is none, with this title."""
    bound = {"project_id": project_id, "id": title_or_id}
    row = connection.execute(_BY_ID, bound).fetchone()
    return Document(**row) if row else find_by_title(connection, project_id, title_or_id)


def get(connection: Connection, project_id: str, title_or_id: str) -> Document:
    document = find(connection, project_id, title_or_id)
    if document is None:
        hint = f"Look for its title in project {project_id!r} with the tool search_knowledge."
        raise NotFoundError("document", title_or_id, hint)
    return document


def find_by_title(connection: Connection, project_id: str, title: str) -> Document | None:
    bound = {"project_id": project_id, "folded_title": fold_name(title)}
    row = connection.execute(_BY_TITLE, bound).fetchone()
    return Document(**row) if row else None


def read_from(connection: Connection, project_id: str, source: str) -> Document | None:
    """Return the document with that source."""
    row = connection.execute(_BY_SOURCE, {"project_id": project_id, "source": source}).fetchone()
    return Document(**row) if row else None


def page(
    connection: Connection, project_id: str, *, query: str, after: tuple[str, str], limit: int
) -> tuple[list[Document], int]:
    """Return a page of documents by title, and the total count."""
    bound = {"project_id": project_id, "query": fold_name(query)}
    place = {"folded_title": after[0], "id": after[1], "limit": limit}
    rows, total = page_of(connection, _PAGE, count=_COUNT, bound=bound, place=place)
    return [Document(**row) for row in rows], total


def insert(connection: Connection, document: Document) -> None:
    connection.execute(_INSERT, _parameters(document))
    if connection.changes() == 0:
        raise ConflictError(
            f"There is already a document {document.title!r} in project {document.project_id!r}."
        )


def rewrite(connection: Connection, document: Document) -> None:
    """Update the stored row, except its id, project and title."""
    connection.execute(_REWRITE, _parameters(document))


def delete(connection: Connection, document: Document) -> None:
    """Delete a document and its chunks."""
    connection.execute(_DELETE, {"id": document.id})


def chunks(
    connection: Connection, document_id: str, *, after: int = -1, limit: int = -1
) -> list[DocumentChunk]:
    """Return a document's chunks in order; all of them if *limit* is -1."""
    bound = {"document_id": document_id, "position": after, "limit": limit}
    return [DocumentChunk(**row) for row in connection.execute(_CHUNKS, bound)]


def chunk_ids(connection: Connection, document_id: str) -> list[str]:
    rows = connection.execute(_CHUNK_IDS, {"document_id": document_id})
    return [row["id"] for row in rows]


def chunk_texts(connection: Connection, ids: Sequence[str]) -> dict[str, str]:
    """Return the full texts of existing chunks by id."""
    rows = connection.execute(_CHUNK_TEXTS, {"ids": json.dumps(list(ids))})
    return {row["id"]: row["text"] for row in rows}


def insert_chunks(
    connection: Connection, document: Document, chunks: Sequence[DocumentChunk]
) -> None:
    connection.executemany(
        _INSERT_CHUNK,
        [
            {
                **chunk.model_dump(),
                "project_id": document.project_id,
                "document_id": document.id,
                "created_at": format_timestamp(document.updated_at),
            }
            for chunk in chunks
        ],
    )


def move_chunks(connection: Connection, positions: Sequence[tuple[DocumentChunk, int]]) -> None:
    """Give chunks new positions. Their order must not change, and the positions must be free."""
    # Chunks that move down start from the first, chunks that move up from the last, so that
    # each position is free before it is used.
    down = [(chunk, to) for chunk, to in positions if to < chunk.position]
    up = [(chunk, to) for chunk, to in positions if to > chunk.position]
    for chunk, to in [*down, *reversed(up)]:
        connection.execute(_MOVE_CHUNK, {"id": chunk.id, "position": to})


def delete_chunks(connection: Connection, ids: Sequence[str]) -> None:
    connection.executemany(_DELETE_CHUNK, [{"id": id} for id in ids])


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _parameters(document: Document) -> dict[str, str | int]:
    return {
        "id": document.id,
        "project_id": document.project_id,
        "title": document.title,
        "folded_title": fold_name(document.title),
        "source": document.source,
        "media_type": document.media_type,
        "digest": document.digest,
        "characters": document.characters,
        "chunk_count": document.chunk_count,
        "created_at": format_timestamp(document.created_at),
        "updated_at": format_timestamp(document.updated_at),
    }
