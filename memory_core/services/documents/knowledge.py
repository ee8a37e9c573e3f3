"""Add, replace, list and delete documents."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from ...context import as_one_batch, current_batch
from ...errors import ConflictError, NotFoundError, VersionConflictError
from ...ids import IdSource
from ...model.documents import (
    AddedDocument,
    ChunkPage,
    DeletedDocument,
    Document,
    DocumentPage,
    DocumentStatus,
)
from ...readers import ReadFile, read_bytes, read_file
from ...rules import limits
from ...rules.paging import decode_cursor, encode_cursor
from ...rules.text import chunking
from ...rules.text.normalization import clean_text, fold_name
from ...storage import document_derivations
from ...storage import documents as rows
from ...storage.database import Connection, Database
from ...storage.history import audit_log
from ...storage.search import search_documents
from .document_writer import DocumentWriter

_OLDER = (
    "{0} facts and relations that were drawn from its old text stay. Add the text again with "
    "extract = true to bring them up to date."
)
_ORPHANED = (
    "{0} facts and relations that were drawn from it stay, with the source {1!r}. Delete those "
    "that you do not want, or undo."
)


class NewDocument(NamedTuple):
    """A document to store, and the texts of its chunks."""

    document: Document
    texts: list[str]


class Knowledge:
    """Documents: one text under one title, searched by chunks."""

    def __init__(
        self,
        db: Database,
        ids: IdSource,
        *,
        roots: Sequence[Path],
        chunk_size: int,
        max_bytes: int,
    ) -> None:
        """Files are read only from folders under *roots*; *max_bytes* limits every text."""
        self._db = db
        self._ids = ids
        self._writer = DocumentWriter(db, ids)
        self._roots = roots
        self._chunk_size = chunk_size
        self._max_bytes = max_bytes

    def add_document(
        self,
        title: str,
        content: str,
        *,
        project_id: str = "default",
        source: str = "",
        media_type: str = "text/plain",
        replacing: str = "",
    ) -> AddedDocument:
        """
        Add a text; a new text under an existing title replaces the old one.

        With *replacing*, raise VersionConflictError unless it is the digest of the stored text.
        """
        file = ReadFile(title=title, text=content, media_type=media_type, source=source)
        return self.store_document(self.build_document(file, project_id), replacing=replacing)

    def store_document(self, built: NewDocument, *, replacing: str = "") -> AddedDocument:
        """Store a document that was built before the caller took the write lock."""
        wanted, texts = built

        def lookup(connection: Connection) -> tuple[Document | None, Document]:
            known = rows.find_by_title(connection, wanted.project_id, wanted.title)
            if replacing:
                _check_digest(connection, known, wanted.title, replacing)
            return known, _successor(known, wanted)

        document, status, kept = self._writer.store("add_knowledge", texts, lookup)
        with self._db.read() as connection:
            left = _left_over(connection, document) if status == "replaced" else 0
        notice = _OLDER.format(left) if left else ""
        return self._build_result(document, status, kept, notice=notice)

    def add_file(self, file_path: str, *, project_id: str = "default") -> AddedDocument:
        """Add a file's text under its name; adding the file again replaces its old text."""
        project_id = limits.validate_project(project_id)
        file = read_file(file_path, roots=self._roots, max_bytes=self._max_bytes)
        wanted, texts = self.build_document(file, project_id)

        def lookup(connection: Connection) -> tuple[Document | None, Document]:
            known = rows.read_from(connection, project_id, wanted.source)
            if known is not None:
                return known, _successor(known, wanted)
            title = _free_title(connection, project_id, Path(wanted.source))
            title = self._db.without_secrets("title", title)
            return None, wanted.model_copy(update={"title": title})

        written = self._writer.store("add_file_knowledge", texts, lookup)
        return self._build_result(*written, notice=file.notice)

    def add_upload(
        self,
        name: str,
        content: bytes,
        *,
        project_id: str = "default",
        title: str = "",
        replacing: str = "",
    ) -> AddedDocument:
        """Add the text of an uploaded file under its name or *title*."""
        # Some browsers send a path; the folder names of the client are private.
        plain = PurePosixPath(clean_text(name).replace("\\", "/")).name
        file = read_bytes(plain, content, max_bytes=self._max_bytes)
        added = self.add_document(
            title or file.title,
            file.text,
            project_id=project_id,
            source=file.source,
            media_type=file.media_type,
            replacing=replacing,
        )
        return added.model_copy(update={"notice": file.notice})

    def rebuild_chunks(self, title_or_id: str, *, project_id: str = "default") -> AddedDocument:
        """Split a document by the current chunk size; unchanged chunks keep their vectors."""
        project_id = limits.validate_project(project_id)
        text = self.document_text(title_or_id, project_id=project_id)
        cuts = chunking.split_chunks(text, size=self._chunk_size)
        texts = [text[cut.start : cut.end] for cut in cuts]
        with self._db.read() as connection:
            document = rows.get(connection, project_id, title_or_id)
            old = [chunk.text for chunk in rows.chunks(connection, document.id)]
        if old == texts:
            return self._build_result(document, "unchanged", len(texts))

        def lookup(connection: Connection) -> tuple[Document | None, Document]:
            known = rows.get(connection, project_id, document.id)
            _check_digest(connection, known, known.title, document.digest)
            # Its text is the same, and its chunks are not.
            return known.model_copy(update={"digest": ""}), known.model_copy(
                update={"chunk_count": len(texts)}
            )

        return self._build_result(*self._writer.store("rebuild_chunks", texts, lookup))

    def delete_document(self, title_or_id: str, *, project_id: str = "default") -> DeletedDocument:
        """Delete a document with all its chunks. They stay in the history."""
        batch_id = current_batch() or self._ids()
        project_id = limits.validate_project(project_id)
        with self._db.read() as connection:
            document = rows.get(connection, project_id, title_or_id)
            left = _left_over(connection, document)
        with as_one_batch(batch_id):
            self._writer.delete("delete_knowledge", project_id, document.id)
        return DeletedDocument(
            id=document.id,
            title=document.title,
            chunks=document.chunk_count,
            notice=_ORPHANED.format(left, document_derivations.source(document.id)) if left else "",
            batch_id=batch_id,
        )

    def sweep_documents(self) -> int:
        """Delete what processes that were killed an hour ago or earlier left of documents."""
        return self._writer.sweep()

    def list_documents(
        self,
        *,
        project_id: str = "default",
        query: str = "",
        limit: int = 50,
        cursor: str = "",
    ) -> DocumentPage:
        """Return documents by title; *query* matches a part of the title."""
        limit = limits.validate_page_size(limit)
        project_id = limits.validate_project(project_id, all_allowed=True)
        of = ("documents", project_id, query)
        title, id = decode_cursor(cursor, "", "", of=of)
        with self._db.read() as connection:
            found, total = rows.page(
                connection,
                project_id,
                query=query,
                after=(str(title), str(id)),
                limit=limit + 1,
            )
        shown = found[:limit]
        more = len(found) > limit
        after = encode_cursor(fold_name(shown[-1].title), shown[-1].id, of=of) if more else ""
        return DocumentPage(documents=shown, total=total, cursor=after)

    def get_document(self, title_or_id: str, *, project_id: str = "default") -> Document:
        with self._db.read() as connection:
            return rows.get(connection, limits.validate_project(project_id), title_or_id)

    def document_text(self, title_or_id: str, *, project_id: str = "default") -> str:
        """Return the whole text of a document, exactly as stored."""
        with self._db.read() as connection:
            document = rows.get(connection, limits.validate_project(project_id), title_or_id)
            return "".join(chunk.text for chunk in rows.chunks(connection, document.id))

    def list_chunks(
        self,
        title_or_id: str,
        *,
        project_id: str = "default",
        limit: int = 50,
        cursor: str = "",
    ) -> ChunkPage:
        limit = limits.validate_page_size(limit)
        with self._db.read() as connection:
            document = rows.get(connection, limits.validate_project(project_id), title_or_id)
            of = ("chunks", document.id)
            (after,) = decode_cursor(cursor, -1, of=of)
            found = rows.chunks(connection, document.id, after=int(after), limit=limit + 1)
        shown = found[:limit]
        more = len(found) > limit
        return ChunkPage(
            document=document,
            chunks=shown,
            cursor=encode_cursor(shown[-1].position, of=of) if more else "",
        )

    def build_document(self, file: ReadFile, project_id: str) -> NewDocument:
        """Validate, redact and split a text; a short one is also tokenized for the next write."""
        text = limits.validate_text("content", file.text, longest=self._max_bytes)
        # Redact before splitting: a key cut in half would not match any pattern.
        text = self._db.without_secrets("content", text)
        cuts = chunking.split_chunks(text, size=self._chunk_size)
        now = self._db.clock()
        document = Document(
            id=self._ids(),
            project_id=limits.validate_project(project_id),
            title=self._db.without_secrets("title", limits.validate_name("title", file.title)),
            source=clean_text(file.source),
            media_type=limits.validate_name("media_type", file.media_type),
            digest=rows.digest(text),
            characters=len(text),
            chunk_count=len(cuts),
            created_at=now,
            updated_at=now,
        )
        texts = [text[cut.start : cut.end] for cut in cuts]
        if len(text) <= limits.WRITE_CHARACTERS:
            self._db.prepare_texts("content", texts)
        return NewDocument(document, texts)

    def _build_result(
        self, document: Document, status: DocumentStatus, chunks_kept: int, *, notice: str = ""
    ) -> AddedDocument:
        with self._db.read() as connection:
            ids = rows.chunk_ids(connection, document.id)
            pending = search_documents.is_pending(connection, "chunks", ids)
        return AddedDocument(
            document=document,
            status=status,
            chunks_kept=chunks_kept,
            notice=notice,
            embedding="pending" if pending else "ready",
        )


def _successor(known: Document | None, wanted: Document) -> Document:
    """Return *wanted* as it replaces *known*: the id, title and creation time stay."""
    if known is None:
        return wanted
    kept = {"id": known.id, "title": known.title, "created_at": known.created_at}
    return wanted.model_copy(update=kept)


def _left_over(connection: Connection, document: Document) -> int:
    """Return how many extracted facts of a document are unchanged."""
    where = (connection, document.project_id, document.id)
    return len(document_derivations.observations(*where)) + len(
        document_derivations.relations(*where)
    )


def _check_digest(connection: Connection, known: Document | None, title: str, digest: str) -> None:
    """Raise VersionConflictError if the stored text has another digest."""
    if known is None:
        raise NotFoundError("document", title, "It was deleted or renamed since it was read.")
    if known.digest != digest:
        newest = audit_log.version(connection, "documents", known.id)
        raise VersionConflictError(
            "document", known.id, by=newest.actor, at=newest.at, version=newest.seq
        )


def _free_title(connection: Connection, project_id: str, place: Path) -> str:
    """Return the file's name, with its folder if another document has that title."""
    for title in (place.name, f"{place.name} ({place.parent.name})", f"{place.name} ({place})"):
        if rows.find_by_title(connection, project_id, title) is None:
            return limits.validate_name("title", title)
    raise ConflictError(
        f"There is a document called {str(place)!r} that is not this file. Delete it first, or add "
        "the file to another project."
    )
