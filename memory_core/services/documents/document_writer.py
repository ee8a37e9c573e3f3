"""
Write and delete documents in short transactions.

1. A small document is written in one transaction, and keeps the chunks that are still the same.
2. The chunks of a large one are written at reserved positions, which no reader sees, in several
   transactions. Updating the document's row makes them its text; then the previous chunks are
   deleted. A reader sees the previous text or the new one.
3. All transactions are one batch, which one undo reverts.
4. The newest reservation wins: a writer that finds another one raises ConflictError.
5. What a killed process leaves is deleted by the next write of that document, or by sweep().
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta

from ...context import as_one_batch, current_batch
from ...errors import ConflictError
from ...ids import IdSource
from ...model.documents import Document, DocumentChunk, DocumentStatus
from ...rules import limits
from ...rules.graph.alignment import match_items
from ...storage import documents as rows
from ...storage.database import Connection, Database

# Longer than any write takes.
_ABANDONED = timedelta(hours=1)

# Returns the stored document, and the one that is wanted in its place.
Lookup = Callable[[Connection], tuple[Document | None, Document]]

Stored = tuple[Document, DocumentStatus, int]


class DocumentWriter:
    """Writes texts as documents; each is stored completely or not at all."""

    def __init__(self, db: Database, ids: IdSource) -> None:
        self._db = db
        self._ids = ids

    def store(self, cause: str, texts: Sequence[str], lookup: Lookup) -> Stored:
        """Store *texts* as a document; return it, how, and how many chunks were the same."""
        characters = sum(map(len, texts))
        with as_one_batch(current_batch() or self._ids()):
            if characters <= limits.WRITE_CHARACTERS:
                self._db.prepare_texts("text", texts)
                with self._db.write(cause) as connection:
                    known, wanted = lookup(connection)
                    if known is None or _is_small(connection, known):
                        return self._store_at_once(connection, known, wanted, texts)
            return self._store_in_parts(cause, texts, lookup)

    def delete(self, cause: str, project_id: str, title_or_id: str) -> None:
        """Delete a document and its chunks. Readers see all of it or nothing."""
        with as_one_batch(current_batch() or self._ids()):
            with self._db.write(cause) as connection:
                document = rows.get(connection, project_id, title_or_id)
                if _is_small(connection, document):
                    rows.delete(connection, document)
                    return
                rows.hide(connection, document.id)
                reserved = rows.reserve(connection, document.id, 1)
            self._delete_surplus(cause, document.id, reserved)

    def sweep(self) -> int:
        """Delete the chunks that killed processes left behind; return of how many documents."""
        before = self._db.clock() - _ABANDONED
        with self._db.read() as connection:
            found = rows.unfinished(connection)
        abandoned = [id for id, at in found.items() if datetime.fromisoformat(at) < before]
        for id in abandoned:
            with self._db.write("sweep_documents") as connection:
                reserved = rows.reserve(connection, id, 1)
            self._delete_surplus("sweep_documents", id, reserved)
        return len(abandoned)

    def _store_at_once(
        self,
        connection: Connection,
        known: Document | None,
        wanted: Document,
        texts: Sequence[str],
    ) -> Stored:
        if known is None:
            rows.insert(connection, wanted)
            rows.insert_chunks(connection, wanted, self._chunks(texts, range(len(texts))))
            return wanted, "added", 0
        if _is_current(known, wanted):
            return known, "unchanged", known.chunk_count
        rows.rewrite(connection, wanted)
        kept = self._replace_chunks(connection, wanted, texts)
        return wanted, "replaced" if known.chunk_count else "added", kept

    def _replace_chunks(
        self, connection: Connection, document: Document, texts: Sequence[str]
    ) -> int:
        """Make *texts* the chunks of a document; return how many of the old ones were kept."""
        old = rows.chunks(connection, document.id, limit=-1)
        same = match_items([chunk.text for chunk in old], texts)
        stay = {old[place].id for place in same.values()}
        rows.delete_chunks(connection, [chunk.id for chunk in old if chunk.id not in stay])
        rows.move_chunks(connection, [(old[place], position) for position, place in same.items()])
        new = [position for position in range(len(texts)) if position not in same]
        rows.insert_chunks(connection, document, self._chunks(texts, new))
        return len(same)

    def _store_in_parts(self, cause: str, texts: Sequence[str], lookup: Lookup) -> Stored:
        with self._db.write(cause) as connection:
            known, wanted = lookup(connection)
            if known is not None and _is_current(known, wanted):
                return known, "unchanged", known.chunk_count
            if known is None:
                rows.insert(connection, wanted.model_copy(update={"chunk_count": 0}))
            reserved = rows.reserve(connection, wanted.id, len(texts))
        first = reserved - len(texts)
        for positions in limits.parts_of(range(len(texts)), lambda at: len(texts[at])):
            self._db.prepare_texts("text", [texts[position] for position in positions])
            with self._db.write(cause) as connection:
                _require_reservation(connection, wanted, reserved)
                chunks = self._chunks(texts, positions)
                rows.insert_chunks(connection, wanted, chunks, first=first)
        with self._db.read() as connection:
            old = Counter(chunk.text for chunk in rows.chunks(connection, wanted.id))
        with self._db.write(cause) as connection:
            _require_reservation(connection, wanted, reserved)
            rows.publish(connection, wanted)
        self._delete_surplus(cause, wanted.id, reserved)
        replaced = known is not None and known.chunk_count
        return wanted, "replaced" if replaced else "added", (old & Counter(texts)).total()

    def _delete_surplus(self, cause: str, id: str, reserved: int) -> None:
        while True:
            with self._db.write(cause) as connection:
                if not rows.is_reserved(connection, id, reserved):
                    return
                surplus = rows.surplus_chunks(connection, id, limits.WRITE_ROWS // 2)
                if not surplus:
                    rows.finish(connection, id)
                    return
                rows.delete_chunks(connection, surplus)

    def _chunks(self, texts: Sequence[str], positions: Iterable[int]) -> list[DocumentChunk]:
        return [
            DocumentChunk(id=self._ids(), position=position, text=texts[position])
            for position in positions
        ]


def _is_small(connection: Connection, document: Document) -> bool:
    """Return whether a document can be replaced in one transaction."""
    is_short = document.characters <= limits.WRITE_CHARACTERS
    return is_short and not rows.is_unfinished(connection, document.id)


def _is_current(known: Document, wanted: Document) -> bool:
    return known.digest == wanted.digest and known.chunk_count > 0


def _require_reservation(connection: Connection, document: Document, reserved: int) -> None:
    if not rows.is_reserved(connection, document.id, reserved):
        raise ConflictError(
            f"Another process stored or deleted the document {document.title!r} at the same time. "
            "Read it, and store it again if needed."
        )
