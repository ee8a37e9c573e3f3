"""Legend of the graph: meaning and count of each colour, shape and sign."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from memory_core.model.graph.graph_view import GraphMap, MapNode

from ..components.colours import (
    BECAME,
    FAMILIES,
    SHAPES,
    ColourBy,
    Theme,
    became_mark,
    community_colour,
    mark,
)
from ..components.elements import Part, part
from ..components.formatting import number, shorten

NAME = 28
WORDS = {"": "unchanged", "added": "added", "changed": "changed", "removed": "removed"}


def legend_parts(drawn: GraphMap, theme: Theme, colour_by: ColourBy = "type") -> list[Part]:
    """Return the legend for the chosen colour scheme, with counts."""
    if colour_by == "type":
        return [_section("Types", _types(drawn, theme))]
    chosen = _communities(drawn, theme) if colour_by == "community" else _change_items(drawn, theme)
    heading = "Communities" if colour_by == "community" else "Changes since"
    return [_section(heading, chosen), _section("Types, by shape", _types(drawn, None))]


def community_names(nodes: Iterable[MapNode]) -> dict[int, str]:
    """Name each community after its number and its most salient member."""
    first: dict[int, MapNode] = {}
    for node in nodes:
        best = first.get(node.community)
        if best is None or node.salience > best.salience:
            first[node.community] = node
    return {
        number_: f"{number_ + 1}: around {shorten(node.name, NAME)}"
        for number_, node in sorted(first.items())
        if number_ >= 0
    }


def _section(heading: str, items: list[Part]) -> Part:
    return part("section", "", part("h3", "", heading), part("ul", "legend", *items))


def _item(sign: str, colour: str | None, words: str, count: int) -> Part:
    marked = part("span", "", sign, colour=colour) if colour else part("span", "faint", sign)
    return part("li", "", marked, f" {words} ", part("span", "faint number", number(count)))


def _types(drawn: GraphMap, theme: Theme | None) -> list[Part]:
    """Return the types on the map; with a theme in their colours, and counted off the map too."""
    here = Counter(node.node_type for node in drawn.nodes)
    counts = drawn.type_counts if theme else here
    return [
        _item(
            SHAPES[mark(name, "light").shape], mark(name, theme).colour if theme else None, name, n
        )
        for name, n in counts.items()
        if name in here
    ]


def _communities(drawn: GraphMap, theme: Theme) -> list[Part]:
    sizes = Counter(node.community for node in drawn.nodes)
    names = community_names(drawn.nodes)
    items = [
        _item(SHAPES["dot"], community_colour(each, theme), name, sizes[each])
        for each, name in names.items()
        if each < len(FAMILIES)
    ]
    grey = community_colour(-1, theme)
    smaller = sum(sizes[each] for each in names if each >= len(FAMILIES))
    if smaller:
        items.append(_item(SHAPES["dot"], grey, "in smaller communities", smaller))
    if sizes[-1]:
        items.append(_item(SHAPES["dot"], grey, "in none", sizes[-1]))
    return items


def _change_items(drawn: GraphMap, theme: Theme) -> list[Part]:
    nodes: Counter[str] = Counter(node.became for node in drawn.nodes)
    edges: Counter[str] = Counter(edge.became for edge in drawn.edges)
    return [
        _item(
            became_mark(each, theme).sign or SHAPES["dot"],
            became_mark(each, theme).colour,
            f"{WORDS[each]} (dashed relations)" if each == "removed" else WORDS[each],
            nodes[each] + edges[each],
        )
        for each in BECAME
        if nodes[each] + edges[each]
    ]
