"""Two answers to one question side by side: what moved, what came, what went."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from memory_core.model.search.results import SearchHit, SearchResult

from ..components.elements import Part, part
from ..components.formatting import counted, milliseconds
from ..components.links import target_of
from ..tables import title_of
from .hits import excerpt, marked, scored

UP, DOWN = "\u25b2", "\u25bc"
Key = tuple[str, str, str]


def moves(before: Sequence[SearchHit], after: Sequence[SearchHit]) -> list[str]:
    """Return for each hit *after* what became of its rank: up, down, as it was, or new."""
    ranks = {_key(hit): rank for rank, hit in enumerate(before, start=1)}
    said = []
    for rank, hit in enumerate(after, start=1):
        was = ranks.get(_key(hit))
        if was is None:
            said.append("new")
        elif was == rank:
            said.append("=")
        else:
            arrow = UP if was > rank else DOWN
            said.append(f"{arrow} {abs(was - rank)}, was {was}")
    return said


def gone(before: Sequence[SearchHit], after: Sequence[SearchHit]) -> list[int]:
    """Return the ranks of the hits *before* that are not there any more."""
    left = {_key(hit) for hit in after}
    return [rank for rank, hit in enumerate(before, start=1) if _key(hit) not in left]


def sentence(a: SearchResult, b: SearchResult) -> str:
    """Say in one line how far the answers differ."""
    said = moves(a.hits, b.hits)
    same = said.count("=")
    if same == len(said) == len(a.hits):
        return "A and B give the same answer"
    new, lost = said.count("new"), len(gone(a.hits, b.hits))
    moved = len(said) - same - new
    return f"B moves {counted(moved, 'result')}, brings {new} and loses {lost}"


def side_parts(result: SearchResult, other: SearchResult, *, is_b: bool) -> list[Part]:
    """Return one answer as parts; of B each hit says where A had it."""
    said = moves(other.hits, result.hits) if is_b else _lost(result, other)
    took = milliseconds(result.took.get("total", 0.0))
    name = "B" if is_b else "A"
    count = counted(len(result.hits), "result")
    rows: list[Part] = [
        part(
            "div", "line", part("span", "strong", name), part("span", "faint", f"{count} in {took}")
        )
    ]
    rows += [
        part(
            "article",
            "item",
            part(
                "div",
                "row",
                part(
                    "div",
                    "line",
                    part("span", "faint number", str(rank)),
                    part("span", "strong", title_of(hit), **_pick(hit)),
                    *([part("span", f"chip {_colour(move)}", move)] if move else []),
                ),
                part("span", "number", scored(hit.score)),
            ),
            part("div", "quote", *marked(excerpt(hit.text, result.query, 160), result.query)),
        )
        for rank, (hit, move) in enumerate(zip(result.hits, said, strict=True), start=1)
    ]
    return rows


def table(a: SearchResult, b: SearchResult) -> pd.DataFrame:
    """Return every row of either answer with its rank in both."""
    of_a = {_key(hit): rank for rank, hit in enumerate(a.hits, start=1)}
    of_b = {_key(hit): rank for rank, hit in enumerate(b.hits, start=1)}
    every = {_key(hit): hit for hit in [*a.hits, *b.hits]}
    return pd.DataFrame(
        {
            "About": [title_of(hit) for hit in every.values()],
            "A": [of_a.get(key) for key in every],
            "B": [of_b.get(key) for key in every],
            "Passage": [hit.text for hit in every.values()],
            "Id": [hit.id for hit in every.values()],
        }
    )


def _lost(result: SearchResult, other: SearchResult) -> list[str]:
    lost = set(gone(result.hits, other.hits))
    return ["not in B" if rank in lost else "" for rank in range(1, len(result.hits) + 1)]


def _colour(move: str) -> str:
    return {"new": "green", "not in B": "amber", "=": ""}.get(move, "blue")


def _pick(hit: SearchHit) -> dict[str, str]:
    target = target_of(hit)
    return {"pick": target} if target else {}


def _key(hit: SearchHit) -> Key:
    return hit.kind, hit.project_id, hit.id
