"""Texts that are kept whole: which there are, what they say, and adding to them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import partial

import streamlit as st

from dashboard import messages, state, tables
from dashboard.components.cursors import SIZE, Pages
from dashboard.components.elements import Part, part, show
from dashboard.components.formatting import ago, exact, format_count, number
from dashboard.document_form import added_said, most_megabytes, replace_form, write
from dashboard.saving import undo, undo_offer
from dashboard.saving.apply import apply_batch, apply_edit
from memory_core import Memory, NotFoundError, new_id
from memory_core.model.documents import AddedDocument, ChunkPage, Document, DocumentPage

CHUNKS = 20
FORMS = {
    "text/plain": "text",
    "text/markdown": "Markdown",
    "text/html": "HTML",
    "application/pdf": "PDF",
}


def page() -> None:
    project, seq = state.project(), state.version()
    heading = st.container()
    undo.show_offer()
    query = st.text_input(
        "Part of a title", placeholder="A part of a title", label_visibility="collapsed"
    ).strip()
    pages = Pages("documents", (project, query))
    found = _documents(project, query, pages.cursor, seq)
    with heading:
        st.title(_sentence(found, query))
    left, right = st.columns([7, 3], gap="large")
    with left:
        _list(found, pages, query)
        if opened := _opened_document():
            _document(*opened)
    with right:
        _add(project)


def _sentence(found: DocumentPage, query: str) -> str:
    if query:
        return f"{format_count(found.total, 'document')} with that in the title"
    if not found.total:
        return "No document is remembered yet"
    return f"{format_count(found.total, 'document')} can be searched by what they say"


def _list(found: DocumentPage, pages: Pages, query: str) -> None:
    if not found.documents:
        st.write(
            "No title has that in it. Try a shorter part of it, or all projects."
            if query
            else "A document is a text that is kept whole and found by its parts: a guide, a "
            "decision record, meeting notes. Add the first one here, or let an assistant "
            "call add_knowledge; it then stands here with its chunks."
        )
        return
    event = st.dataframe(
        tables.documents_table(
            found.documents,
            state.memory().db.clock(),
            every_project=state.project() == state.EVERY_PROJECT,
        ),
        hide_index=True,
        column_config={"Characters": st.column_config.NumberColumn(format="localized")},
        on_select="rerun",
        selection_mode="single-row",
        key=f"documents_{st.session_state.get('documents_closed', 0)}_{query}_{pages.cursor}",
    )
    pages.footer(len(found.documents), found.total, found.cursor)
    # A row may be gone between the click and this run.
    rows = [row for row in event.selection.rows if row < len(found.documents)]
    if rows:
        document = found.documents[rows[0]]
        st.session_state["document"] = (document.project_id, document.id)


def _opened_document() -> tuple[str, str] | None:
    opened: tuple[str, str] | None = st.session_state.get("document")
    return opened


def _close() -> None:
    st.session_state.pop("document", None)
    # A table of another key has nothing selected.
    st.session_state["documents_closed"] = st.session_state.get("documents_closed", 0) + 1


def _document(project: str, id: str) -> None:
    pages = Pages("chunks", (project, id))
    try:
        shown = state.memory().knowledge.list_chunks(
            id, project_id=project, limit=CHUNKS, cursor=pages.cursor
        )
    except NotFoundError:
        st.info("The document that was open is gone. It may have been deleted elsewhere.")
        _close()
        return
    st.divider()
    document = shown.document
    show(*_about(document, state.memory().db.clock()), key="document_about")
    with st.container(horizontal=True):
        if st.button("Close"):
            _close()
            st.rerun()
        if st.button("Index again", help="Split it again with the current chunk size."):
            _index_again(document)
        if st.button("Delete"):
            _delete(document)
    says, replaced = st.tabs(["What it says", "Replace"])
    with says:
        _chunks(shown, pages)
    with replaced:
        replace_form(document)


def _about(document: Document, now: datetime) -> list[Part]:
    changed = f"changed {ago(document.updated_at, now)}"
    said = [
        document.project_id,
        FORMS.get(document.media_type, document.media_type.rsplit(".", 1)[-1]),
        f"{number(document.characters)} characters",
        format_count(document.chunk_count, "chunk"),
    ]
    return [
        part("h2", "", document.title),
        part(
            "div",
            "line faint",
            part("span", "", " \u00b7 ".join(said)),
            part("time", "", changed, title=exact(document.updated_at)),
        ),
        part("p", "faint", f"from {document.source}" if document.source else ""),
    ]


def _chunks(shown: ChunkPage, pages: Pages) -> None:
    show(
        *[
            part(
                "div",
                "item",
                part("div", "faint", f"chunk {number(chunk.position + 1)}"),
                part("div", "quote", chunk.text.strip("\n")),
            )
            for chunk in shown.chunks
        ],
        key="document_chunks",
    )
    pages.footer(len(shown.chunks), shown.document.chunk_count, shown.cursor, size=CHUNKS)


def _index_again(document: Document) -> None:
    added: list[AddedDocument] = []
    batch = apply_batch(
        "The document was not indexed again.",
        lambda m: added.append(
            m.knowledge.rebuild_chunks(document.id, project_id=document.project_id)
        ),
    )
    if batch and added[0].status == "unchanged":
        undo_offer.report_done(f"{document.title!r} is cut by the chunk size in use already.")
    elif batch:
        now = format_count(added[0].document.chunk_count, "chunk")
        undo_offer.report_done(f"{document.title!r} is cut into {now} now.", batch)


def _delete(document: Document) -> None:
    batch = apply_batch(
        "The document was not deleted.",
        lambda m: m.knowledge.delete_document(document.id, project_id=document.project_id),
    )
    if batch:
        _close()
        chunks = format_count(document.chunk_count, "chunk")
        undo_offer.report_done(f"Deleted {document.title!r} with {chunks}.", batch)


def _add(project: str) -> None:
    st.subheader("Add")
    where = project
    if project == state.EVERY_PROJECT:
        projects = state.projects(state.version()) or ["default"]
        where = str(st.selectbox("Into project", projects, accept_new_options=True))
    files, text = st.tabs(["Files", "Text"])
    with files, st.form("upload", clear_on_submit=True, border=False):
        given = st.file_uploader(
            "Text, Markdown, HTML, PDF, DOCX, source code",
            accept_multiple_files=True,
            max_upload_size=most_megabytes(),
        )
        sent = st.form_submit_button("Add the files", type="primary")
    if sent and given:
        _upload([(file.name, file.getvalue()) for file in given], where)
    # What was typed stays until it is written: each text has a form of its own.
    turn = st.session_state.setdefault("texts_written", 0)
    with text, st.form(f"text_{turn}", border=False):
        title = st.text_input("Title", max_chars=300)
        content = st.text_area("Text", height=200)
        sent = st.form_submit_button("Add the text", type="primary")
    if sent:
        write(
            "The text was not added.",
            lambda m: m.knowledge.add_document(title, content, project_id=where),
        )


def _upload(files: Sequence[tuple[str, bytes]], project: str) -> None:
    """Add each file for itself: one that cannot be read does not keep the others out."""
    messages.clear_messages()
    batch, added, failures = new_id(), list[AddedDocument](), list[str]()
    for name, content in files:
        outcome = apply_edit("", partial(_add_upload, name, content, project), batch_id=batch)
        if outcome.value:
            added.append(outcome.value)
        else:
            failures.append(str(outcome.error))
    if failures:
        said = f"{format_count(len(failures), 'file')} could not be read and left nothing behind."
        messages.keep_message(said, failures)
    if not added:
        st.rerun()
    last = added[-1].document
    st.session_state["document"] = (last.project_id, last.id)
    written = any(each.status != "unchanged" for each in added)
    said = (
        added_said(added[0])
        if len(added) == 1
        else f"Added {format_count(len(added), 'document')}."
    )
    undo_offer.report_done(said, batch if written else "")


def _add_upload(name: str, content: bytes, project: str, memory: Memory) -> AddedDocument:
    return memory.knowledge.add_upload(name, content, project_id=project)


@st.cache_data(show_spinner=False, max_entries=32)
def _documents(project: str, query: str, cursor: str, seq: int) -> DocumentPage:
    return state.memory().knowledge.list_documents(
        project_id=project, query=query, limit=SIZE, cursor=cursor
    )


page()
