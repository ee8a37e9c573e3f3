"""Facts about people: listed by whose they are, searched within a scope, one opened."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from memory_core.model.facts.fact_review import FactCounts
from memory_core.model.facts.facts import Fact, FactPage, RecallResult

from .. import state
from ..components.cursors import SIZE, Pages
from ..components.elements import part, show
from ..components.formatting import ago, format_count, number
from .delete_all import show_delete_all
from .edit import PICKED, close_fact, show_fact
from .new_fact import show_new_fact_form
from .scope import NO_USER, FactScope, pick_scope

STATUSES = ("active", "duplicate", "superseded", "all")
MAX_RECALLED = 50


def show_facts(heading: DeltaGenerator) -> None:
    """Show the facts of a project, with all that can be done to them."""
    with st.container(horizontal=True):
        words = st.text_input("Look for", width=230, key="facts_words").strip()
        status = st.selectbox(
            "Status", STATUSES, format_func=str.capitalize, width=130, key="facts_status"
        )
        asked = pick_scope()
    counts = state.memory().fact_review.count_facts(asked.whose)
    with heading:
        st.title(_title(counts, asked))
        _show_counts(counts, asked)
    listed, written, forgetting = st.tabs(["Facts", "Write", "Delete all"])
    with listed:
        _list_facts(asked, words, status, counts)
    with written:
        show_new_fact_form(asked)
    with forgetting:
        show_delete_all(asked, counts)


def _title(counts: FactCounts, asked: FactScope) -> str:
    if not counts.active:
        return "No fact is remembered here yet" if asked.narrow else "No fact is remembered yet"
    is_are = "is" if counts.active == 1 else "are"
    said = f"{format_count(counts.active, 'fact')} {is_are} remembered"
    if counts.superseded:
        said += f", {number(counts.superseded)} gave way to newer ones"
    return said


def _show_counts(counts: FactCounts, asked: FactScope) -> None:
    held = state.memory().fact_review.list_holders(asked.project)
    users = len({each.user_id for each in held} - {""})
    figures = (
        ("Facts", counts.active),
        ("Superseded", counts.superseded),
        ("Duplicates", counts.duplicate),
        ("Users in all", users),
    )
    with st.container(horizontal=True):
        for label, count in figures:
            st.metric(label, number(count), width=150)


def _list_facts(asked: FactScope, words: str, status: str, counts: FactCounts) -> None:
    if words and asked.user is not None and status == "active":
        recalled = _search_facts(asked, words, state.version(), state.memory().follower.pending())
        _show_recalled(asked, recalled)
        return
    if words:
        st.caption(
            "Facts with these words. To search by meaning, as an assistant does, pick a user and "
            "the status active."
        )
    pages = Pages("facts", (asked, words, status))
    page = _page(asked, words, status, pages.cursor, state.version(), state.last_expiry())
    if not page.facts:
        _show_empty(asked, words, status, counts)
        return
    _table(page.facts, asked, key=f"{hash((words, status))}_{pages.cursor}")
    pages.footer(len(page.facts), page.total, page.cursor)
    _show_selected(page.facts)


def _show_recalled(asked: FactScope, recalled: RecallResult) -> None:
    st.caption("By meaning, best first: what recall answers to an assistant of this user.")
    if recalled.notice:
        show(part("div", "faint", recalled.notice), key="facts_notice")
    if not recalled.facts:
        st.write("No fact of this scope answers that. Other words may, or another user.")
        return
    scores = [fact.score for fact in recalled.facts]
    _table(recalled.facts, asked, key="found", scores=scores)
    st.caption(f"showing {number(len(scores))} of the best {MAX_RECALLED}")
    _show_selected(recalled.facts)


def _table(
    facts: Sequence[Fact], asked: FactScope, *, key: str, scores: list[float] | None = None
) -> None:
    closed = st.session_state.get("facts_closed", 0)
    now = state.memory().db.clock()
    columns: dict[str, list[object]] = {
        "Text": [fact.content for fact in facts],
        "Owner": [_owner_of(fact, asked) for fact in facts],
        "Status": [fact.status for fact in facts],
        "Category": [fact.category for fact in facts],
        "Changed": [ago(fact.updated_at, now) for fact in facts],
    }
    if scores is not None:
        columns = {"Score": [round(score, 2) for score in scores], **columns}
    event = st.dataframe(
        pd.DataFrame(columns),
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row",
        column_config={
            "Text": st.column_config.TextColumn(width=470),
            "Owner": st.column_config.TextColumn(width=190),
        },
        key=f"facts_{closed}_{hash(asked)}_{key}",
    )
    # A row may be gone between the click and this run.
    rows = [row for row in event.selection.rows if row < len(facts)]
    if rows:
        st.session_state[PICKED] = facts[rows[0]].id
    elif st.session_state.pop("facts_selected", False):
        st.session_state.pop(PICKED, None)
    st.session_state["facts_selected"] = bool(rows)


def _show_selected(shown: Sequence[Fact]) -> None:
    id = st.session_state.get(PICKED, "")
    fact = state.memory().fact_review.facts_by_ids([id]).get(id) if id else None
    project = state.project()
    if fact is not None and project in (state.EVERY_PROJECT, fact.project_id):
        show_fact(fact)
        return
    if id:
        close_fact()
    st.caption("Pick a fact to read it, correct it or delete it.")


def _owner_of(fact: Fact, asked: FactScope) -> str:
    names = [fact.user_id, fact.agent_id, fact.session_id]
    names = [name for name in names if name] or [NO_USER]
    if asked.project == state.EVERY_PROJECT:
        names.insert(0, fact.project_id)
    return " \u00b7 ".join(names)


def _show_empty(asked: FactScope, words: str, status: str, counts: FactCounts) -> None:
    if words or status != "active" or asked.narrow:
        st.write("No fact fits these filters. Take one of them away.")
        return
    st.write(
        "A fact is one sentence about a person or a thing, kept for a user, an agent or a "
        "session. An assistant keeps one with remember, and asks for them with recall; "
        "memory_extract lets its own model draw facts from a conversation, and LLM_PROVIDER sets "
        "a model or plain rules that do so by themselves. The tab Write makes one by hand."
    )


@st.cache_data(show_spinner=False, max_entries=16)
def _page(
    asked: FactScope, words: str, status: str, cursor: str, seq: int, expired: str
) -> FactPage:
    return state.memory().fact_review.list_facts(
        asked.whose, status=status, words=words, limit=SIZE, cursor=cursor
    )


@st.cache_data(show_spinner=False, max_entries=16)
def _search_facts(asked: FactScope, query: str, seq: int, pending: int) -> RecallResult:
    return state.memory().conversation.search_facts(query, asked.scope, limit=MAX_RECALLED)
