"""Tools: documents."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from ...memory import Memory
from ...model.documents import AddedDocument, DeletedDocument, KnowledgeResult
from ...rules.limits import RELEVANCE_FLOOR
from ..calls import parameters as p
from ..calls.registry import tool


@tool(title="Add document", idempotent=True)
def add_knowledge(
    memory: Memory,
    title: Annotated[str, Field(description="Title; unique in the project, case-insensitive.")],
    content: Annotated[str, Field(description="The whole text; Markdown is split at headings.")],
    project_id: p.ProjectId = "default",
    extract: Annotated[
        bool, Field(description="true: also extract entities, facts and relations.")
    ] = False,
) -> AddedDocument:
    """Store a document as a whole and search it by passage. The same title with a new text
    replaces the old one."""
    add = memory.prose.add_prose if extract else memory.knowledge.add_document
    return add(title, content, project_id=project_id)


@tool(title="Add file", idempotent=True)
def add_file_knowledge(
    memory: Memory,
    file_path: Annotated[str, Field(description="Path of the file on the user's machine.")],
    project_id: p.ProjectId = "default",
) -> AddedDocument:
    """
    Store a text, Markdown, source, PDF, HTML or DOCX file from an allowed folder as a document.
    """
    return memory.knowledge.add_file(file_path, project_id=project_id)


@tool(title="Delete document", destroys=True)
def delete_knowledge(
    memory: Memory,
    title_or_id: Annotated[str, Field(description="Title or id of the document.")],
    project_id: p.ProjectId = "default",
) -> DeletedDocument:
    """Delete a document with all its chunks. They stay in the history."""
    return memory.knowledge.delete_document(title_or_id, project_id=project_id)


@tool(title="Search documents", reads=True)
def search_knowledge(
    memory: Memory,
    query: Annotated[str, Field(description="A question or keywords.")],
    top_k: Annotated[int, Field(description="Maximum number of chunks, 1 to 50.")] = 3,
    project_id: p.AnyProjectId = "default",
    min_relevance: p.MinRelevance = RELEVANCE_FLOOR,
) -> KnowledgeResult:
    """Keyword and semantic search for passages of documents. search_memory searches everything."""
    return memory.knowledge_search.search(
        query, project_id=project_id, top_k=top_k, min_relevance=min_relevance
    )
