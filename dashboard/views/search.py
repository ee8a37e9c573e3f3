"""Page Search: hits with explained scores."""

from __future__ import annotations

from typing import Any

import streamlit as st

from dashboard import charts, state, tables
from dashboard.components.elements import Part, part, show
from dashboard.components.formatting import format_count, milliseconds, number
from dashboard.components.links import open_target
from dashboard.search import comparison, query_form
from dashboard.search.hits import hit_parts, timing_parts
from dashboard.search.query_form import SearchQuery
from dashboard.search.recent_queries import show_recent_queries
from dashboard.search.saved_questions import fill_in_pending, show_saved_searches
from memory_core.model.search.results import SearchResult
from memory_core.model.search.saved_search import SearchSettings

EXAMPLES = (
    "Which colleague cannot eat seafood?",
    "Why did people miss their ferry in August?",
    "On which weekdays may we ship to the live system?",
)
# Hits below this share of the best one are folded away.
WEAK = 0.35


def page() -> None:
    heading = st.container()
    if wanted := st.session_state.pop("query_wanted", ""):
        st.session_state["query"] = wanted
    fill_in_pending()
    query = st.text_input(
        "Question",
        key="query",
        placeholder="why did we move retries to the queue?",
        label_visibility="collapsed",
    ).strip()
    project = state.project()
    shared = query_form.filters(_types(project, state.version()))
    both = st.toggle("Compare two settings", key="search_compare")
    a, b = _sides(both)
    asked = SearchQuery(query, project, SearchSettings(**shared, **a))
    show_saved_searches(asked if query else None)
    if not query:
        with heading:
            st.title("Ask as an assistant would")
        _examples()
        _again(show_recent_queries())
        return
    with st.spinner("Searching"):
        result = query_form.run_search(asked, "a")
        settings = SearchSettings(**shared, **b)
        other = query_form.run_search(SearchQuery(query, project, settings), "b") if both else None
    with heading:
        st.title(_sentence(result) if other is None else comparison.sentence(result, other))
    if other is None:
        _answer(result)
    else:
        _two(result, other)
    _again(show_recent_queries(but=query))


def _again(query: str) -> None:
    if query:
        st.session_state["query_wanted"] = query
        st.rerun()


def _sides(both: bool) -> tuple[dict[str, Any], dict[str, Any]]:
    """Ask how the answer is ranked; of two, each in a column of its own."""
    if not both:
        with st.expander("Ranking to try"):
            return query_form.ranking("a"), {}
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader("A")
        a = query_form.ranking("a")
    with right:
        st.subheader("B")
        b = query_form.ranking("b")
    return a, b


def _answer(result: SearchResult) -> None:
    _timings(result)
    _notice(result, "notice")
    _hits(result)


def _notice(result: SearchResult, key: str) -> None:
    if result.notice:
        notice = part("div", "line", part("span", "chip amber", "note"), result.notice)
        show(notice, key=key)


def _two(a: SearchResult, b: SearchResult) -> None:
    """Show both answers side by side."""
    picked = ""
    for column, (name, one, other) in zip(
        st.columns(2, gap="large"), (("a", a, b), ("b", b, a)), strict=True
    ):
        with column:
            _notice(one, f"notice_{name}")
            parts = comparison.side_parts(one, other, is_b=name == "b")
            picked = show(*parts, key=f"side_{name}") or picked
    with st.expander("As a table"):
        st.dataframe(comparison.table(a, b), hide_index=True)
    if picked:
        open_target(picked)


def _sentence(result: SearchResult) -> str:
    took = milliseconds(result.took.get("total", 0.0))
    if not result.hits:
        return f"Nothing answers this, after {took}"
    how = " and ".join(
        {"lexical": "words", "vector": "meaning"}[channel] for channel in result.channels
    )
    return f"{format_count(len(result.hits), 'result')} by {how} in {took}"


def _timings(result: SearchResult) -> None:
    theme = state.theme()
    st.plotly_chart(
        charts.stage_strip(result.took, theme),
        theme=None,
        config={"displayModeBar": False},
        key="timings",
    )
    show(*timing_parts(result.took, theme), key="stages")


def _hits(result: SearchResult) -> None:
    if not result.hits:
        st.write("Try other words, fewer filters, or all projects.")
        return
    best = result.hits[0].score
    # A cross-encoder's scores may be below 0: then none is a share of the best.
    strong = [hit for hit in result.hits if best <= 0 or hit.score >= best * WEAK]
    weak = len(result.hits) - len(strong)
    opened = st.session_state.get("search_weaker") == result.query
    shown = result.hits if opened else strong
    now, theme = state.memory().db.clock(), state.theme()
    picked = show(
        *[
            hit_parts(hit, rank, query=result.query, theme=theme, now=now)
            for rank, hit in enumerate(shown, start=1)
        ],
        key="hits",
    )
    if weak:
        _weaker(weak, opened, result.query)
    with st.expander("As a table"):
        st.dataframe(tables.hits_table(shown), hide_index=True)
    if picked:
        open_target(picked)


def _weaker(count: int, opened: bool, query: str) -> None:
    """Say how many hits are folded away, and unfold them."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(f"weaker results {'shown' if opened else 'hidden'}: {number(count)}")
        if st.button("Hide them" if opened else "Show them", key="weaker"):
            st.session_state["search_weaker"] = "" if opened else query
            st.rerun()


def _examples() -> None:
    intro: list[Part] = [
        part(
            "p",
            "",
            "The answer comes from the same pipeline that the assistants use: by words and by "
            "meaning, with the rank in each, the score, and the time of every stage.",
        )
    ]
    show(*intro, key="intro")
    if "harbour" not in state.projects(state.version()):
        return
    st.caption("Questions to the demonstration")
    for number_, example in enumerate(EXAMPLES):
        if st.button(example, key=f"example{number_}"):
            _again(example)


@st.cache_data(show_spinner=False, max_entries=32)
def _types(project: str, seq: int) -> list[str]:
    return list(state.memory().overview.list_types(project_id=project, status="all"))


page()
