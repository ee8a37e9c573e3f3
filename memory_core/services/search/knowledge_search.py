"""Search for chunks of documents."""

from __future__ import annotations

from ...model.documents import KnowledgeHit, KnowledgeResult
from ...rules import limits
from ...storage import documents as rows
from ...storage.database import Database
from .search import Search

MOST = 50


class KnowledgeSearch:
    """The general search, restricted to documents, with whole chunks in the results."""

    def __init__(self, db: Database, search: Search) -> None:
        self._db = db
        self._search = search

    def search(
        self,
        query: str,
        *,
        project_id: str = "default",
        top_k: int = 3,
        min_relevance: float = limits.RELEVANCE_FLOOR,
    ) -> KnowledgeResult:
        """
        Return the chunks that match *query* best; raise ValidationError if the query is invalid.
        """
        limits.validate_range("top_k", top_k, least=1, most=MOST)
        found = self._search.search_memory(
            query,
            project_id=project_id,
            limit=top_k,
            kinds=("document",),
            min_relevance=min_relevance,
        )
        with self._db.read() as connection:
            texts = rows.chunk_texts(connection, [hit.row_id for hit in found.hits])
        hits = [
            KnowledgeHit(
                document_id=hit.document.id,
                title=hit.document.title,
                position=hit.document.position,
                text=texts[hit.row_id],
                score=hit.score,
                relevance=hit.relevance,
            )
            for hit in found.hits
            # Deleted in the meantime by another process.
            if hit.document is not None and hit.row_id in texts
        ]
        return KnowledgeResult(hits=hits, channels=list(found.channels), notice=found.notice)
