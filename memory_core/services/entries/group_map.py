"""Two-dimensional map of entries and their groups, with cohesion and overlap."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from ...model.facts.groups import GroupMap, MapGroup, MapPoint
from ...search.projection import cohesion, plane
from ...storage.database import Connection
from ...storage.entries import entries as entry_rows
from ...storage.entries import merged_vectors

# More points cannot be told apart, and slow down the browser.
MOST_POINTS = 2000


def build_map(
    connection: Connection,
    there: merged_vectors.Rows,
    groups: Mapping[str, Iterable[str]],
    *,
    labels: Mapping[str, str],
) -> GroupMap:
    """Project *there* onto a plane with *groups*; members that are not in *there* do not count."""
    row_of = {id: row for row, id in enumerate(there.ids)}
    seen = {id: sorted({row_of[m] for m in them if m in row_of}) for id, them in groups.items()}
    order = sorted((id for id in seen if seen[id]), key=lambda id: (-len(seen[id]), id))
    of_row: dict[int, list[str]] = defaultdict(list)
    for id in order:
        for row in seen[id]:
            of_row[row].append(id)
    shared = _overlaps(of_row.values())
    points, share = _points(connection, there, of_row)
    return GroupMap(
        points=points,
        groups=[
            MapGroup(
                id=id,
                label=labels.get(id, ""),
                size=len(seen[id]),
                cohesion=round(cohesion(there.matrix, seen[id]), 4),
                overlaps=shared.get(id, {}),
            )
            for id in order
        ],
        entries=len(there.ids),
        ungrouped=len(there.ids) - len(of_row),
        pending=merged_vectors.standing(connection).unembedded,
        shown_variance=round(share, 4),
        k=0,
        threshold=0.0,
    )


def _points(
    connection: Connection, there: merged_vectors.Rows, of_row: Mapping[int, list[str]]
) -> tuple[list[MapPoint], float]:
    """
    Return the projected entries, evenly sampled if there are many, and the explained variance.
    """
    places, share = plane(there.matrix)
    shown = range(0, len(there.ids), -(-len(there.ids) // MOST_POINTS) or 1)
    listed = entry_rows.by_ids(connection, [there.ids[row] for row in shown])
    known = {entry.id: entry for entry in listed}
    points = [
        MapPoint(
            id=id,
            summary=known[id].summary,
            category=known[id].category,
            x=round(float(places[row, 0]), 5),
            y=round(float(places[row, 1]), 5),
            group_ids=of_row.get(row, []),
        )
        for row, id in ((row, there.ids[row]) for row in shown)
        if id in known
    ]
    return points, share


def _overlaps(listed: Iterable[list[str]]) -> dict[str, dict[str, int]]:
    """Return for each group how many entries it shares with every other group."""
    shared: dict[str, Counter[str]] = defaultdict(Counter)
    for ids in listed:
        for one in ids:
            shared[one].update(other for other in ids if other != one)
    return {id: dict(counts.most_common()) for id, counts in shared.items()}
