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
where project_id = :project_id and id = :id and chunk_count > 0
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
where project_id = :project_id and chunk_count > 0
    and (:query = '' or instr(folded_title, :query) > 0)
    and (folded_title, id) > (:folded_title, :id)
order by folded_title, id
limit :limit
"""

_COUNT = """
select count(*)
from documents
where project_id = :project_id and chunk_count > 0
    and (:query = '' or instr(folded_title, :query) > 0)
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
select c.id, c.position - d.first_position as position, c.text
from documents d cross join chunks c on c.document_id = d.id
where d.id = :document_id
    and c.position > d.first_position + :position
    and c.position >= d.first_position and c.position < d.first_position + d.chunk_count
order by c.position
limit :limit
"""

_CHUNK_IDS = """
select c.id
from documents d cross join chunks c on c.document_id = d.id
where d.id = :document_id
    and c.position >= d.first_position and c.position < d.first_position + d.chunk_count
order by c.position
"""

_SURPLUS = """
select c.id
from documents d cross join chunks c on c.document_id = d.id
where d.id = :document_id
    and (c.position < d.first_position or c.position >= d.first_position + d.chunk_count)
order by c.position
limit :limit
"""

_RESERVE = """
update documents
set reserved = max(reserved, first_position + chunk_count) + :count, unfinished = 1
where id = :id
returning reserved
"""

_RESERVED = """
select reserved from documents where id = :id and unfinished = 1
"""

_PUBLISH = """
update documents set first_position = reserved - :chunk_count where id = :id
"""

_HIDE = """
update documents set chunk_count = 0 where id = :id
"""

_FINISH = """
update documents set unfinished = 0 where id = :id
"""

_DELETE_HIDDEN = """
delete from documents where id = :id and chunk_count = 0
"""

_UNFINISHED = """
select d.id, max(c.at) as at
from documents d
    cross join terms w on w.text = d.id
    cross join change_log l on l.row = w.id
    cross join changes c on c.seq = l.seq
where d.unfinished = 1 and c.kind = 'documents'
group by d.id
"""

_CHUNK_TEXTS = """
select id, text from chunks where id in (select value from json_each(:ids))
"""

_INSERT_CHUNK = """
insert into chunks (id, project_id, document_id, position, text, created_at)
values (
    :id, :project_id, :document_id,
    :position + coalesce(:first, (select first_position from documents where id = :document_id)),
    :text, :created_at
)
"""

_MOVE_CHUNK = """
update chunks
set position = :position + (select first_position from documents where id = chunks.document_id)
where id = :id
"""

_DELETE_CHUNK = """
delete from chunks where id = :id
"""


def find(connection: Connection, project_id: str, title_or_id: str) -> Document | None:
    """Return the document with this id or, if there is none, with this title."""
    bound = {"project_id": project_id, "id": title_or_id}
    row = connection.execute(_BY_ID, bound).fetchone()
    named = Document(**row) if row else find_by_title(connection, project_id, title_or_id)
    return named if named is not None and named.chunk_count else None


def get(connection: Connection, project_id: str, title_or_id: str) -> Document:
    document = find(connection, project_id, title_or_id)
    if document is None:
        hint = f"Look for its title in project {project_id!r} with the tool search_knowledge."
        raise NotFoundError("document", title_or_id, hint)
    return document


def find_by_title(connection: Connection, project_id: str, title: str) -> Document | None:
    """Return the document of that title; one without chunks is not visible to readers."""
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


def reserve(connection: Connection, id: str, count: int) -> int:
    """Reserve *count* positions after all others; return their end, which identifies the writer."""
    return int(connection.execute(_RESERVE, {"id": id, "count": count}).get or 0)


def is_reserved(connection: Connection, id: str, reserved: int) -> bool:
    """Return whether *reserved* is still the newest reservation of an unfinished document."""
    return bool(connection.execute(_RESERVED, {"id": id}).get == reserved)


def is_unfinished(connection: Connection, id: str) -> bool:
    """Return whether a document may have chunks that are not part of its text."""
    return connection.execute(_RESERVED, {"id": id}).get is not None


def publish(connection: Connection, document: Document) -> None:
    """Make the chunks at the reserved positions the text of the document."""
    rewrite(connection, document)
    connection.execute(_PUBLISH, {"id": document.id, "chunk_count": document.chunk_count})


def hide(connection: Connection, id: str) -> None:
    """Make a document invisible to readers."""
    connection.execute(_HIDE, {"id": id})


def finish(connection: Connection, id: str) -> None:
    """Record that a document has no surplus chunks; delete it if it has no text either."""
    connection.execute(_DELETE_HIDDEN, {"id": id})
    connection.execute(_FINISH, {"id": id})


def surplus_chunks(connection: Connection, id: str, limit: int) -> list[str]:
    """Return ids of chunks that are not part of the text of their document."""
    rows = connection.execute(_SURPLUS, {"document_id": id, "limit": limit})
    return [row["id"] for row in rows]


def unfinished(connection: Connection) -> dict[str, str]:
    """Return the ids of unfinished documents, and when each was last changed."""
    return {row["id"]: row["at"] for row in connection.execute(_UNFINISHED)}


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
    connection: Connection,
    document: Document,
    chunks: Sequence[DocumentChunk],
    *,
    first: int | None = None,
) -> None:
    """Insert chunks, at positions that are counted from *first* or from the current text."""
    connection.executemany(
        _INSERT_CHUNK,
        [
            {
                **chunk.model_dump(),
                "first": first,
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
