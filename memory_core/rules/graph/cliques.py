"""
Overlapping communities by clique percolation.

1. A k-clique is k nodes that are all connected. Two cliques are neighbours if they share k - 1
   nodes, and a community is the union of cliques reachable from each other.
2. k-cliques are never listed: 40 similar nodes have 91,390 of size four. Nor are maximal cliques,
   which can be too many for a thousand nodes with a hundred neighbours each. Instead, the cliques
   of k - 2 nodes are visited (cores): for k = 4 the edges of the graph.
3. Among the nodes connected to an entire core, each connected component forms one piece of a
   community with the core: if w and x are connected, they form a k-clique with the core, so that
   the cliques core + w and core + x reach each other. A clique of k - 1 nodes has a core for each
   node left out, and so it joins the pieces that contain it.
4. A node with weight n stands for n connected nodes; more than k behave like k.
5. Callers limit the number of cores and the time; the result then is partial.
"""

from __future__ import annotations

import itertools
from bisect import bisect
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

Nodes = frozenset[int]
Core = tuple[int, ...]


@dataclass(frozen=True)
class Communities:
    """Groups of nodes, the number of visited cliques, and why the result is partial, if it is."""

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
    Return the k-clique communities of a graph, k at least 2, ordered by their nodes.

    Node i counts as weights[i] nodes that are all connected and have the same neighbours.
    """
    of, neighbours = _expand_weights(edges, weights, most=k)
    pieces = _CommunityUnion()
    visited, partial = 0, ""
    for core, around in _iter_cores(neighbours, size=k - 2):
        if visited >= most_cliques:
            partial = f"the limit of {most_cliques:,} cliques was reached"
            break
        if visited % 1000 == 0 and is_late():
            partial = f"the time limit was reached after {visited:,} cliques"
            break
        visited += 1
        pieces.add(core, around)
    whole = (members for members in pieces.communities() if len(members) >= k)
    groups = {frozenset(of[node] for node in members) for members in whole}
    return Communities(sorted(groups, key=sorted), visited, partial)


def match_groups(old: dict[str, set[str]], new: Sequence[set[str]]) -> dict[int, str]:
    """Return the old id of each new group: the best Jaccard similarity, each id once."""
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
    used: set[str] = set()
    for _, id, place in sorted(pairs, key=lambda pair: (-pair[0], pair[1], pair[2])):
        if place not in chosen and id not in used:
            chosen[place] = id
            used.add(id)
    return chosen


def _expand_weights(
    edges: Iterable[tuple[int, int]], weights: Sequence[int], *, most: int
) -> tuple[list[int], list[set[int]]]:
    """Return the graph with each weighted node expanded, and the original node of each."""
    of: list[int] = []
    copies: list[range] = []
    for node, weight in enumerate(weights):
        copies.append(range(len(of), len(of) + min(weight, most)))
        of += [node] * len(copies[node])
    neighbours: list[set[int]] = [set() for _ in of]
    for listed in copies:
        for one in listed:
            neighbours[one] = set(listed) - {one}
    for a, b in edges:
        for one in copies[a]:
            neighbours[one].update(copies[b])
        for one in copies[b]:
            neighbours[one].update(copies[a])
    return of, neighbours


def _iter_cores(
    neighbours: Sequence[set[int]], *, size: int
) -> Iterator[tuple[Core, list[list[int]]]]:
    """
    Yield every clique of *size* nodes with the pieces around it, in ascending order.

    A piece is a connected component of at least two nodes that are all connected to the core.
    """
    if size == 0:
        yield (), list(_connected_parts(neighbours))
        return
    for least, around in enumerate(neighbours):
        near = sorted(around)
        place = {node: bit for bit, node in enumerate(near)}
        # Bit i of a mask is the node near[i], so that masks stay small.
        masks = [sum(1 << place[node] for node in neighbours[other] & around) for other in near]
        later = [bit for bit, node in enumerate(near) if node > least]
        for rest, common in _iter_cliques(later, masks, size=size - 1, common=(1 << len(near)) - 1):
            core = (least, *(near[bit] for bit in rest))
            yield core, [[near[bit] for bit in piece] for piece in _iter_components(common, masks)]


def _iter_cliques(
    candidates: list[int], masks: list[int], *, size: int, common: int
) -> Iterator[tuple[Core, int]]:
    """Yield cliques of *size* among the candidates, with the nodes connected to all of each."""
    if size == 0:
        yield (), common
        return
    for place, bit in enumerate(candidates):
        joined = [other for other in candidates[place + 1 :] if masks[bit] >> other & 1]
        inner = _iter_cliques(joined, masks, size=size - 1, common=common & masks[bit])
        for rest, around in inner:
            yield (bit, *rest), around


def _iter_components(common: int, masks: list[int]) -> Iterator[list[int]]:
    """Yield the connected components of at least two bits of *common*, in ascending order."""
    while common:
        frontier = piece = common & -common
        common ^= piece
        while frontier and common:
            bit = frontier & -frontier
            frontier ^= bit
            found = masks[bit.bit_length() - 1] & common
            piece |= found
            frontier |= found
            common ^= found
        if piece & (piece - 1):
            yield _set_bits(piece)


def _set_bits(mask: int) -> list[int]:
    found = []
    while mask:
        bit = mask & -mask
        found.append(bit.bit_length() - 1)
        mask ^= bit
    return found


def _connected_parts(neighbours: Sequence[set[int]]) -> Iterator[list[int]]:
    """Yield the connected components of at least two nodes."""
    seen: set[int] = set()
    for start in range(len(neighbours)):
        if start in seen:
            continue
        waiting, part = [start], {start}
        while waiting:
            new = neighbours[waiting.pop()] - part
            part |= new
            waiting += new
        seen |= part
        if len(part) > 1:
            yield sorted(part)


class _CommunityUnion:
    """Union-find of the pieces around all cores."""

    def __init__(self) -> None:
        self._parent: list[int] = []
        self._cores: list[tuple[Core, Sequence[int]]] = []
        # The only piece around a core or, if there are several, the piece of each node.
        self._around: dict[Core, int | dict[int, int]] = {}

    def add(self, core: Core, pieces: list[list[int]]) -> None:
        """Add the pieces around a core. Cores must be added in ascending order."""
        if not pieces:
            return
        ids = range(len(self._parent), len(self._parent) + len(pieces))
        self._parent += ids
        # Only the core is stored: every node of a k-clique is in one of its cores.
        self._cores += [(core, () if core else piece) for piece in pieces]
        if len(pieces) == 1:
            self._around[core] = ids[0]
        else:
            listed = zip(ids, pieces, strict=True)
            self._around[core] = {node: id for id, piece in listed for node in piece}
        if core:
            for id, piece in zip(ids, pieces, strict=True):
                self._join(id, core, piece)

    def communities(self) -> Iterator[set[int]]:
        """Yield the nodes of each set of joined pieces."""
        found: dict[int, set[int]] = defaultdict(set)
        for id, (core, piece) in enumerate(self._cores):
            found[self._root(id)].update(core or piece)
        yield from found.values()

    def _join(self, id: int, core: Core, piece: list[int]) -> None:
        """Join a piece to the earlier piece of each of its cliques of k - 1 nodes."""
        for node in itertools.takewhile(core[-1].__gt__, piece):
            # Replacing the next greater node with *node* gives an earlier core, so all cores
            # of the clique are joined step by step.
            place = bisect(core, node)
            around = self._around[(*core[:place], node, *core[place + 1 :])]
            other = around if isinstance(around, int) else around[core[place]]
            one, two = self._root(id), self._root(other)
            if one != two:
                self._parent[two] = one

    def _root(self, id: int) -> int:
        parent = self._parent
        while parent[id] != id:
            parent[id] = parent[parent[id]]
            id = parent[id]
        return id
