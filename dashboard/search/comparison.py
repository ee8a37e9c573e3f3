"""Side-by-side comparison of two results: moved, new and missing hits."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from memory_core.model.search.results import SearchHit, SearchResult

from ..components.elements import Part, part
from ..components.formatting import format_count, milliseconds
from ..components.links import target_of
from ..tables import title_of
from .hits import excerpt, format_score, highlight

UP, DOWN = "\u25b2", "\u25bc"
# Parts of one entry or entity share its id; the row tells them apart.
Key = tuple[str, str, str, str]


def rank_changes(before: Sequence[SearchHit], after: Sequence[SearchHit]) -> list[str]:
    """Return the rank change of each hit in *after*: up, down, unchanged or new."""
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


def missing_ranks(before: Sequence[SearchHit], after: Sequence[SearchHit]) -> list[int]:
    """Return the ranks in *before* of hits that *after* lacks."""
    left = {_key(hit) for hit in after}
    return [rank for rank, hit in enumerate(before, start=1) if _key(hit) not in left]


def sentence(a: SearchResult, b: SearchResult) -> str:
    said = rank_changes(a.hits, b.hits)
    same = said.count("=")
    if same == len(said) == len(a.hits):
        return "A and B return the same results"
    new, lost = said.count("new"), len(missing_ranks(a.hits, b.hits))
    moved = len(said) - same - new
    return f"B moves {format_count(moved, 'result')}, adds {new} and drops {lost}"


def side_parts(result: SearchResult, other: SearchResult, *, is_b: bool) -> list[Part]:
    """Return one side; each hit of B shows its rank change from A."""
    said = rank_changes(other.hits, result.hits) if is_b else _missing_marks(result, other)
    took = milliseconds(result.took.get("total", 0.0))
    name = "B" if is_b else "A"
    count = format_count(len(result.hits), "result")
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
                part("span", "number", format_score(hit.score)),
            ),
            part("div", "quote", *highlight(excerpt(hit.text, result.query, 160), result.query)),
        )
        for rank, (hit, move) in enumerate(zip(result.hits, said, strict=True), start=1)
    ]
    return rows


def table(a: SearchResult, b: SearchResult) -> pd.DataFrame:
    """Return every row of either result with its rank in both."""
    of_a = {_key(hit): rank for rank, hit in enumerate(a.hits, start=1)}
    of_b = {_key(hit): rank for rank, hit in enumerate(b.hits, start=1)}
    every = {_key(hit): hit for hit in [*a.hits, *b.hits]}
    return pd.DataFrame(
        {
            "Subject": [title_of(hit) for hit in every.values()],
            "A": [of_a.get(key) for key in every],
            "B": [of_b.get(key) for key in every],
            "Passage": [hit.text for hit in every.values()],
            "Id": [hit.id for hit in every.values()],
        }
    )


def _missing_marks(result: SearchResult, other: SearchResult) -> list[str]:
    lost = set(missing_ranks(result.hits, other.hits))
    return ["not in B" if rank in lost else "" for rank in range(1, len(result.hits) + 1)]


def _colour(move: str) -> str:
    return {"new": "green", "not in B": "amber", "=": ""}.get(move, "blue")


def _pick(hit: SearchHit) -> dict[str, str]:
    target = target_of(hit)
    return {"pick": target} if target else {}


def _key(hit: SearchHit) -> Key:
    return hit.kind, hit.project_id, hit.id, hit.row_id
