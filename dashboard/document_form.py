"""Texts put in the place of others: what was typed outlives changes, and overwrites none unseen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from memory_core import Memory
from memory_core.model.documents import AddedDocument, Document

from . import state
from .components.elements import part, show
from .components.formatting import ago, format_count, number
from .saving import undo_offer
from .saving.apply import apply_batch

# Beyond this a text is replaced, not edited: a browser's text field would crawl.
EDITED = 60_000
OPENED = "document_opened"


@dataclass(frozen=True)
class Opened:
    """A document and its text as its editor saw them, and the newest text that they know of."""

    document: Document
    text: str
    seen: str


def replace_form(document: Document) -> None:
    """Edit or replace the text of a document, based on the version that was opened."""
    opened = _open_document(document)
    key = _key(opened.document)
    # A stable position: the form must not move while it is edited.
    with st.container():
        stale = document.digest != opened.seen
        if stale:
            _changed_meanwhile(opened, document)
    with st.form(key, border=False):
        given = st.file_uploader("A new file", max_upload_size=most_megabytes(), key=f"{key}_file")
        text = ""
        if document.characters <= EDITED:
            text = st.text_area("Or its text, edited", opened.text, height=260, key=f"{key}_text")
        else:
            st.write("It is too long to be edited here; give it as a file.")
        sent = st.form_submit_button("Replace")
    if not sent or not (given or text):
        return
    if stale:
        st.error("Nothing was saved: choose above which of the two texts to keep.")
        return
    _save(document, text, given, replacing=opened.seen)


def _open_document(document: Document) -> Opened:
    opened: Opened | None = st.session_state.get(OPENED)
    same = opened is not None and opened.document.id == document.id
    if opened is None or not same or (opened.seen != document.digest and not _is_edited(opened)):
        known = ""
        if document.characters <= EDITED:
            known = state.memory().knowledge.document_text(
                document.id, project_id=document.project_id
            )
        opened = Opened(document, known, document.digest)
        st.session_state[OPENED] = opened
    return opened


def _is_edited(opened: Opened) -> bool:
    """Return whether something that was typed has been sent."""
    return bool(st.session_state.get(f"{_key(opened.document)}_text", opened.text) != opened.text)


def _key(document: Document) -> str:
    return f"replace_{document.id}_{document.updated_at.timestamp()}"


def _save(document: Document, text: str, given: UploadedFile | None, *, replacing: str) -> None:
    where = {"project_id": document.project_id, "replacing": replacing}
    if given:
        content = given.getvalue()
        write(
            "The document was not replaced.",
            lambda m: m.knowledge.add_upload(given.name, content, title=document.title, **where),
        )
    else:
        write(
            "The document was not replaced.",
            lambda m: m.knowledge.add_document(
                document.title,
                text,
                source=document.source,
                media_type=document.media_type,
                **where,
            ),
        )


def _changed_meanwhile(opened: Opened, document: Document) -> None:
    """Say that the text is another one by now, show it, and offer both ways on."""
    st.warning("This text was replaced while it was open here. What you typed is still below.")
    stored = "too long to be shown here"
    if document.characters <= EDITED:
        stored = state.memory().knowledge.document_text(document.id, project_id=document.project_id)
    when = ago(document.updated_at, state.memory().db.clock())
    show(part("div", "faint", f"replaced {when}; stored now:"), key="document_changed")
    st.code(stored, language=None, wrap_lines=True, height=160)
    with st.container(horizontal=True):
        if st.button("Keep mine", key="document_mine", help="The next Replace saves it."):
            st.session_state[OPENED] = replace(opened, seen=document.digest)
            st.rerun()
        if st.button("Keep theirs", key="document_theirs"):
            st.session_state.pop(OPENED)
            st.rerun()


def write(failing: str, act: Callable[[Memory], AddedDocument]) -> None:
    added: list[AddedDocument] = []
    batch = apply_batch(failing, lambda memory: added.append(act(memory)))
    if batch:
        document = added[0].document
        st.session_state.pop(OPENED, None)
        st.session_state["document"] = (document.project_id, document.id)
        st.session_state["texts_written"] = st.session_state.get("texts_written", 0) + 1
        undo_offer.report_done(
            added_said(added[0]), "" if added[0].status == "unchanged" else batch
        )


def added_said(added: AddedDocument) -> str:
    name = f"{added.document.title!r}"
    chunks = format_count(added.document.chunk_count, "chunk")
    return {
        "added": f"Added {name}, {chunks}. {added.notice}",
        "replaced": f"Replaced {name}: of {chunks}, {number(added.chunks_kept)} were kept. "
        f"{added.notice}",
        "unchanged": f"{name} said just that already; nothing was changed.",
    }[added.status].strip()


def most_megabytes() -> int:
    return max(state.memory().settings.knowledge_max_bytes // 1_000_000, 1)
