"""
Shortest path between two entities by bidirectional search.

1. The side with the smaller frontier is expanded next, so that hubs are expanded late. A level is
   always finished, so the first meeting is on a shortest path. 2. The work is bounded by the number
   of entities visited and the length of the path. A search that reached a limit says so. 3. The
   result is deterministic: of several shortest paths, the first in order of ids.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ...model.graph.graph_view import MapFilter, PathStep
from ...storage.database import Connection
from ...storage.graph import graph_view as rows

MOST_SEARCHED = 20_000
LONGEST = 12


@dataclass(frozen=True)
class Way:
    """A path as row ids and steps, both empty if none was found, and the depth searched."""

    row_ids: list[str]
    steps: list[PathStep]
    searched: int
    hops: int
    exhausted: bool = False


def shortest_way(
    connection: Connection, start: str, goal: str, wanted: MapFilter, *, most: int = MOST_SEARCHED
) -> Way:
    """Return a shortest path over wanted relations and, between the ends, wanted entities."""
    if start == goal:
        return Way([start], [], 1, 0)
    here, there = _Side(start), _Side(goal)
    while here.hops + there.hops < LONGEST and len(here.met) + len(there.met) <= most:
        side, other = (here, there) if len(here.edge) <= len(there.edge) else (there, here)
        side.widen(connection, wanted, other)
        hops, searched = here.hops + there.hops, len(here.met) + len(there.met)
        meeting = min((row_id for row_id in side.edge if row_id in other.met), default="")
        if meeting:
            steps = [*reversed(list(here.back(meeting))), *map(_reverse_step, there.back(meeting))]
            return Way([start, *(step.to_row_id for step in steps)], steps, searched, hops)
        if not side.edge:
            return Way([], [], searched, hops, exhausted=True)
    return Way([], [], len(here.met) + len(there.met), here.hops + there.hops)


class _Side:
    """One side of the search: each visited entity with the step that led to it."""

    def __init__(self, end: str) -> None:
        self.met: dict[str, PathStep | None] = {end: None}
        self.edge = [end]
        self.hops = 0

    def widen(self, connection: Connection, wanted: MapFilter, other: _Side) -> None:
        """Expand the frontier by one step."""
        found: dict[str, PathStep] = {}
        for here, there, kind, forward in rows.steps(connection, self.edge, wanted):
            if there not in self.met and there not in found:
                found[there] = PathStep(
                    from_row_id=here, to_row_id=there, relationship_type=kind, forward=forward
                )
        right = rows.matching(connection, list(found), wanted)
        # The goal of the search is exempt from the filter.
        self.edge = [row_id for row_id in found if row_id in right or row_id in other.met]
        self.met |= {row_id: found[row_id] for row_id in self.edge}
        self.hops += 1

    def back(self, row_id: str) -> Iterator[PathStep]:
        """Yield the steps from an entity back to this end, the last one first."""
        while step := self.met[row_id]:
            yield step
            row_id = step.from_row_id


def _reverse_step(step: PathStep) -> PathStep:
    return PathStep(
        from_row_id=step.to_row_id,
        to_row_id=step.from_row_id,
        relationship_type=step.relationship_type,
        forward=not step.forward,
    )
