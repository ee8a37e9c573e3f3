"""What an assistant would get for a question, and why."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Any, get_args

import streamlit as st

from dashboard import charts, state, tables
from dashboard.elements import Part, part, show
from dashboard.hits import hit_parts, timing_parts
from dashboard.links import open_entity
from dashboard.words import counted, milliseconds, number
from memory_core.model.recipe import Recipe
from memory_core.model.search import Kind, SearchResult

EXAMPLES = (
    "Which colleague cannot eat seafood?",
    "Why did people miss their ferry in August?",
    "On which weekdays may we ship to the live system?",
)
# Hits below this share of the best one are folded away.
WEAK = 0.35


@dataclass(frozen=True)
class Asked:
    """A question with everything that bears on its answer."""

    query: str
    project: str
    types: tuple[str, ...]
    kinds: tuple[Kind, ...]
    since: date | None
    rerank: Any
    limit: int
    archived: bool
    weights: tuple[tuple[str, float], ...]
    recipe: Recipe | None


def page() -> None:
    heading = st.container()
    if wanted := st.session_state.pop("query_wanted", ""):
        st.session_state["query"] = wanted
    query = st.text_input(
        "Question",
        key="query",
        placeholder="why did we move retries to the queue?",
        label_visibility="collapsed",
    )
    asked = _filters(query.strip())
    if not asked.query:
        with heading:
            st.title("Ask as an assistant would")
        _examples()
        return
    with st.spinner("Searching"):
        result = _answer(asked, state.version())
    with heading:
        st.title(_sentence(result))
    _timings(result)
    if result.notice:
        notice = part("div", "line", part("span", "chip amber", "note"), result.notice)
        show(notice, key="notice")
    _hits(result)


def _filters(query: str) -> Asked:
    project = state.project()
    counts = _types(project, state.version())
    with st.container(horizontal=True):
        types = st.multiselect("Types", counts, placeholder="All", width=180)
        kinds = st.multiselect("Kinds", list(get_args(Kind)), placeholder="All", width=180)
        since = st.date_input("Since", value=None, width=150)
        rerank = st.selectbox("Rerank", ["auto", "on", "off"], width=110)
        limit = st.number_input("Limit", 1, 100, 10, width=110)
    with st.expander("Weights to try"):
        weights, recipe = _weights()
        archived = st.checkbox("Archived and superseded too")
    return Asked(
        query=query,
        project=project,
        types=tuple(types),
        kinds=tuple(kinds),
        since=since,
        rerank=rerank,
        limit=int(limit),
        archived=archived,
        weights=weights,
        recipe=recipe,
    )


def _weights() -> tuple[tuple[tuple[str, float], ...], Recipe | None]:
    """Let the person try other weights; nothing is returned where nothing was changed."""
    shipped = state.memory().settings.ranking()
    how = st.radio(
        "How the channels are joined",
        ["as set", "by score", "by rank"],
        captions=[
            "what an assistant gets",
            "try other shares and boosts",
            "reciprocal ranks, a weight each",
        ],
        horizontal=True,
    )
    if how == "as set":
        return (), None
    left, right = st.columns(2)
    if how == "by rank":
        vector = left.slider("Vector", 0.0, 3.0, 1.0, 0.1)
        lexical = right.slider("Lexical", 0.0, 3.0, 1.0, 0.1)
        return (("lexical", lexical), ("vector", vector)), None
    dense = left.slider("Share of meaning against words", 0.0, 1.0, shipped.dense, 0.05)
    link = right.slider("Boost: the query names the entity", 0.0, 1.0, shipped.link_boost, 0.05)
    day = left.slider("Boost: the query names the day", 0.0, 1.0, shipped.date_boost, 0.05)
    session = right.slider("Boost: the session fits", 0.0, 1.0, shipped.session_boost, 0.05)
    tried = {"dense": dense, "link_boost": link, "date_boost": day, "session_boost": session}
    return (), shipped.model_copy(update=tried)


def _answer(asked: Asked, seq: int) -> SearchResult:
    """Search, unless this very question was answered last and nothing has changed since."""
    last = st.session_state.get("search_answer")
    ready = state.memory().embedder.ready
    if last and last[0] == (asked, seq, ready):
        return last[1]  # type: ignore[no-any-return]
    since = datetime.combine(asked.since, time.min, UTC) if asked.since else None
    with state.editing() as memory:
        result = memory.search.search(
            asked.query,
            project_id=asked.project,
            limit=asked.limit,
            channel_weights=dict(asked.weights),
            node_types=asked.types,
            kinds=asked.kinds,
            include_archived=asked.archived,
            since=since,
            explain=True,
            rerank=asked.rerank,
            recipe=asked.recipe,
        )
    st.session_state["search_answer"] = ((asked, seq, ready), result)
    return result


def _sentence(result: SearchResult) -> str:
    took = milliseconds(result.took.get("total", 0.0))
    if not result.hits:
        return f"Nothing answers this, after {took}"
    how = " and ".join(
        {"lexical": "words", "vector": "meaning"}[channel] for channel in result.channels
    )
    return f"{counted(len(result.hits), 'row')} by {how} in {took}"


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
    strong = [hit for hit in result.hits if hit.score >= best * WEAK]
    weak = len(result.hits) - len(strong)
    with_weak = bool(weak) and st.toggle(f"Weaker results: {number(weak)}")
    shown = result.hits if with_weak else strong
    now, theme = state.memory().db.clock(), state.theme()
    picked = show(
        *[
            hit_parts(hit, rank, query=result.query, theme=theme, now=now)
            for rank, hit in enumerate(shown, start=1)
        ],
        key="hits",
    )
    with st.expander("As a table"):
        st.dataframe(tables.hits_table(shown), hide_index=True)
    if picked:
        open_entity(picked)


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
            st.session_state["query_wanted"] = example
            st.rerun()


@st.cache_data(show_spinner=False, max_entries=32)
def _types(project: str, seq: int) -> list[str]:
    return list(state.memory().overview.types(project_id=project, status="all"))


page()
