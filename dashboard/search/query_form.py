"""Search form: filters, ranking settings and cached results."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, time
from typing import Any, get_args

import streamlit as st

from memory_core.model.search.recipe import Recipe
from memory_core.model.search.results import Kind, Rerank, SearchResult
from memory_core.model.search.saved_search import SavedSearch, SearchSettings

from .. import state

AS_SET, BY_SCORE, BY_RANK = "default", "by score", "by rank"
_BOOSTS = {
    "dense": "Semantic share (against keyword)",
    "link_boost": "Boost: query names the entity",
    "date_boost": "Boost: query names the day",
    "session_boost": "Boost: same session",
}
Weights = tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class SearchQuery:
    """A query with all parameters that affect its results."""

    query: str
    project: str
    settings: SearchSettings


def filters(types: list[str]) -> dict[str, Any]:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = {
            "node_types": tuple(
                st.multiselect("Types", types, placeholder="All", width=180, key="search_types")
            ),
            "kinds": tuple(
                st.multiselect(
                    "Kinds", get_args(Kind), placeholder="All", width=180, key="search_kinds"
                )
            ),
            "since": st.date_input("Since", value=None, width=150, key="search_since"),
            "limit": int(st.number_input("Limit", 1, 100, 10, width=110, key="search_limit")),
        }
        with st.container(width=260):
            chosen["include_archived"] = st.checkbox(
                "Include archived and superseded", key="search_archived"
            )
    return chosen


def ranking(side: str) -> dict[str, Any]:
    """Show the ranking settings of one side; the defaults are those of the MCP tools."""
    rerank = st.selectbox("Rerank", get_args(Rerank), width=130, key=f"search_rerank_{side}")
    weights, recipe = _weights(side)
    return {"rerank": rerank, "weights": weights, "recipe": recipe}


def run_search(asked: SearchQuery, side: str) -> SearchResult:
    """Search, or return the complete result of the same query if nothing has changed since."""
    at = (asked, state.version(), state.memory().embedder.ready)
    last = st.session_state.get(f"search_answer_{side}")
    # Embedding does not change the version: do not cache a result that lacks vectors.
    if last and last[0] == at and not last[1].pending:
        return last[1]  # type: ignore[no-any-return]
    how = asked.settings
    with state.editing() as memory:
        result = memory.search.search_memory(
            asked.query,
            project_id=asked.project,
            limit=how.limit,
            channel_weights=dict(how.weights),
            node_types=how.node_types,
            kinds=how.kinds,
            include_archived=how.include_archived,
            since=datetime.combine(how.since, time.min, UTC) if how.since else None,
            explain=True,
            rerank=how.rerank,
            recipe=how.recipe,
        )
    st.session_state[f"search_answer_{side}"] = (at, result)
    return result


def fill_in(saved: SavedSearch) -> None:
    """Fill the form from a saved search; call before the widgets are created."""
    how = saved.settings
    shipped = state.memory().settings.ranking()
    ways = {bool(how.weights): BY_RANK, how.recipe is not None: BY_SCORE}
    filled: dict[str, Any] = {
        "query": saved.query,
        "search_types": list(how.node_types),
        "search_kinds": list(how.kinds),
        "search_since": how.since,
        "search_limit": how.limit,
        "search_archived": how.include_archived,
        "search_rerank_a": how.rerank,
        "search_how_a": ways.get(True, AS_SET),
        **{f"search_{channel}_a": weight for channel, weight in how.weights},
        **{f"search_{name}_a": getattr(how.recipe or shipped, name) for name in _BOOSTS},
    }
    st.session_state.update(filled)


def _weights(side: str) -> tuple[Weights, Recipe | None]:
    shipped = state.memory().settings.ranking()
    how = st.radio(
        "Channel fusion",
        [AS_SET, BY_SCORE, BY_RANK],
        captions=["as in the MCP tools", "custom shares and boosts", "one weight per channel"],
        horizontal=True,
        key=f"search_how_{side}",
    )
    if how == AS_SET:
        return (), None
    columns = st.columns(2)
    if how == BY_RANK:
        channels = {
            name: column.slider(
                name.capitalize(),
                0.0,
                3.0,
                _begin(f"search_{name}_{side}", 1.0),
                0.1,
                key=f"search_{name}_{side}",
            )
            for name, column in zip(("lexical", "vector"), columns, strict=True)
        }
        return tuple(channels.items()), None
    tried = {}
    for at, (name, label) in enumerate(_BOOSTS.items()):
        key = f"search_{name}_{side}"
        start = _begin(key, float(getattr(shipped, name)))
        tried[name] = columns[at % 2].slider(label, 0.0, 1.0, start, 0.05, key=key)
    return (), shipped.model_copy(update=tried)


def _begin(key: str, value: float) -> float:
    """Return the initial value of a slider, which must not contradict a filled-in value."""
    return float(st.session_state.get(key, value))
