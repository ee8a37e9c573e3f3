"""
Overlapping communities by clique percolation.

1. A k-clique is k nodes that are all joined. Two of them are neighbours if they share
   k - 1 nodes, and a community is all that can be reached from neighbour to neighbour.
2. k-cliques are never listed: 40 nodes alike have 91,390 of four. All k-cliques within one
   maximal clique reach each other, and those of two maximal cliques do if and only if the
   two share k - 1 nodes. So it is enough to percolate maximal cliques.
3. Nodes with the same neighbours and joined to each other (twins) are in the same maximal
   cliques, always together. They are made one node that counts for several, so any number
   of things alike is one clique to visit.
4. There may still be more maximal cliques than anyone can wait for. Whoever asks says how
   many may be visited and when to stop; what was found until then is said to be partial.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

Nodes = frozenset[int]


@dataclass(frozen=True)
class Communities:
    """Groups of nodes, how many maximal cliques were visited, and why not all, if not all."""

    groups: list[Nodes]
    cliques: int
    partial: str = ""


def communities(
    edges: Iterable[tuple[int, int]],
    weights: Sequence[int],
    *,
    k: int,
    most_cliques: int,
    is_late: Callable[[], bool],
) -> Communities:
    """
    Return the k-clique communities of a graph, each in order of its least node.

    Node i counts as weights[i] nodes that are all joined and have the same neighbours.
    """
    neighbours = _closed(edges, len(weights))
    twins = _twins(neighbours)
    counted = {first: sum(weights[node] for node in all_of) for first, all_of in twins.items()}
    found, visited, partial = _maximal(neighbours, counted, k=k, most=most_cliques, is_late=is_late)
    joined = [
        frozenset(node for first in members for node in twins[first])
        for members in _percolated(found, counted, k=k, is_late=is_late)
    ]
    if not partial and is_late():
        partial = "the time was up before all cliques were joined"
    return Communities(sorted(joined, key=sorted), visited, partial)


def matched(old: dict[str, set[str]], new: Sequence[set[str]]) -> dict[int, str]:
    """Return which new group goes on as which old one: the best Jaccard match, each once."""
    groups_of: dict[str, list[str]] = defaultdict(list)
    for id, members in old.items():
        for member in members:
            groups_of[member].append(id)
    pairs = []
    for place, members in enumerate(new):
        shared = Counter(id for member in members for id in groups_of.get(member, ()))
        for id, count in shared.items():
            pairs.append((count / (len(members) + len(old[id]) - count), id, place))
    chosen: dict[int, str] = {}
    taken: set[str] = set()
    for _, id, place in sorted(pairs, key=lambda pair: (-pair[0], pair[1], pair[2])):
        if place not in chosen and id not in taken:
            chosen[place] = id
            taken.add(id)
    return chosen


def _closed(edges: Iterable[tuple[int, int]], count: int) -> list[set[int]]:
    """Return the neighbours of every node, itself among them."""
    neighbours = [{node} for node in range(count)]
    for one, other in edges:
        neighbours[one].add(other)
        neighbours[other].add(one)
    return neighbours


def _twins(neighbours: Sequence[set[int]]) -> dict[int, list[int]]:
    """Return the nodes that are the same to all others, by the first of them."""
    same: dict[Nodes, int] = {}
    twins: dict[int, list[int]] = {}
    for node, around in enumerate(neighbours):
        first = same.setdefault(frozenset(around), node)
        twins.setdefault(first, []).append(node)
    return twins


def _maximal(
    neighbours: Sequence[set[int]],
    counted: dict[int, int],
    *,
    k: int,
    most: int,
    is_late: Callable[[], bool],
) -> tuple[list[list[int]], int, str]:
    """Return the maximal cliques of at least k nodes, how many were visited, why not all."""
    from networkx import Graph, find_cliques

    graph: Graph = Graph()
    graph.add_nodes_from(counted)
    graph.add_edges_from(
        (one, other)
        for one in counted
        for other in neighbours[one]
        if other > one and other in counted
    )
    return _bounded(find_cliques(graph), counted, k=k, most=most, is_late=is_late)


def _bounded(
    cliques: Iterable[list[int]],
    counted: dict[int, int],
    *,
    k: int,
    most: int,
    is_late: Callable[[], bool],
) -> tuple[list[list[int]], int, str]:
    found: list[list[int]] = []
    visited = 0
    for clique in cliques:
        if visited >= most:
            return found, visited, f"only {most:,} cliques were visited, and there are more"
        if visited % 1000 == 999 and is_late():
            return found, visited, f"the time was up after {visited:,} cliques"
        visited += 1
        if sum(counted[node] for node in clique) >= k:
            found.append(clique)
    return found, visited, ""


def _percolated(
    cliques: Sequence[list[int]],
    counted: dict[int, int],
    *,
    k: int,
    is_late: Callable[[], bool],
) -> Iterator[set[int]]:
    """Yield the nodes of cliques that reach each other over k - 1 shared nodes."""
    # Which cliques, of those not yet reached, hold a node: it empties as they are reached.
    holding: dict[int, set[int]] = defaultdict(set)
    for place, clique in enumerate(cliques):
        for node in clique:
            holding[node].add(place)
    for start, clique in enumerate(cliques):
        if start not in holding[clique[0]]:
            continue
        members: set[int] = set()
        waiting = [start]
        _take_out(holding, cliques[start], start)
        while waiting and not is_late():
            here = cliques[waiting.pop()]
            members.update(here)
            for near in _sharing(holding, here, counted, least=k - 1):
                _take_out(holding, cliques[near], near)
                waiting.append(near)
        members.update(node for place in waiting for node in cliques[place])
        yield members


def _sharing(
    holding: dict[int, set[int]], clique: list[int], counted: dict[int, int], *, least: int
) -> list[int]:
    shared: Counter[int] = Counter()
    for node in clique:
        weight = counted[node]
        for place in holding[node]:
            shared[place] += weight
    return [place for place, count in shared.items() if count >= least]


def _take_out(holding: dict[int, set[int]], clique: list[int], place: int) -> None:
    for node in clique:
        holding[node].discard(place)
