"""Search results: rank, channels and passages with query terms highlighted."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from datetime import datetime

from memory_core.model.search.results import Explanation, SearchHit

from ..charts import stage_colour, stages
from ..components.colours import SHAPES, Theme, mark
from ..components.elements import Part, part
from ..components.formatting import ago, exact, milliseconds, readable
from ..components.links import target_of
from ..tables import title_of

# Stop words: highlighting them would hide the terms that matter.
# fmt: off
COMMON = frozenset(
    {
        "the", "and", "for", "are", "was", "were", "did", "does", "with", "that", "this",
        "what", "when", "which", "who", "why", "how", "you", "our", "from", "into", "have",
        "has", "had", "not", "but", "can", "could", "may", "whose", "where", "there", "their",
        "they", "them"
    }
)
# fmt: on
PASSAGES = 3
LENGTH = 320
ELLIPSIS = "\u2026"

_WORD = re.compile(r"\w+")
_IDEOGRAPHIC = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_ENDINGS = ("ing", "ed", "es", "s")


def highlight(text: str, query: str) -> list[Part]:
    """Highlight the words of *text* that share a stem with a word of *query*."""
    wanted = {_stem(word) for word in _WORD.findall(query)} - {""}
    parts: list[Part] = []
    at = 0
    for start, end in _matches(text, wanted):
        if start > at:
            parts.append(text[at:start])
        parts.append(part("mark", "", text[start:end]))
        at = end
    if at < len(text):
        parts.append(text[at:])
    return parts


def excerpt(text: str, query: str, length: int = LENGTH) -> str:
    """Return a passage on one line, shortened to the part that contains query terms."""
    line = " ".join(text.split())
    if len(line) <= length:
        return line
    wanted = {_stem(word) for word in _WORD.findall(query)} - {""}
    first = next((start for start, _ in _matches(line, wanted)), 0)
    start = max(0, min(first - length // 3, len(line) - length))
    cut = line[start : start + length]
    return f"{ELLIPSIS if start else ''}{cut}{ELLIPSIS if start + length < len(line) else ''}"


def hit_parts(hit: SearchHit, rank: int, *, query: str, theme: Theme, now: datetime) -> Part:
    """Return one hit with its score, channels and matching passage."""
    node_type = hit.entity.node_type if hit.entity else hit.kind
    colour, shape = mark(node_type, theme)
    target = target_of(hit)
    pick = {"pick": target} if target else {}
    heading = part(
        "div",
        "row",
        part(
            "div",
            "line",
            part("span", "faint number", f"{rank}"),
            part("span", "strong", title_of(hit), **pick),
            part("span", "", f"{SHAPES[shape]} {node_type}", colour=colour),
            *([part("span", "chip amber", hit.status)] if hit.status != "active" else []),
        ),
        part("span", "number strong", format_score(hit.score)),
    )
    passages = [
        part("div", "quote", *highlight(excerpt(passage.text, query), query))
        for passage in hit.passages[:PASSAGES]
    ]
    said = hit.occurred_at or hit.created_at
    origin = [hit.kind, hit.project_id, *([ago(said, now)] if said else [])]
    below = part(
        "div",
        "row stacked",
        part("span", "faint", " \u00b7 ".join(origin), title=exact(said) if said else ""),
        part("span", "faint", describe_channels(hit.explain)),
    )
    return part("article", "item", heading, *passages, below)


def format_score(score: float) -> str:
    """Format a score; fused rank scores are small and differ in the third decimal."""
    return f"{score:.2f}" if abs(score) >= 0.1 else f"{score:.3f}"


def describe_channels(why: Explanation | None) -> str:
    """Describe the rank in each channel and the boosts added to the score."""
    if why is None:
        return ""
    said = []
    if why.vector_rank:
        said.append(f"vector #{why.vector_rank} ({why.vector_score:.2f})")
    if why.lexical_rank:
        said.append(f"lexical #{why.lexical_rank} ({abs(why.lexical_score):.1f})")
    boosts = (
        ("entity", why.link),
        ("date", why.date),
        ("session", why.session),
        ("salience", why.salience),
    )
    said += [f"{name} +{boost:.2f}" for name, boost in boosts if boost >= 0.005]
    if why.rerank is not None:
        said.append(f"rerank {why.rerank:.2f}")
    return " \u00b7 ".join(said)


def timing_parts(took: Mapping[str, float], theme: Theme) -> list[Part]:
    """Return the duration of a search and its stages, with the colour of each bar."""
    named = [
        part(
            "span",
            "faint",
            part("span", "", "\u25a0 ", colour=stage_colour(name, theme)),
            f"{readable(name)} ",
            part("span", "number", milliseconds(spent)),
        )
        for name, spent in stages(took)
    ]
    total = part("span", "strong", f"total {milliseconds(took.get('total', 0.0))}")
    return [part("div", "line", total, *named)]


def _matches(text: str, wanted: set[str]) -> Iterator[tuple[int, int]]:
    for found in _WORD.finditer(text):
        word = found.group()
        if _IDEOGRAPHIC.search(word):
            yield from _inside(word, found.start(), wanted)
        elif _stem(word) in wanted:
            yield found.span()


def _inside(word: str, offset: int, wanted: set[str]) -> Iterator[tuple[int, int]]:
    """Yield matches in scripts without spaces between words, left to right."""
    at = 0
    while at < len(word):
        here = next((term for term in wanted if word.startswith(term, at)), "")
        if here:
            yield offset + at, offset + at + len(here)
        at += len(here) or 1


def _stem(word: str) -> str:
    """Return the stem of a word, or "" for a stop word."""
    decomposed = unicodedata.normalize("NFKD", word.casefold())
    plain = "".join(c for c in decomposed if not unicodedata.combining(c))
    if _IDEOGRAPHIC.search(plain):
        return unicodedata.normalize("NFC", plain)
    if (len(plain) < 3 and plain.isalpha()) or plain in COMMON:
        return ""
    for ending in () if plain.endswith("ss") else _ENDINGS:
        if plain.endswith(ending) and len(plain) - len(ending) >= 3:
            return plain[: -len(ending)].rstrip("e")
    return plain.rstrip("e") if len(plain) > 3 else plain
