"""
Where the nodes of a map stand: laid out with a seed, and settled once.

Placed nodes keep their position under all filters; new nodes settle
around what it is related to, and what hangs together with nothing else is set below.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from memory_core.model.graph.graph_view import GraphMap

Positions = dict[str, tuple[float, float]]

# Pixels between two neighbours, about; where there are few nodes, the names of relations fit in.
SPACING = 95.0
WIDE_SPACING = 150.0
FRAME = 600.0
SEED = 7
# Screens are wider than high.
FLATTENED = 0.92
# Turning by it, neighbours of one node never coincide.
GOLDEN_ANGLE = 2.399963


def positions_of(drawn: GraphMap, known: Mapping[str, tuple[float, float]]) -> Positions:
    """Place every node; those in *known* stay where they were."""
    ids = [node.row_id for node in drawn.nodes]
    kept = {row_id: known[row_id] for row_id in ids if row_id in known}
    if len(kept) == len(ids):
        return kept
    pairs = [(edge.from_row_id, edge.to_row_id) for edge in drawn.edges]
    return _place_new(ids, pairs, kept) if kept else _pack_components(ids, pairs)


def _pack_components(
    ids: list[str], pairs: list[tuple[str, str]], *, width: float = 0.0
) -> Positions:
    """
    Lay out each connected part by itself, then set the parts side by side in columns.

    They get about as wide as *width*, and no higher than wide.
    """
    if not ids:
        return {}
    placed: Positions = {}
    parts = [_spring(part, pairs) for part in _parts(ids, pairs)]
    sizes = [_extent(part) for part in parts]
    area = sum((across + SPACING) * (down + SPACING) for across, down in sizes)
    height = max(area / max(width, math.sqrt(area)), *(down for _, down in sizes))
    x = y = column = 0.0
    for part, (across, depth) in zip(parts, sizes, strict=True):
        if y and y + depth > height:
            x, y, column = x + column + SPACING, 0.0, 0.0
        for row_id, (left, top) in part.items():
            placed[row_id] = (round(x + left, 1), round(y + top, 1))
        y += depth + SPACING
        column = max(column, across)
    return placed


def _extent(part: Positions) -> tuple[float, float]:
    return max(x for x, _ in part.values()), max(y for _, y in part.values())


def _parts(ids: list[str], pairs: list[tuple[str, str]]) -> list[list[str]]:
    """Return the connected parts, the largest first."""
    import rustworkx

    graph = _graph(ids, pairs)
    parts = [sorted(part) for part in rustworkx.connected_components(graph)]
    parts.sort(key=lambda part: (-len(part), part))
    return [[ids[index] for index in part] for part in parts]


def _spring(ids: list[str], pairs: list[tuple[str, str]]) -> Positions:
    """Lay out one connected part inside a square whose side grows with the root of its size."""
    import rustworkx

    if len(ids) == 1:
        return {ids[0]: (SPACING / 2, SPACING / 2)}
    root = math.sqrt(len(ids))
    half = max(SPACING, min(WIDE_SPACING, FRAME / root)) * root / 2
    found = rustworkx.spring_layout(
        _graph(ids, pairs),
        seed=SEED,
        num_iter=_rounds(len(ids)),
        scale=half,  # type: ignore[arg-type] # the stub says int, the library takes a float
        center=(half, half),
    )
    across = _spread_out([float(found[index][0]) for index in range(len(ids))])
    down = _spread_out([float(found[index][1]) for index in range(len(ids))])
    return {row_id: (across[n], down[n] * FLATTENED) for n, row_id in enumerate(ids)}


def _spread_out(values: list[float]) -> list[float]:
    """Thin out where nodes crowd: half of each place is its rank among the others."""
    low, high = min(values), max(values)
    ranks = {
        index: rank for rank, index in enumerate(sorted(range(len(values)), key=values.__getitem__))
    }
    step = (high - low) / max(len(values) - 1, 1)
    return [(value + low + ranks[index] * step) / 2 for index, value in enumerate(values)]


def _graph(ids: list[str], pairs: Iterable[tuple[str, str]]) -> Any:
    import rustworkx

    index = {row_id: number for number, row_id in enumerate(ids)}
    graph = rustworkx.PyGraph(multigraph=False)
    graph.add_nodes_from(ids)
    graph.add_edges_from([(index[a], index[b], 1.0) for a, b in pairs if a in index and b in index])
    return graph


def _rounds(nodes: int) -> int:
    """Return iterations that stay well under a second: each costs the square of the nodes."""
    return max(40, min(300, 40_000_000 // (nodes * nodes + 1)))


def _place_new(ids: list[str], pairs: list[tuple[str, str]], kept: Positions) -> Positions:
    """Place what is new around what it is related to; what was there does not move."""
    near: dict[str, list[str]] = {}
    for one, other in pairs:
        near.setdefault(one, []).append(other)
        near.setdefault(other, []).append(one)
    placed = dict(kept)
    waiting = [row_id for row_id in ids if row_id not in kept]
    # Nearest first: placed nodes anchor the next.
    while hanging := [each for each in waiting if any(n in placed for n in near.get(each, ()))]:
        for row_id in hanging:
            placed[row_id] = _beside([placed[n] for n in near[row_id] if n in placed], len(placed))
        waiting = [row_id for row_id in waiting if row_id not in placed]
    hung = [row_id for row_id in placed if row_id not in kept]
    placed |= _relax(list(placed), pairs, placed, hung)
    if waiting:
        left = min(x for x, _ in placed.values())
        right = max(x for x, _ in placed.values())
        below = max(y for _, y in placed.values()) + SPACING
        apart = _pack_components(waiting, pairs, width=right - left + SPACING)
        placed |= {
            each: (round(left + x, 1), round(below + y, 1)) for each, (x, y) in apart.items()
        }
    return placed


def _beside(around: list[tuple[float, float]], count: int) -> tuple[float, float]:
    """Return a place near the middle of some others, another one for each count."""
    turn = count * GOLDEN_ANGLE
    x = sum(x for x, _ in around) / len(around) + SPACING * 0.8 * math.cos(turn)
    y = sum(y for _, y in around) / len(around) + SPACING * 0.8 * math.sin(turn)
    return x, y


def _relax(
    ids: list[str], pairs: list[tuple[str, str]], placed: Positions, loose: list[str]
) -> Positions:
    """Return better places for the *loose* nodes, all others held fast."""
    import rustworkx

    extent = max(max(map(abs, place)) for place in placed.values()) + SPACING
    number = {row_id: at for at, row_id in enumerate(ids)}
    found = rustworkx.spring_layout(
        _graph(ids, pairs),
        pos={
            at: (x / extent, y / extent) for each, at in number.items() for x, y in [placed[each]]
        },
        fixed={number[each] for each in ids} - {number[each] for each in loose},
        k=SPACING / extent,
        seed=SEED,
        num_iter=_rounds(len(ids)) // 4,
    )
    return {
        each: (round(found[at][0] * extent, 1), round(found[at][1] * extent, 1))
        for each in loose
        for at in [number[each]]
    }
